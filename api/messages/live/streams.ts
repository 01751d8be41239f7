import { setTimeout as delay } from 'node:timers/promises';
import type { Budget } from '../../../infra/runtime/budgets/budget.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Caller } from '../../access/caller.ts';
import { spenderOf } from '../../access/spender.ts';
import { limits } from '../../limits.ts';

/** A stream that is open. `end` lets it say its last words. */
type Open = { end: () => void; closed: Promise<void>; destroy: () => void };

/** The streams of this process, each of them held by its caller. */
export class Streams {
  readonly #budget: Budget;
  readonly #open = new Set<Open>();
  #stopping = false;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /**
   * Opens one, after there is a place for it: who gets none has cost nothing.
   *
   * @throws DomainError `too_many`, `unavailable` where there is no place for one more; what `open` throws.
   */
  async add(caller: Caller, open: () => Promise<Open>): Promise<void> {
    if (this.#stopping) {
      throw new DomainError('unavailable', 'the process stops', limits.awayRetrySeconds);
    }
    const place = this.#budget.take(spenderOf(caller));
    try {
      const one = await open();
      this.#open.add(one);
      if (this.#stopping) one.end();
      void one.closed.finally(() => {
        this.#open.delete(one);
        place.release();
      });
    } catch (error) {
      place.release();
      throw error;
    }
  }

  /** Ends them all; who takes nothing any more is cut off. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const all = [...this.#open];
    for (const one of all) one.end();
    const ended = Promise.all(all.map((one) => one.closed));
    await Promise.race([ended, delay(limits.streamStopMsMax, undefined, { ref: false })]);
    for (const one of all) one.destroy();
  }
}
