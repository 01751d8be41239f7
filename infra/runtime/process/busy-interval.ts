/** An interval that runs only while there is something to do: an idle process sleeps. */
export class BusyInterval {
  readonly #tick: () => boolean;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `tick` tells whether there is still something to do. */
  constructor(tick: () => boolean, everyMs: number) {
    this.#tick = tick;
    this.#everyMs = everyMs;
  }

  /** There is something to do. */
  start(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#tick()) this.start();
    }, this.#everyMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
