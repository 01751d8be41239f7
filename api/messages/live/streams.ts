import { setTimeout as delay } from 'node:timers/promises';
import type { Budget } from '../../budgets/budget.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { type Caller, spenderOf } from '../../access/caller.ts';
import type { OpenStream } from '../../http/connections/event-stream.ts';
import { limits } from '../../limits.ts';

/** The streams of this process. Each counts against its caller's share. */
export class Streams {
  readonly #budget: Budget;
  readonly #open = new Set<OpenStream>();
  #stopping = false;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /**
   * Opens a stream once there is room for it: a refusal costs nothing.
   *
   * @throws DomainError `too_many`, `unavailable` if there is no room for one more; what `open` throws.
   */
  async add(caller: Caller, open: () => Promise<OpenStream>): Promise<void> {
    if (this.#stopping) {
      throw new DomainError('unavailable', 'the process stops', limits.awayRetrySeconds);
    }
    const lease = this.#budget.take(spenderOf(caller));
    try {
      const one = await open();
      this.#open.add(one);
      if (this.#stopping) one.end();
      void one.closed.finally(() => {
        this.#open.delete(one);
        lease.release();
      });
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  /** Ends all streams; a client that does not read the end is cut off. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const all = [...this.#open];
    for (const one of all) one.end();
    const ended = Promise.all(all.map((one) => one.closed));
    await Promise.race([ended, delay(limits.streamStopMsMax, undefined, { ref: false })]);
    for (const one of all) one.destroy();
  }
}
