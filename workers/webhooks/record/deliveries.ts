import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import { type BundleKey, webhookBundleId } from '../../../schemas/internal/webhook-job.ts';
import { deleteJobs } from './jobs-sql.ts';
import { rowsAtOnceMax, rowsEveryMs, rowsWaitingMax, targetsMax } from '../limits.ts';
import {
  type DeliveryRow,
  insertDeliveries,
  noteFailing,
  noteTried,
  noteWell,
  settleBundles,
} from './sql.ts';
import type { Target } from '../call/targets.ts';

/** Writes down what became of each try, and since when a webhook fails. */
export type Deliveries = {
  /** Whether who has more should wait for `room`. */
  isFull(): boolean;
  /** Settles when there is room for more, or it is to stop. */
  room(signal: AbortSignal): Promise<void>;
  note(row: DeliveryRow, target: Target, well: boolean): void;
  /**
   * Writes down that a job is over, before the queue forgets it. Whether that could be done before the stop.
   */
  noteEnded(job: EndedJob): Promise<boolean>;
  /** Who waits for that waits no longer. */
  leaveEnded(): void;
  /** Writes what is left, and stops. */
  close(): Promise<void>;
};

/** `isBundle`: it was the one that its bundle came in. */
export type EndedJob = { id: string; bundle: BundleKey; isBundle: boolean };

/** What a webhook's own row is to be told: that it was delivered to, and since when it fails (again). */
type Turn = { well: boolean; failingSince: Date | undefined };

const retryMs = 500;
/** At a stop, Postgres has this often to be there. */
const lastTriesMax = 2;

/** Rows go in batches; while Postgres is away they wait, and so does who has more of them. */
export function startDeliveries(pool: Pool, log: Logger): Deliveries {
  let waiting: DeliveryRow[] = [];
  let turns = new Map<string, Turn>();
  let ended: (EndedJob & { say: (isWritten: boolean) => void })[] = [];
  /** Webhooks whose rows we made say that they fail; what was read of them may be older. */
  const noted = new LRUCache<string, true>({ max: targetsMax });
  const stopping = new AbortController();
  let woken = Promise.withResolvers<void>();

  /** A success that changes nothing is told to nobody. */
  function noteTurn(id: string, wasFailing: boolean, well: boolean, at: Date): void {
    const turn = turns.get(id);
    const fails =
      turn === undefined ? wasFailing || noted.has(id) : turn.failingSince !== undefined;
    if (fails !== well) return;
    turns.set(id, {
      well: well || turn?.well === true,
      failingSince: well ? undefined : at,
    });
  }

  /** What is lost here is noted with the next try. */
  async function writeTurns(): Promise<void> {
    const writing = [...turns];
    turns = new Map();
    const well = writing.filter(([, turn]) => turn.well).map(([id]) => id);
    const failing = writing.flatMap(([webhookId, { failingSince }]) => {
      return failingSince === undefined ? [] : [{ webhookId, at: failingSince }];
    });
    for (const id of well) noted.delete(id);
    if (well.length > 0) await noteWell(pool, well);
    if (failing.length > 0) await noteFailing(pool, failing);
    for (const { webhookId } of failing) noted.set(webhookId, true);
  }

  /** Not in one transaction: of two who end the last jobs of a bundle, one must see that they did. */
  async function writeEnded(): Promise<void> {
    // What ends meanwhile is written next.
    const writing = [...ended];
    const own = writing.filter(({ isBundle }) => !isBundle);
    if (own.length > 0) {
      await deleteJobs(
        pool,
        own.map(({ id }) => id),
      );
    }
    const tried = writing.filter(({ isBundle }) => isBundle).map(({ bundle }) => bundle);
    const settled = tried.length === 0 ? new Set<string>() : await noteTried(pool, tried);
    const bundles = new Map(writing.map(({ bundle }) => [webhookBundleId(bundle), bundle]));
    for (const id of settled) bundles.delete(id);
    if (bundles.size > 0) await settleBundles(pool, [...bundles.values()]);
    ended = ended.slice(writing.length);
    for (const { say } of writing) say(true);
  }

  async function loop(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted || waiting.length + ended.length > 0) {
      const batch = waiting.slice(0, rowsAtOnceMax);
      try {
        if (batch.length > 0) await insertDeliveries(pool, batch);
        waiting = waiting.slice(batch.length);
        if (turns.size > 0) await writeTurns();
        if (ended.length > 0) await writeEnded();
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ error }, 'what became of webhook tries is not written yet');
        failures += 1;
      }
      if (stopping.signal.aborted && failures >= lastTriesMax) {
        log.error({ rows: waiting.length }, 'rows of webhook tries were lost at the stop');
        return;
      }
      if (failures > 0) await delay(retryMs);
      else if (waiting.length + turns.size + ended.length === 0 && !stopping.signal.aborted) {
        woken = Promise.withResolvers<void>();
        await woken.promise;
      } else if (waiting.length < rowsAtOnceMax) {
        await delay(rowsEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  const closed = loop();
  let isLeft = false;
  const isFull = () => waiting.length >= rowsWaitingMax;
  return {
    isFull,
    async room(signal) {
      while (isFull() && !signal.aborted) await delay(rowsEveryMs);
    },
    note(row, target, well) {
      waiting.push(row);
      woken.resolve();
      noteTurn(row.webhookId, target.failingSince !== null, well, new Date(row.triedAtMs));
    },
    noteEnded(job) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      ended.push({ ...job, say: resolve });
      woken.resolve();
      if (isLeft) resolve(false);
      return promise;
    },
    leaveEnded() {
      isLeft = true;
      for (const { say } of ended) say(false);
    },
    close() {
      stopping.abort();
      woken.resolve();
      return closed;
    },
  };
}
