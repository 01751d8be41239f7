/**
 * The duration of a load round, and how many rounds there are. `BENCH_SECONDS` makes each round that long and each
 * scenario one round (or `BENCH_ROUNDS`): a smoke run, to see that it works. Its figures say little.
 */
const smokeSeconds = Number(process.env['BENCH_SECONDS'] ?? 0);
const roundsGiven = Number(process.env['BENCH_ROUNDS'] ?? 0);

export const isSmoke = smokeSeconds > 0;

/** The duration of a round that usually takes `usual` seconds. */
export const seconds = (usual: number): number => (isSmoke ? Math.min(usual, smokeSeconds) : usual);

/** How many rounds, where there are usually `usual`. */
export const rounds = (usual: number): number => roundsGiven || (isSmoke ? 1 : usual);

/** The amount of work, where it is usually `usual`; a smoke run does `smoke` at most. */
export const amount = (usual: number, smoke: number): number =>
  isSmoke ? Math.min(usual, smoke) : usual;
