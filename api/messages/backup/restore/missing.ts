import type { ClickHouseClient } from '../../../../infra/runtime/stores/clickhouse.ts';
import { storedTable } from '../../../../infra/runtime/stores/cluster.ts';
import { type MessageFormat, messageTables } from '../../../../schemas/messages/tables.ts';
import { createLike, execute, select, storedColumns, syncReplicas } from '../statements.ts';

/** How many rows are compared at once, of both sides together. */
const sliceRowsMax = 1_000_000;

/** A range of days; of a single day perhaps only a range of publishers. */
type Slice = { from: number; to: number; publishers?: { first: string; last: string } };

type Tables = { loaded: string; missing: string; columns: Record<string, string> };

/**
 * Makes a table of those messages of `loaded` that the store lacks. Two messages are the same if they are equal in
 * all columns, log and batch included: of k such messages, of which j are stored, k - j are missing.
 */
export async function findMissing(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  loaded: string,
  missing: string,
): Promise<void> {
  const { cluster } = clickhouse;
  // Rows that a replica lacks only because it lags are not missing.
  for (const table of [messageTables[format].name, loaded]) {
    await syncReplicas(clickhouse, storedTable(cluster, table));
  }
  await createLike(clickhouse, missing, loaded);
  const columns = await storedColumns(clickhouse, format);
  if (!(await shareLogs(clickhouse, format, loaded))) {
    const all = Object.keys(columns).join(', ');
    await (cluster === undefined
      ? execute(clickhouse, `ALTER TABLE ${missing} ATTACH PARTITION ALL FROM ${loaded}`)
      : execute(clickhouse, `INSERT INTO ${missing} (${all}) SELECT ${all} FROM ${loaded}`));
    return;
  }
  for await (const slice of slicesOf(clickhouse, format, loaded)) {
    await addMissing(clickhouse, format, { loaded, missing, columns }, slice);
  }
}

/** A hash of all columns of a message. */
function identityOf(columns: Record<string, string>): string {
  const values = Object.entries(columns).map(([name, type]) => {
    const inner = /^Nullable\((.*)\)$/.exec(type)?.[1];
    if (inner === undefined) return name;
    return `isNull(${name}), ifNull(${name}, defaultValueOfTypeName('${inner}'))`;
  });
  return `sipHash128(${values.join(', ')})`;
}

/** Whether the store has any message of the same logs. */
async function shareLogs(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  loaded: string,
): Promise<boolean> {
  const found = await select(
    clickhouse,
    `SELECT 1 FROM ${messageTables[format].name}
     WHERE log IN (SELECT DISTINCT log FROM {loaded:Identifier}) LIMIT 1`,
    { loaded },
  );
  return found.length > 0;
}

async function addMissing(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  { loaded, missing, columns }: Tables,
  { from, to, publishers }: Slice,
): Promise<void> {
  const { name, day } = messageTables[format];
  const all = Object.keys(columns).join(', ');
  const identity = identityOf(columns);
  const within = `${day} >= {from:Int64} AND ${day} <= {to:Int64} ${
    publishers === undefined ? '' : 'AND publisher >= {first:UUID} AND publisher <= {last:UUID}'
  }`;
  await execute(
    clickhouse,
    `INSERT INTO ${missing} (${all})
     SELECT ${all} FROM
     (
       SELECT ${all}, lacking FROM
       (SELECT ${all}, ${identity} AS identity FROM {loaded:Identifier} WHERE ${within}) AS loaded
       INNER JOIN
       (
         SELECT identity, sum(side) AS lacking FROM
         (
           SELECT ${identity} AS identity, toInt64(1) AS side FROM {loaded:Identifier} WHERE ${within}
           UNION ALL
           SELECT ${identity} AS identity, toInt64(-1) AS side FROM ${name}
           WHERE ${within} AND log IN (SELECT DISTINCT log FROM {loaded:Identifier})
         )
         GROUP BY identity HAVING lacking > 0
       ) AS lacks USING (identity)
       LIMIT 1 BY identity
     )
     ARRAY JOIN range(toUInt64(lacking)) AS copy`,
    { loaded, from, to, ...publishers },
  );
}

/** Slices along the sort key, each with as many rows as may be compared at once, or with one key. */
async function* slicesOf(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  loaded: string,
): AsyncGenerator<Slice> {
  const days = await select<{ key: number; rows: number }>(
    clickhouse,
    countedBy(format, messageTables[format].day, ''),
    { loaded },
  );
  for (const { first, last, rows } of gather(days)) {
    if (rows <= sliceRowsMax) {
      yield { from: first, to: last };
      continue;
    }
    const publishers = await select<{ key: string; rows: number }>(
      clickhouse,
      countedBy(format, 'publisher', `WHERE ${messageTables[format].day} = {day:Int64}`),
      { loaded, day: first },
    );
    for (const range of gather(publishers)) {
      yield { from: first, to: last, publishers: { first: range.first, last: range.last } };
    }
  }
}

/** The number of rows of both sides for each key that the loaded messages have. */
function countedBy(format: MessageFormat, key: string, where: string): string {
  const { name } = messageTables[format];
  return `
    SELECT key, sum(rows) AS rows FROM
    (
      SELECT ${key} AS key, count() AS rows, true AS wanted
      FROM {loaded:Identifier} ${where} GROUP BY key
      UNION ALL
      SELECT ${key} AS key, count() AS rows, false AS wanted FROM ${name} ${where} GROUP BY key
    )
    GROUP BY key HAVING max(wanted) ORDER BY key`;
}

/** Puts neighbouring keys together up to the number of rows that may be compared at once. */
function gather<Key>(counted: { key: Key; rows: number }[]) {
  const ranges: { first: Key; last: Key; rows: number }[] = [];
  for (const { key, rows } of counted) {
    const open = ranges.at(-1);
    if (open === undefined || open.rows + rows > sliceRowsMax) {
      ranges.push({ first: key, last: key, rows });
    } else {
      open.last = key;
      open.rows += rows;
    }
  }
  return ranges;
}
