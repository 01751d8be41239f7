/** How long to wait before the next attempt: twice as long each time, up to a bound, with jitter. */
export class Backoff {
  readonly #msMin: number;
  readonly #msMax: number;
  #ms: number;

  constructor(msMin: number, msMax: number) {
    this.#msMin = msMin;
    this.#msMax = msMax;
    this.#ms = msMin;
  }

  /** `isLonger`: whether the wait after this one is longer. */
  next(isLonger = true): number {
    const ms = this.#ms * (0.5 + Math.random());
    if (isLonger) this.#ms = Math.min(this.#ms * 2, this.#msMax);
    return ms;
  }

  reset(): void {
    this.#ms = this.#msMin;
  }
}
