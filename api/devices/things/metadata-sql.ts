import { metadataLimits } from '../../../schemas/http/common.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { ThingMetadata } from '../../../schemas/resources/thing.ts';
import type { UserCaller } from '../../access/caller.ts';
import { lockAll } from '../../access/lock.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { toEdit } from './sql.ts';

/** Uses the primary key. */
export async function findMetadata(
  db: Database,
  id: string,
): Promise<{ metadata: Record<string, unknown> } | undefined> {
  const [row] = await db.rows<{ metadata: Record<string, unknown> }>(
    'SELECT metadata FROM things WHERE id = $1',
    [id],
  );
  return row;
}

/** A thousand values take at least this many bytes as text: the values of a shorter one are not counted. */
const countedFromBytes = 3_000;

/**
 * A thing's metadata together with what is added may be no larger than what may be given at once. The constraint
 * `things_metadata_size` has the same limit in bytes, but its error does not name the thing.
 */
async function mustStaySmall(
  db: Statements,
  ids: string[],
  added: (string | null)[],
): Promise<void> {
  const { bytes, values } = metadataLimits;
  const [tooLarge] = await db.rows<{ id: string; is_long: boolean }>(
    `SELECT id, bytes > $3 AS is_long
     FROM (
       SELECT things.id, merged, octet_length(merged::text) AS bytes
       FROM unnest($1::uuid[], $2::jsonb[]) AS given (id, added)
       JOIN things USING (id)
       CROSS JOIN LATERAL (SELECT things.metadata || given.added AS merged) AS made
     ) AS sized
     WHERE bytes > $3
        OR CASE WHEN bytes >= $4
             THEN (SELECT count(*) - 1 FROM jsonb_path_query(merged, 'strict $.**')) > $5
             ELSE false END
     LIMIT 1`,
    [ids, added, bytes + bytes / 8, countedFromBytes, values],
  );
  if (tooLarge === undefined) return;
  const { id, is_long: isLong } = tooLarge;
  const what = isLong ? `is larger than ${bytes / 1024} KiB` : `holds more than ${values} values`;
  throw new DomainError('malformed', `metadata of ${id} ${what}`);
}

/**
 * Merges metadata into things, all or none. Uses the primary keys.
 *
 * @throws DomainError `not_found` or `forbidden` as `lockAll`; `malformed` if a thing would hold more
 * than it may.
 */
export async function mergeMetadata(
  db: Database,
  user: UserCaller,
  changes: ThingMetadata[],
): Promise<void> {
  const ids = changes.map((change) => change.id.toLowerCase());
  const added = changes.map(({ metadata }) =>
    metadata === null ? null : JSON.stringify(metadata ?? {}),
  );
  const removed = changes.map(({ remove = [] }) => JSON.stringify(remove));
  await db.transaction(async (work) => {
    await lockAll(work, user, 'thing', ids, toEdit);
    await mustStaySmall(work, ids, added);
    await work.rows(
      `UPDATE things
       SET metadata = coalesce(things.metadata || given.added, '{}')
             - ARRAY(SELECT jsonb_array_elements_text(given.removed)),
           updated_at = now()
       FROM unnest($1::uuid[], $2::jsonb[], $3::jsonb[]) AS given (id, added, removed)
       WHERE things.id = given.id`,
      [ids, added, removed],
    );
  });
}
