import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { Keys, KeyStores } from '../auth/keys.ts';
import type { Position } from '../log/format.ts';
import type { Log } from '../log/log.ts';
import type { Sinks } from '../sinks/sinks.ts';
import { forgetLog, newestBarrier, noteLog, notePassed } from './sql.ts';

type BarrierOptions = {
  pool: Pool;
  logId: string;
  /** Reads the changes of keys up to now. */
  readKeyChanges: () => Promise<void>;
  /** Resolves once everything appended so far is on the disk; gives where it ends. */
  flushed: () => Promise<Position>;
  /** Whether notices of barriers come. */
  areNoticesOn: () => boolean;
  /** Whether it is stored up to here, and the cursors on the disk have it. */
  isStored: (end: Position) => boolean;
  logger: Logger;
};

/** How often it looks for a barrier without a notice: while notices come, and while they don't. */
const pollMs = 1_000;
const unnoticedPollMs = 200;
const storedPollMs = 10;
const storedMsMax = 5_000;
/** Much less than the silence after which a deletion ignores a log. */
const signOfLifeMs = 60_000;
/** How long a stop waits until the sinks have written their cursors. */
const stopMsMax = 500;

/**
 * A deletion draws a barrier and waits until every log has passed it: until what was acknowledged before is stored
 * (see infra/runtime/stores/log-barrier.ts). This class notes in Postgres that the log is there, and each barrier that
 * it has passed.
 */
class Barriers {
  readonly #options: BarrierOptions;
  readonly #stopping = new AbortController();
  #passed = '0';
  #seenAt = Number.NEGATIVE_INFINITY;
  #woken = Promise.withResolvers<void>();
  #isAway = false;
  #ended = Promise.resolve();

  private constructor(options: BarrierOptions) {
    this.#options = options;
  }

  /** Looks once before it resolves, so that no deletion misses the log of an edge that takes messages. */
  static async start(options: BarrierOptions): Promise<Barriers> {
    const barriers = new Barriers(options);
    await barriers.#tryLook();
    barriers.#ended = barriers.#watch();
    return barriers;
  }

  /** Looks at once for a barrier that was drawn. */
  look(): void {
    this.#woken.resolve();
  }

  /** Deletes the log's row if the log is empty, so that deletions need not wait for it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.look();
    await this.#ended;
    const { flushed, isStored, pool, logId } = this.#options;
    const end = await flushed();
    const giveUpAt = performance.now() + stopMsMax;
    while (!isStored(end)) {
      if (performance.now() > giveUpAt) return;
      await delay(storedPollMs);
    }
    await forgetLog(pool, logId);
  }

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#pause();
      this.#woken = Promise.withResolvers<void>();
      await this.#tryLook();
    }
  }

  async #pause(): Promise<void> {
    const ms = this.#options.areNoticesOn() && !this.#isAway ? pollMs : unnoticedPollMs;
    const over = new AbortController();
    const pause = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([this.#woken.promise, pause]);
    over.abort();
  }

  async #tryLook(): Promise<void> {
    try {
      await this.#lookOnce();
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) {
        this.#options.logger.warn({ error }, 'the barriers of deletions can not be read');
      }
      this.#isAway = true;
    }
  }

  async #lookOnce(): Promise<void> {
    const { pool, logId, readKeyChanges, flushed } = this.#options;
    if (performance.now() - this.#seenAt > signOfLifeMs) {
      await noteLog(pool, logId);
      this.#seenAt = performance.now();
    }
    const newest = await newestBarrier(pool);
    if (newest === undefined || newest === this.#passed) return;
    // After this, no message is taken with a key that was removed before the barrier was drawn.
    await readKeyChanges();
    const end = await flushed();
    if (!(await this.#storedTo(end))) return;
    await notePassed(pool, logId, newest);
    this.#passed = newest;
  }

  async #storedTo(end: Position): Promise<boolean> {
    const giveUpAt = performance.now() + storedMsMax;
    while (!this.#stopping.signal.aborted) {
      if (this.#options.isStored(end)) return true;
      if (performance.now() > giveUpAt) return false;
      await delay(storedPollMs);
    }
    return false;
  }
}

/** The barriers of this log. A notice of changed keys may come from a deletion, which waits for it. */
export async function openBarriers(
  { journalPool, notices }: KeyStores,
  { journal }: Keys,
  log: Log,
  sinks: Sinks,
  logger: Logger,
): Promise<Barriers> {
  const barriers = await Barriers.start({
    pool: journalPool,
    logId: log.id,
    readKeyChanges: () => journal.catchUp(),
    areNoticesOn: notices.areOn,
    flushed: () => log.flushed(),
    isStored(end) {
      log.positions.awaitSaved(end);
      return sinks.hasSaved(end);
    },
    logger,
  });
  notices.onNotice(() => barriers.look());
  return barriers;
}
