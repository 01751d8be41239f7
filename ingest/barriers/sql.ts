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
