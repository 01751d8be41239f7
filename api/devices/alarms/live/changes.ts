import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../../limits.ts';
import type { Statements } from '../../../stores/database.ts';

/*
 * Each change of an alarm takes a number from a sequence, and becomes visible later, when its transaction commits: one
 * with a larger number may come first. Whoever has taken a number holds a lock on its table until then. So the sequence is
 * read, then who holds such a lock: once these have ended, all up to that number is visible that ever will be.
 */

/** The groups of which alarms changed, by numbers after `from`, up to `to`. All of these are visible. */
export type AlarmNews = { from: number; to: number; groups: ReadonlySet<string> };

/** The next news: all callers that wait at the same time share one look. */
export type AlarmWatch = { next(): Promise<AlarmNews> };

/** A number of the sequence, and the transactions that may not have shown what they numbered up to it. */
type Look = { number: number; writers: readonly string[] };

export function watchAlarms(db: Statements): AlarmWatch {
  // The looks belong to no request, whoever waits for them.
  const ofNobody = AsyncLocalStorage.snapshot();
  let next: Promise<AlarmNews> | undefined;
  let look: Look | undefined;
  let told: number | undefined;
  let lookedAt = -Infinity;

  async function find(): Promise<AlarmNews> {
    try {
      await delay(limits.alarmPollMs);
      // Long after somebody followed alarms, each stream reads for itself what it lacks.
      if (performance.now() - lookedAt > limits.streamHeartbeatMs) {
        [look, told] = [undefined, undefined];
      }
      lookedAt = performance.now();
      look = await lookOn(db, look ?? (await newLook(db, told)), limits.alarmWriterLooksMax);
      if (look.writers.length > 0) return { from: told ?? 0, to: told ?? 0, groups: new Set() };
      const to = look.number;
      const news = await newsBetween(db, told ?? to, to);
      [look, told] = [undefined, to];
      return news;
    } finally {
      next = undefined;
    }
  }

  return { next: () => (next ??= ofNobody(find)) };
}

/** A number up to which all changes are visible; but for those of a transaction that goes on for seconds. */
export async function visibleNow(db: Statements): Promise<number> {
  const look = await newLook(db, undefined);
  return (await lookOn(db, look, limits.alarmStartLooksMax)).number;
}

/** Nobody is looked for while the number stays the same. */
async function newLook(db: Statements, known: number | undefined): Promise<Look> {
  const number = await lastNumber(db);
  return { number, writers: number === known ? [] : await findWriters(db) };
}

/** Waits until the transactions have ended, for so many looks. */
async function lookOn(db: Statements, look: Look, looksMax: number): Promise<Look> {
  let { writers } = look;
  for (let n = 0; n < looksMax && writers.length > 0; n += 1) {
    await delay(limits.alarmWriterLookMs);
    const writing = new Set(await findWriters(db));
    writers = writers.filter((one) => writing.has(one));
  }
  return { ...look, writers };
}

async function lastNumber(db: Statements): Promise<number> {
  const [row] = await db.rows<{ last: string }>(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM alarm_changes',
    [],
  );
  return Number(row?.last ?? 0);
}

/** The transactions that write to tables whose changes are numbered. */
async function findWriters(db: Statements): Promise<string[]> {
  const rows = await db.rows<{ writer: string }>(
    `SELECT virtualtransaction AS writer FROM pg_locks
     WHERE locktype = 'relation' AND relation IN ('alarms'::regclass, 'alarm_states'::regclass)
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND mode = 'RowExclusiveLock' AND granted`,
    [],
  );
  return rows.map(({ writer }) => writer);
}

/** Uses `alarms_change` and `alarm_states_change`. */
async function newsBetween(db: Statements, from: number, to: number): Promise<AlarmNews> {
  if (from === to) return { from, to, groups: new Set() };
  const rows = await db.rows<{ id: string }>(
    `SELECT group_id AS id FROM alarms WHERE change > $1 AND change <= $2
     UNION
     SELECT group_id FROM alarm_states JOIN alarms ON alarms.id = alarm_id
     WHERE alarm_states.change > $1 AND alarm_states.change <= $2`,
    [from, to],
  );
  return { from, to, groups: new Set(rows.map(({ id }) => id)) };
}
