/**
 * How long rounds are, and how many. `BENCH_SECONDS` makes each round that long and each scenario one round
 * (or `BENCH_ROUNDS`): to see that it works, or for a short report; such figures say little.
 */
const shortened = Number(process.env['BENCH_SECONDS'] ?? 0);
const asked = Number(process.env['BENCH_ROUNDS'] ?? 0);

export const isShortened = shortened > 0;

/** Of a round that usually takes so long. */
export const seconds = (usual: number): number =>
  isShortened ? Math.min(usual, shortened) : usual;

/** Where there are usually so many. */
export const rounds = (usual: number): number => asked || (isShortened ? 1 : usual);

/** So much work where it is usually `usual`. */
export const amount = (usual: number, short: number): number =>
  isShortened ? Math.min(usual, short) : usual;
