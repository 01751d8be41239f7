/** Upper bounds of the buckets, in milliseconds; what took longer is in one more. */
export const boundsMs = [
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
] as const;

const sumCell = boundsMs.length + 1;

/** The size of each, in 64-bit cells. */
export const latencyCells = sumCell + 1;

/** A histogram of durations with fixed buckets: one more value allocates nothing. */
export class Latencies {
  readonly #cells: Float64Array;

  /** The cells may be memory that another thread reads. */
  constructor(cells: Float64Array = new Float64Array(latencyCells)) {
    this.#cells = cells;
  }

  observe(ms: number): void {
    const cells = this.#cells;
    let at = 0;
    for (const bound of boundsMs) {
      if (ms <= bound) break;
      at += 1;
    }
    cells[at] = (cells[at] ?? 0) + 1;
    cells[sumCell] = (cells[sumCell] ?? 0) + ms;
  }

  /** How many took no longer than each bound, and at the end how many there were. */
  cumulative(): number[] {
    let sum = 0;
    return [...this.#cells.subarray(0, sumCell)].map((count) => (sum += count));
  }

  sumMs(): number {
    return this.#cells[sumCell] ?? 0;
  }
}
