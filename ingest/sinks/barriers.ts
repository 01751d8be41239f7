import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { Position } from '../log/format.ts';

/** What a barrier asks of an edge (see infra/runtime/stores/log-barrier.ts). */
export type BarrierParts = {
  pool: Pool;
  logId: string;
  /** Takes in the changes of keys up to now. */
  readKeyChanges: () => Promise<void>;
  /** Settles once everything appended so far is on the disk; gives where it ends. */
  flushed: () => Promise<Position>;
  /** Whether every sink has stored up to here, and no crash can make it ask for that again. */
  isStored: (end: Position) => boolean;
  logger: Logger;
};

const pollMs = 200;
const storedPollMs = 10;
const signOfLifeMs = 5_000;
/** So long a stop waits for the sinks to write down how far they are. */
const stopMsMax = 500;

export type Barriers = {
  /** Looks at once for a barrier that was drawn. */
  look: () => void;
  /** Ends the watch; an edge whose log is empty takes its row with it. */
  stop: () => Promise<void>;
};

/** Makes the log known, and tells of each barrier once it is settled. */
export async function watchBarriers(parts: BarrierParts): Promise<Barriers> {
  const { pool, logId, logger } = parts;
  const stopping = new AbortController();
  let settled = '0';
  let seenAt = Number.NEGATIVE_INFINITY;
  let woken = Promise.withResolvers<void>();
  let away = false;

  async function look(): Promise<void> {
    if (performance.now() - seenAt > signOfLifeMs) {
      await noteLog(pool, logId);
      seenAt = performance.now();
    }
    const drawn = await drawnBarrier(pool);
    if (drawn === undefined || drawn === settled) return;
    // A key that was taken away before the barrier was drawn lets nothing in behind it.
    await parts.readKeyChanges();
    const end = await parts.flushed();
    if (!(await storedTo(end))) return;
    await noteSettled(pool, logId, drawn);
    settled = drawn;
  }

  async function storedTo(end: Position): Promise<boolean> {
    while (!stopping.signal.aborted) {
      if (parts.isStored(end)) return true;
      if (performance.now() - seenAt > signOfLifeMs) return false;
      await delay(storedPollMs);
    }
    return false;
  }

  async function tryLook(): Promise<void> {
    try {
      await look();
      away = false;
    } catch (error) {
      if (!away) logger.warn({ error }, 'barriers of the log can not be looked at');
      away = true;
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.race([woken.promise, delay(pollMs)]);
      woken = Promise.withResolvers<void>();
      await tryLook();
    }
  }

  // Before the first message is taken, so that no deletion misses this log.
  await tryLook();
  const ended = watch();
  return {
    look: () => woken.resolve(),
    async stop() {
      stopping.abort();
      woken.resolve();
      await ended;
      const end = await parts.flushed();
      const giveUpAt = performance.now() + stopMsMax;
      while (!parts.isStored(end)) {
        if (performance.now() > giveUpAt) return;
        await delay(storedPollMs);
      }
      await forgetLog(pool, logId);
    },
  };
}

async function drawnBarrier(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ drawn: string }>(
    'SELECT last_value::text AS drawn FROM log_barriers WHERE is_called',
  );
  return rows[0]?.drawn;
}

/** Leans on the primary key, as those below do. */
async function noteLog(pool: Pool, id: string): Promise<void> {
  await pool.query(
    'INSERT INTO logs (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET seen_at = now()',
    [id],
  );
}

async function noteSettled(pool: Pool, id: string, barrier: string): Promise<void> {
  await pool.query(
    `INSERT INTO logs (id, settled) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET settled = greatest(logs.settled, excluded.settled), seen_at = now()`,
    [id, barrier],
  );
}

async function forgetLog(pool: Pool, id: string): Promise<void> {
  await pool.query('DELETE FROM logs WHERE id = $1', [id]);
}
