import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import { parseSnapshot, type Snapshot } from './snapshot.ts';

/** `lookup`: of a key or a certificate, or the id of a profile, a group or an org that keys depend on. */
type KeyChange = { lookup: string; xid: bigint };

/** A place in the journal. After it stands what later transactions wrote, and what this one wrote later. */
export type JournalPlace = { position: string; id: string };

/** A page of the journal; `end`: where it ends, if there may be more after it. */
export type JournalPage = {
  snapshot: Snapshot;
  changes: KeyChange[];
  end: JournalPlace | undefined;
};

/** A transaction may create or delete many things: its changes are read in parts. */
const changesPerPage = 20_000;

/**
 * The entries of the key journal after `after` that `since` did not see: written by triggers on things,
 * profiles, certificates and webhooks. What was in progress in `since` is seen once it has committed; what the
 * answer's `snapshot` sees is in the pages from its own to the last. Uses `key_changes_in_order`.
 */
export async function loadKeyChanges(
  pool: Pool,
  since: Snapshot,
  after: JournalPlace = { position: String(since.xmin), id: '0' },
): Promise<JournalPage> {
  const { rows } = await pool.query<{
    snapshot: string;
    lookup: string | null;
    position: string | null;
    id: string | null;
  }>({
    name: 'load-key-changes',
    text: `
      SELECT pg_current_snapshot()::text AS snapshot,
             encode(change.lookup, 'hex') AS lookup, change.position::text AS position, change.id
      FROM (VALUES (1)) AS one
      LEFT JOIN LATERAL (
        SELECT position, id, lookup FROM key_changes
        WHERE (position, id) > ($2::xid8, $3::bigint)
          AND NOT pg_visible_in_snapshot(position, $1::pg_snapshot)
        ORDER BY position, id LIMIT $4
      ) AS change ON true`,
    values: [since.text, after.position, after.id, changesPerPage],
  });
  const [first] = rows;
  if (first === undefined) throw new Error('the journal gave no answer');
  const changes: KeyChange[] = [];
  let end: JournalPlace | undefined;
  for (const { lookup, position, id } of rows) {
    if (lookup === null || position === null || id === null) continue;
    changes.push({ lookup, xid: BigInt(position) });
    end = { position, id };
  }
  return {
    snapshot: parseSnapshot(first.snapshot),
    changes,
    end: changes.length < changesPerPage ? undefined : end,
  };
}
