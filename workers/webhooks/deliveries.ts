import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../infra/log.ts';
import type { Pool } from '../../infra/postgres.ts';
import type { PackKey } from '../../schemas/webhook-job.ts';
import { rowsAtOnceMax, rowsEveryMs, rowsWaitingMax, targetsMax } from './limits.ts';
import { type DeliveryRow, insertDeliveries, noteFailing, noteWell, settlePacks } from './sql.ts';
import type { Target } from './targets.ts';

/** Writes down what became of each try, and since when a webhook fails. */
export type Deliveries = {
  /** Whether who has more should wait for `room`. */
  isFull(): boolean;
  /** Settles when there is room for more, or it is to stop. */
  room(signal: AbortSignal): Promise<void>;
  note(row: DeliveryRow, target: Target, well: boolean): void;
  /** Nobody needs this pack any more, save to send it once more. */
  noteSettled(pack: PackKey): void;
  /** Writes what is left, and stops. */
  close(): Promise<void>;
};

/** What a webhook's own row is to be told: that it was delivered to, and since when it fails (again). */
type Turn = { well: boolean; failingSince: Date | undefined };

const retryMs = 500;
/** At a stop, Postgres has this often to be there. */
const lastTriesMax = 2;

/** Rows go in batches; while Postgres is away they wait, and so does who has more of them. */
export function startDeliveries(pool: Pool, log: Logger): Deliveries {
  let waiting: DeliveryRow[] = [];
  let turns = new Map<string, Turn>();
  let settled: PackKey[] = [];
  /** Webhooks whose rows we made say that they fail; what was read of them may be older. */
  const noted = new LRUCache<string, true>({ max: targetsMax });
  const stopping = new AbortController();

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

  /** One that is lost here is kept for longer than it had to be. */
  async function writeSettled(): Promise<void> {
    const writing = settled;
    settled = [];
    await settlePacks(pool, writing);
  }

  async function loop(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted || waiting.length + settled.length > 0) {
      const batch = waiting.slice(0, rowsAtOnceMax);
      try {
        if (batch.length > 0) await insertDeliveries(pool, batch);
        waiting = waiting.slice(batch.length);
        if (turns.size > 0) await writeTurns();
        if (settled.length > 0) await writeSettled();
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
      else if (waiting.length < rowsAtOnceMax) {
        await delay(rowsEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  const ended = loop();
  const isFull = () => waiting.length >= rowsWaitingMax;
  return {
    isFull,
    async room(signal) {
      while (isFull() && !signal.aborted) await delay(rowsEveryMs);
    },
    note(row, target, well) {
      waiting.push(row);
      noteTurn(row.webhookId, target.failingSince !== null, well, new Date(row.triedAtMs));
    },
    noteSettled: (pack) => void settled.push(pack),
    close() {
      stopping.abort();
      return ended;
    },
  };
}
