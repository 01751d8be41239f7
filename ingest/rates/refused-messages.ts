import type { Logger } from '../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../infra/runtime/process/poll.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { addRefused, type RefusedOfThing } from './refused-sql.ts';

type RefusedLimits = { refusedEveryMs: number; refusedThingsMax: number; reasonCharsMax: number };

/**
 * Messages that were refused, and whose senders can't be told: they stand in PostgreSQL, and so on the page of each
 * thing. While PostgreSQL is away, the counts are kept.
 */
export class RefusedMessages {
  readonly #limits: RefusedLimits;
  #things = new Map<string, RefusedOfThing>();

  constructor(limits: RefusedLimits) {
    this.#limits = limits;
  }

  note(id: string, reason: string, lastAtMs = Date.now(), messages = 1): void {
    const short = reason.slice(0, this.#limits.reasonCharsMax);
    const known = this.#things.get(id);
    if (known !== undefined) {
      known.messages += messages;
      known.lastAtMs = lastAtMs;
      known.reason = short;
    } else if (this.#things.size < this.#limits.refusedThingsMax) {
      this.#things.set(id, { id, messages, lastAtMs, reason: short });
    }
  }

  /** Writes them now and then; the result stops that, and writes the rest. */
  start(pool: Pool, logger: Logger): () => Promise<void> {
    const write = async (): Promise<Polled> => {
      const taken = this.#things;
      if (taken.size === 0) return 'nothing';
      this.#things = new Map();
      try {
        await addRefused(pool, [...taken.values()]);
      } catch (error) {
        for (const one of taken.values()) this.note(one.id, one.reason, one.lastAtMs, one.messages);
        throw error;
      }
      return 'some';
    };
    const onFailure = (error: unknown) =>
      logger.warn({ error }, 'refused messages are not shown yet');
    const stop = startPolling(write, { everyMs: this.#limits.refusedEveryMs, onFailure });
    return async () => {
      await stop();
      await write().catch(onFailure);
    };
  }
}
