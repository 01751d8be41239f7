import { randomUUID } from 'node:crypto';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import type { Credentials } from '../tokens/sql.ts';

/**
 * Opens a session of the account, of the generation that its password was checked for. Ends those of the user's open
 * ones that would be too many, the first ones first, and deletes some that ended long ago. Uses `sessions_user` and
 * `sessions_end`.
 */
export async function insertSession(
  db: Database,
  session: {
    account: Pick<Credentials, 'id' | 'tokenGeneration'>;
    valueHash: Buffer;
    seconds: number;
    address: string;
    userAgent: string;
  },
): Promise<void> {
  const { account, valueHash, seconds, address, userAgent } = session;
  await db.rows(
    `WITH older AS (
       SELECT id FROM sessions
       WHERE user_id = $2 AND revoked_at IS NULL
       ORDER BY created_at DESC OFFSET $8
     ), revoked AS (
       UPDATE sessions SET revoked_at = now() FROM older WHERE sessions.id = older.id
     ), gone AS (
       DELETE FROM sessions
       WHERE id IN (
         SELECT id FROM sessions WHERE expires_at < now() - interval '1 day'
         ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED
       )
     )
     INSERT INTO sessions (id, user_id, token_generation, value_hash, expires_at, address, user_agent)
     VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), $6, left($7, 512))`,
    [
      randomUUID(),
      account.id,
      account.tokenGeneration,
      valueHash,
      seconds,
      address,
      userAgent,
      limits.sessionsOfUserMax - 1,
    ],
  );
}

/** Ends a session by who has its value. Uses `sessions_value`. */
export async function revokeSession(db: Database, valueHash: Buffer): Promise<void> {
  await db.rows(
    'UPDATE sessions SET revoked_at = now() WHERE value_hash = $1 AND revoked_at IS NULL',
    [valueHash],
  );
}
