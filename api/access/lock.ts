import { DomainError } from '../../schemas/http/errors.ts';
import { includesRole, type Role } from '../../schemas/roles.ts';
import type { Statements } from '../stores/database.ts';
import { lacks } from './authorize.ts';
import type { UserCaller } from './caller.ts';

/** The table of each kind of entity, and the column that names its group. */
const tables = {
  group: { table: 'groups', groupColumn: 'id' },
  profile: { table: 'profiles', groupColumn: 'group_id' },
  thing: { table: 'things', groupColumn: 'group_id' },
} as const;

/** The lock for what is going to be done: a change does not block rows that refer to the entity. */
const strengths = { change: 'FOR NO KEY UPDATE', delete: 'FOR UPDATE' } as const;

/**
 * Locks entities until the transaction ends, after a check that the user has at least the role at each of them;
 * gives their ids, each once. Uses the primary keys of their table and of memberships.
 *
 * @throws DomainError `not_found` if one is absent, `forbidden` if the role does not do.
 */
export async function lockAll(
  db: Statements,
  user: UserCaller,
  kind: keyof typeof tables,
  given: readonly string[],
  { needed, to }: { needed: Role; to: keyof typeof strengths },
): Promise<string[]> {
  const { table, groupColumn } = tables[kind];
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  // In the order of their ids, so that two requests for the same ones do not deadlock.
  const held = await db.rows(
    `SELECT id FROM ${table} WHERE id = ANY ($1::uuid[]) ORDER BY id ${strengths[to]}`,
    [ids],
  );
  if (held.length < ids.length) throw new DomainError('not_found', kind);
  if (user.platformAdmin) return ids;
  // Asked only now: until it was held, one may have been moved.
  const rows = await db.rows<{ role: Role | null }>(
    `SELECT member.role
     FROM ${table} AS entity
     LEFT JOIN group_memberships AS member
       ON member.group_id = entity.${groupColumn} AND member.member_id = $2
     WHERE entity.id = ANY ($1::uuid[])`,
    [ids, user.id],
  );
  const may = rows.every(({ role }) => role !== null && includesRole(role, needed));
  if (!may) throw lacks(needed, kind);
  return ids;
}
