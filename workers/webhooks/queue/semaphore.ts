/** Admits in the order of asking, so that no more than `max` are inside. A count over `max` is admitted alone. */
export class Semaphore {
  readonly #max: number;
  readonly #waiting: { count: number; admit: () => void }[] = [];
  #inside = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get isWaitedFor(): boolean {
    return this.#waiting.length > 0;
  }

  enter(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, admit: resolve });
    this.#admitWaiting();
    return promise;
  }

  leave(count: number): void {
    this.#inside -= count;
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#inside > 0 && this.#inside + next.count > this.#max) return;
      this.#waiting.shift();
      this.#inside += next.count;
      next.admit();
    }
  }
}
