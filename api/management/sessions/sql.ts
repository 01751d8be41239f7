import type { Session, sessionOrders } from '../../../schemas/resources/user.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type SessionRow = {
  id: string;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
  address: string;
  user_agent: string;
};

const columns = `sessions.id, sessions.created_at, sessions.last_used_at, sessions.expires_at,
  sessions.address, sessions.user_agent`;
const from = 'sessions JOIN users ON users.id = sessions.user_id';
/** As `findUserBySession` has it. */
const isOpen = `sessions.revoked_at IS NULL AND sessions.expires_at > now()
  AND sessions.token_generation = users.token_generation`;

const orders: Readonly<Record<(typeof sessionOrders)[number], string>> = {
  id: 'sessions.id',
  created_at: 'sessions.created_at',
  last_used_at: 'sessions.last_used_at',
};

/** The user's sessions that have not ended. Uses `sessions_user`. */
export async function findSessions(
  db: Database,
  user: UserCaller,
  query: ListQuery,
): Promise<ListPage<Session>> {
  const conditions = new Conditions();
  conditions.equals('sessions.user_id', user.id);
  conditions.add(isOpen);
  const list = { columns, from, conditions, orders, id: 'sessions.id' };
  const { total, rows } = await findPage<SessionRow>(db, list, query);
  return { total, rows: rows.map((row) => toSession(row, user)) };
}

/** Ends one of the user's sessions. Whether it was open. Uses the primary key. */
export async function endSession(db: Database, user: UserCaller, id: string): Promise<boolean> {
  const rows = await db.change(
    `WITH ended AS (
       UPDATE sessions SET revoked_at = now()
       FROM users
       WHERE sessions.id = $1 AND users.id = $2 AND users.id = sessions.user_id AND ${isOpen}
       RETURNING sessions.id
     )
     SELECT audit_session_end(id, $3) FROM ended`,
    [id, user.id, user.email],
  );
  return rows.length > 0;
}

/** Ends all sessions and tokens of the user: those of another generation are no longer any. Uses the primary key. */
export async function endAllSessions(db: Database, user: UserCaller): Promise<void> {
  await db.change(
    `WITH ended AS (
       UPDATE users SET token_generation = token_generation + 1 WHERE id = $1 RETURNING id
     )
     SELECT audit_session_end(id, $2) FROM ended`,
    [user.id, user.email],
  );
}

function toSession(row: SessionRow, user: UserCaller): Session {
  const { id, address, user_agent } = row;
  return {
    id,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    address,
    user_agent,
    current: id === user.sessionId,
  };
}
