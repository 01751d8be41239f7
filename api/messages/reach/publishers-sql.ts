import type { ClickHouseSettings } from '@clickhouse/client';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { publishersTable } from '../../../schemas/messages/tables.ts';
import type { Database } from '../../stores/database.ts';
import { withStoreErrors } from '../store/errors.ts';

/** How long the servers of a cluster may take for a change. */
const quorumMsMax = 5_000;

/** A thing came into a group, or left it (`gone`). A version is an integer of 64 bits, as text. */
type PublisherChange = {
  version: string;
  group_id: string;
  thing_id: string;
  gone: boolean;
};

/** The oldest changes of each of these groups. Uses `publisher_changes_group`. */
export async function findChanges(
  db: Database,
  groups: readonly string[],
  perGroupMax: number,
): Promise<PublisherChange[]> {
  return db.rows(
    `SELECT change.version::text, change.group_id, change.thing_id, change.gone
     FROM unnest($1::uuid[]) AS wanted (group_id)
     CROSS JOIN LATERAL (
       SELECT version, group_id, thing_id, gone FROM publisher_changes
       WHERE publisher_changes.group_id = wanted.group_id
       ORDER BY version LIMIT $2
     ) AS change`,
    [groups, perGroupMax],
  );
}

/** Uses the primary key. */
export async function forgetChanges(
  db: Database,
  changes: readonly PublisherChange[],
): Promise<void> {
  await db.rows('DELETE FROM publisher_changes WHERE version = ANY ($1::bigint[])', [
    changes.map(({ version }) => version),
  ]);
}

/** The groups of the oldest changes. Uses the primary key. */
export async function findChangedGroups(db: Database, changesMax: number): Promise<string[]> {
  const rows = await db.rows<{ group_id: string }>(
    `SELECT DISTINCT group_id
     FROM (SELECT group_id FROM publisher_changes ORDER BY version LIMIT $1) AS oldest`,
    [changesMax],
  );
  return rows.map((row) => row.group_id);
}

export async function insertPublishers(
  clickhouse: ClickHouseClient,
  changes: readonly PublisherChange[],
): Promise<void> {
  await withStoreErrors(async () =>
    clickhouse.insert({
      table: publishersTable,
      clickhouse_settings: await onEveryServer(clickhouse),
      columns: ['group_id', 'publisher', 'version', 'gone'],
      values: changes.map(({ group_id, thing_id, version, gone }) => ({
        group_id,
        publisher: thing_id,
        version,
        gone: gone ? 1 : 0,
      })),
      format: 'JSONEachRow',
    }),
  );
}

/**
 * The number of things whose ids begin with this digit, and a hash of them with their groups. If both databases
 * have the same sum, they have the same things. Uses the primary key.
 */
export async function sumOfThings(db: Database, digit: string): Promise<string> {
  const [row] = await db.rows<{ sum: string }>(
    `SELECT count(*) || ' ' || coalesce(bit_xor(
       ('x' || left(md5(id::text || group_id::text), 16))::bit(64)::bigint), 0) AS sum
     FROM things WHERE id BETWEEN $1 AND $2`,
    rangeOf(digit),
  );
  return row?.sum ?? '';
}

/** See `sumOfThings`. */
export async function sumOfPublishers(
  clickhouse: ClickHouseClient,
  digit: string,
): Promise<string> {
  return text(
    clickhouse,
    `SELECT concat(toString(count()), ' ', toString(groupBitXor(reinterpretAsInt64(reverse(
       substring(MD5(concat(toString(publisher), toString(group_id))), 1, 8))))))
     FROM ${publishersTable} FINAL WHERE startsWith(toString(publisher), {digit:String})`,
    { digit },
  );
}

/** The newest version that ClickHouse has; 0 if it has none. */
export async function newestVersion(clickhouse: ClickHouseClient): Promise<string> {
  return text(clickhouse, `SELECT toString(max(version)) FROM ${publishersTable}`, {});
}

/** Draws a version from the sequence, newer than this one. */
export async function drawVersion(db: Database, newerThan: string): Promise<string> {
  const [row] = await db.rows<{ version: string }>(
    // The sequence is only moved forward: otherwise another process could draw the same version.
    `WITH drawn AS MATERIALIZED (SELECT nextval('publisher_changes_version_seq') AS version)
     SELECT (CASE WHEN version > $1::bigint THEN version
                  ELSE setval('publisher_changes_version_seq', $1::bigint + 1) END)::text AS version
     FROM drawn`,
    [newerThan],
  );
  if (row === undefined) throw new Error('no version was drawn');
  return row.version;
}

/** Notes a change of all things whose ids begin with this digit. */
export async function markAllChanged(db: Database, digit: string): Promise<void> {
  await db.rows(
    `INSERT INTO publisher_changes (group_id, thing_id, gone)
     SELECT group_id, id, false FROM things WHERE id BETWEEN $1 AND $2`,
    rangeOf(digit),
  );
}

/** Marks all publishers of ClickHouse whose ids begin with this digit as gone, as of this version. */
export async function markAllGone(
  clickhouse: ClickHouseClient,
  digit: string,
  version: string,
): Promise<void> {
  await withStoreErrors(async () =>
    clickhouse.command({
      clickhouse_settings: await onEveryServer(clickhouse),
      query: `INSERT INTO ${publishersTable} (group_id, publisher, version, gone)
              SELECT group_id, publisher, {version:UInt64}, 1 FROM ${publishersTable} FINAL
              WHERE startsWith(toString(publisher), {digit:String})`,
      query_params: { digit, version },
    }),
  );
}

/**
 * On a cluster an insert is done when every server has it: any of them may be asked next who may read what. So no
 * change counts while a server is away.
 */
async function onEveryServer(clickhouse: ClickHouseClient): Promise<ClickHouseSettings> {
  if (clickhouse.cluster === undefined) return {};
  const servers = await text(
    clickhouse,
    'SELECT count() FROM system.clusters WHERE cluster = {cluster:String}',
    { cluster: clickhouse.cluster.name },
  );
  return { insert_quorum: servers, insert_quorum_timeout: quorumMsMax };
}

/** The first and the last id that begin with a digit. */
function rangeOf(digit: string): [string, string] {
  const filled = (rest: string) =>
    `${digit}0000000-0000-0000-0000-000000000000`.replace(/(?<=.)0/g, rest);
  return [filled('0'), filled('f')];
}

async function text(
  clickhouse: ClickHouseClient,
  query: string,
  values: Record<string, string>,
): Promise<string> {
  const result = await withStoreErrors(() =>
    clickhouse.query({ query, query_params: values, format: 'TabSeparatedRaw' }),
  );
  return (await withStoreErrors(() => result.text())).trimEnd();
}
