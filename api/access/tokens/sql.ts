import type { Database } from '../../stores/database.ts';

export type Credentials = {
  id: string;
  passwordHash: string;
  tokenGeneration: number;
};

/** Whom an e-mail names: an account, or nobody, by a name of its own however it is spelled. */
type Named = { account: Credentials | undefined; name: string };

/** Uses `users_email`. */
export async function findCredentials(db: Database, email: string): Promise<Named> {
  const [row] = await db.rows<{
    name: string;
    id: string | null;
    password_hash: string;
    token_generation: number;
  }>(
    `SELECT asked.name, id, password_hash, token_generation
     FROM (SELECT email_name($1) AS name) AS asked
     LEFT JOIN users ON email_name(users.email) = asked.name`,
    [email],
  );
  if (row === undefined || row.id === null) return { account: undefined, name: row?.name ?? email };
  const { id, password_hash: passwordHash, token_generation: tokenGeneration } = row;
  return { account: { id, passwordHash, tokenGeneration }, name: id };
}

/** Tells the audit log; without an account it is of an e-mail that nobody has. Uses `audit_entries_failed_logins`. */
export async function noteFailedLogin(db: Database, userId: string | undefined): Promise<void> {
  await db.change('SELECT audit_failed_login($1)', [userId ?? null]);
}
