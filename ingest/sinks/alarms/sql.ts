import type { Rows } from '../../../infra/runtime/stores/postgres.ts';

/** Those of these things that are gone. Uses the primary key. */
export async function findGoneThings(rows: Rows, thingIds: readonly string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id)
     WHERE NOT EXISTS (SELECT FROM things WHERE things.id = asked.id)`,
    [thingIds],
  );
  return found.map(({ id }) => id);
}
