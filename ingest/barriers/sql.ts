import type { Pool } from '../../infra/runtime/stores/postgres.ts';

/** The newest barrier; undefined before the first one. */
export async function newestBarrier(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ drawn: string }>(
    'SELECT last_value::text AS drawn FROM log_barriers WHERE is_called',
  );
  return rows[0]?.drawn;
}

/** Notes that this log is there. Uses the primary key, as those below do. */
export async function noteLog(pool: Pool, id: string): Promise<void> {
  await pool.query(
    'INSERT INTO logs (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET seen_at = now()',
    [id],
  );
}

/** Notes that this log has passed the barrier. */
export async function notePassed(pool: Pool, id: string, barrier: string): Promise<void> {
  await pool.query(
    `INSERT INTO logs (id, settled) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET settled = greatest(logs.settled, excluded.settled), seen_at = now()`,
    [id, barrier],
  );
}

export async function forgetLog(pool: Pool, id: string): Promise<void> {
  await pool.query('DELETE FROM logs WHERE id = $1', [id]);
}

/** The logs that deletions wait for, the one whose edge was silent for longest first. */
export async function knownLogs(pool: Pool): Promise<{ id: string; seenAt: Date }[]> {
  const { rows } = await pool.query<{ id: string; seenAt: Date }>(
    'SELECT id, seen_at AS "seenAt" FROM logs ORDER BY seen_at',
  );
  return rows;
}

/** Forgets a log, unless its edge gave a sign of life a short time ago. */
export async function forgetSilentLog(
  pool: Pool,
  id: string,
  silentSecondsMin: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    'DELETE FROM logs WHERE id = $1 AND seen_at < now() - make_interval(secs => $2)',
    [id, silentSecondsMin],
  );
  return rowCount === 1;
}
