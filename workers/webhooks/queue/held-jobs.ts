import { limits } from '../../limits.ts';

/** The deliveries in a job, and the size of its bundle. */
type JobSize = { deliveries: number; bytes: number };

/** Limits the jobs that this process holds: their deliveries, and the memory for their bundles. */
export class HeldJobs {
  readonly #waiting: { deliveries: number; enter: () => void }[] = [];
  #deliveries = 0;
  #bytes = 0;

  /** Whether jobs wait here until others leave. */
  get isWaitedFor(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Waits, in the order of asking, until there is room for the deliveries of a job; returns how it leaves. Undefined:
   * there is no memory for its bundle now. A job that is larger than all the room, or all the memory, is held alone.
   */
  async tryHold({ deliveries, bytes }: JobSize): Promise<(() => void) | undefined> {
    if (this.#bytes > 0 && this.#bytes + bytes > limits.heldBytesMax) return undefined;
    this.#bytes += bytes;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ deliveries, enter: resolve });
    this.#letIn();
    await promise;
    return () => {
      this.#deliveries -= deliveries;
      this.#bytes -= bytes;
      this.#letIn();
    };
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const isFull = this.#deliveries + next.deliveries > limits.heldDeliveriesMax;
      if (this.#deliveries > 0 && isFull) return;
      this.#waiting.shift();
      this.#deliveries += next.deliveries;
      next.enter();
    }
  }
}
