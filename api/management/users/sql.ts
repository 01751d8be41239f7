import type { User, UserChange, userOrders } from '../../../schemas/resources/user.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

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
     ON CONFLICT (email_name(email)) DO NOTHING`,
    [user.id, user.email, user.passwordHash],
  );
}

/** Makes a user; `conflict` if that e-mail is someone's already (`users_email`). */
export async function insertUser(
  db: Statements,
  user: {
    id: string;
    email: string;
    passwordHash: string;
    metadata: Record<string, unknown>;
  },
): Promise<void> {
  await db.rows('INSERT INTO users (id, email, password_hash, metadata) VALUES ($1, $2, $3, $4)', [
    user.id,
    user.email,
    user.passwordHash,
    JSON.stringify(user.metadata),
  ]);
}

/** Uses the primary key. */
export async function userExists(db: Statements, id: string): Promise<boolean> {
  const rows = await db.rows('SELECT id FROM users WHERE id = $1', [id]);
  return rows.length > 0;
}

/** Whether two e-mails name one account, however they are spelled. */
export async function isSameEmail(db: Statements, one: string, other: string): Promise<boolean> {
  const [row] = await db.rows<{ same: boolean }>('SELECT email_name($1) = email_name($2) AS same', [
    one,
    other,
  ]);
  return row?.same === true;
}

type UserRow = {
  id: string;
  email: string;
  metadata: Record<string, unknown> | null;
  platform_admin: boolean;
};

const columns = `id, email, nullif(metadata, '{}') AS metadata, platform_admin`;

/** The members of a user's orgs, the user bound to `member`. Uses both indexes of `org_memberships`. */
function shareOrgWith(member: string): string {
  return `
    SELECT theirs.member_id
    FROM org_memberships AS mine JOIN org_memberships AS theirs ON theirs.org_id = mine.org_id
    WHERE mine.member_id = ${member}`;
}

/** A user, and whether the viewer may see them. Uses the primary key. */
export async function findUserFor(
  db: Database,
  viewer: UserCaller,
  id: string,
): Promise<{ user: User; visible: boolean } | undefined> {
  const [row] = await db.rows<UserRow & { visible: boolean }>(
    `SELECT ${columns}, ($3 OR id = $2 OR id IN (${shareOrgWith('$2')})) AS visible
     FROM users WHERE id = $1`,
    [id, viewer.id, viewer.platformAdmin],
  );
  return row && { user: toUser(viewer, row), visible: row.visible };
}

const orders: Readonly<Record<(typeof userOrders)[number], string>> = {
  id: 'id',
  email: 'email',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

/** The viewer and the members of their orgs; everyone for the platform admin. */
export async function findUsers(
  db: Database,
  viewer: UserCaller,
  query: ListQuery,
): Promise<ListPage<User>> {
  const conditions = new Conditions();
  if (!viewer.platformAdmin) {
    const me = conditions.bind(viewer.id);
    conditions.add(`id IN (SELECT ${me}::uuid UNION ALL ${shareOrgWith(me)})`);
  }
  conditions.containsText('email', query.email);
  conditions.containsJson('metadata', metadataFilterOf(query));
  const list = { columns, from: 'users', conditions, orders, id: 'id' };
  const { total, rows } = await findPage<UserRow>(db, list, query);
  return { total, rows: rows.map((row) => toUser(viewer, row)) };
}

/** Sets what is given; `null` empties. Whether there is such a user. Uses the primary key. */
export async function updateUser(db: Database, id: string, change: UserChange): Promise<boolean> {
  const { metadata } = change;
  const rows = await db.change(
    `UPDATE users SET metadata = coalesce($2, metadata), updated_at = now()
     WHERE id = $1
     RETURNING id`,
    [id, metadata === undefined ? null : JSON.stringify(metadata ?? {})],
  );
  return rows.length > 0;
}

/**
 * Replaces the hash, and ends the user's tokens and all their sessions but this one; says whether the old hash was
 * still the user's: of two changes at once one wins. Uses the primary keys.
 */
export async function replacePasswordHash(
  db: Database,
  id: string,
  { from, to, sessionId }: { from: string; to: string; sessionId: string | undefined },
): Promise<boolean> {
  const rows = await db.change(
    `WITH changed AS (
       UPDATE users
       SET password_hash = $3, token_generation = token_generation + 1, updated_at = now()
       WHERE id = $1 AND password_hash = $2
       RETURNING id, token_generation
     ), kept AS (
       UPDATE sessions SET token_generation = changed.token_generation
       FROM changed WHERE sessions.id = $4 AND sessions.user_id = changed.id
     )
     SELECT id FROM changed`,
    [id, from, to, sessionId ?? null],
  );
  return rows.length > 0;
}

function toUser(viewer: UserCaller, { id, email, metadata, platform_admin }: UserRow): User {
  return {
    id,
    email,
    ...(metadata === null ? {} : { metadata }),
    ...(platform_admin && viewer.platformAdmin ? { platform_admin } : {}),
  };
}
