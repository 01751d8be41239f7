import { limits } from '../../limits.ts';
import { Semaphore } from './semaphore.ts';

/** The deliveries in a job, and the size of its bundle. */
type JobSize = { deliveries: number; bytes: number };

/** Limits the jobs that this process holds: their deliveries, and the memory for their bundles. */
export class Intake {
  readonly #held = new Semaphore(limits.heldDeliveriesMax);
  #heldBytes = 0;

  /** Whether jobs wait here until others leave. */
  get isWaitedFor(): boolean {
    return this.#held.isWaitedFor;
  }

  /**
   * Waits until there is room for the deliveries of a job; returns how it leaves. Undefined: there is no memory for
   * its bundle now. A job that is larger than all the memory is held alone.
   */
  async tryHold({ deliveries, bytes }: JobSize): Promise<(() => void) | undefined> {
    if (this.#heldBytes > 0 && this.#heldBytes + bytes > limits.heldBytesMax) return undefined;
    this.#heldBytes += bytes;
    await this.#held.enter(deliveries);
    return () => {
      this.#held.leave(deliveries);
      this.#heldBytes -= bytes;
    };
  }
}
