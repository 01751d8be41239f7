import type { Rows } from '../../../infra/runtime/stores/postgres.ts';

/** Those of these things that are gone, or are in another group by now. Uses the primary key. */
export async function findThingsElsewhere(
  rows: Rows,
  things: readonly { thingId: string; groupId: string }[],
): Promise<{ thingId: string; groupId: string }[]> {
  return rows(
    `SELECT asked.id AS "thingId", asked.group_id AS "groupId"
     FROM unnest($1::uuid[], $2::uuid[]) AS asked (id, group_id)
     WHERE NOT EXISTS (SELECT FROM things WHERE things.id = asked.id AND things.group_id = asked.group_id)`,
    [things.map(({ thingId }) => thingId), things.map(({ groupId }) => groupId)],
  );
}
