import type { Statements } from '../../stores/database.ts';

export type ThingInScope = { id: string; created_at: Date };

/** The things that a rule is about. */
type RuleScope = {
  groupId: string;
  profileId: string | null;
  thingIds: readonly string[] | null;
};

/**
 * How many things a rule is about, and those that were heard last. Uses `things_group` and the primary key of when they
 * were seen.
 */
export async function findInScope(
  db: Statements,
  { groupId, profileId, thingIds }: RuleScope,
  thingsMax: number,
): Promise<{ inScope: number; newest: ThingInScope[] }> {
  const rows = await db.rows<ThingInScope & { in_scope: number }>(
    `SELECT things.id, created_at, (count(*) OVER ())::int AS in_scope
     FROM things LEFT JOIN things_seen ON thing_id = things.id
     WHERE group_id = $1 AND ($2::uuid IS NULL OR profile_id = $2) AND ($3::uuid[] IS NULL OR things.id = ANY ($3))
     ORDER BY seen_at DESC NULLS LAST, things.id
     LIMIT $4`,
    [groupId, profileId, thingIds, thingsMax],
  );
  return {
    inScope: rows[0]?.in_scope ?? 0,
    newest: rows.map(({ id, created_at }) => ({ id, created_at })),
  };
}
