import type { Pool } from '../../infra/runtime/stores/postgres.ts';

/** A mail that waits to be put into the queue; what it holds is checked when it is sent. */
type WaitingMail = { id: string; message: unknown };

/** The oldest mails. Uses `mail_outbox_created`. */
export async function findWaitingMails(pool: Pool, limit: number): Promise<WaitingMail[]> {
  const { rows } = await pool.query<WaitingMail>(
    'SELECT id, message FROM mail_outbox ORDER BY created_at LIMIT $1',
    [limit],
  );
  return rows;
}

/** Uses the primary key. */
export async function deleteMails(pool: Pool, ids: string[]): Promise<void> {
  await pool.query('DELETE FROM mail_outbox WHERE id = ANY ($1::uuid[])', [ids]);
}
