import type { Database } from '../database.ts';

/** Whether there is a platform admin. */
export async function hasPlatformAdmin(db: Database): Promise<boolean> {
  const rows = await db.rows('SELECT id FROM users WHERE platform_admin LIMIT 1', []);
  return rows.length > 0;
}

/** Makes a platform admin, unless that e-mail is someone's already (`users_email`). */
export async function insertPlatformAdmin(
  db: Database,
  user: { id: string; email: string; passwordHash: string },
): Promise<void> {
  await db.rows(
    `INSERT INTO users (id, email, password_hash, platform_admin) VALUES ($1, $2, $3, true)
     ON CONFLICT (lower(email)) DO NOTHING`,
    [user.id, user.email, user.passwordHash],
  );
}
