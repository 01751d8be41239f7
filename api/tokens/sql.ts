import type { Database } from '../database.ts';

export type Credentials = { id: string; passwordHash: string };

/** Leans on `users_email`. */
export async function findCredentials(
  db: Database,
  email: string,
): Promise<Credentials | undefined> {
  const [row] = await db.rows<{ id: string; password_hash: string }>(
    'SELECT id, password_hash FROM users WHERE lower(email) = lower($1)',
    [email],
  );
  return row && { id: row.id, passwordHash: row.password_hash };
}
