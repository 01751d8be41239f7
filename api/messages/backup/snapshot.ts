import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import {
  onServers,
  onShards,
  storedTable,
  tableOverShards,
} from '../../../infra/runtime/stores/cluster.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { storeErrorOf } from '../store/errors.ts';
import { type Piece, pieceBytesMax } from './format.ts';
import { execute, select, stopMerges, syncReplicas, workSettings } from './statements.ts';

/** A table as it was at one moment, and the portions in which it is read. */
export type Snapshot = {
  table: string;
  format: MessageFormat;
  columns: Record<string, string>;
  rows: number;
  portions: Portion[];
  /** The names of its parts. If they were merged meanwhile, rows would be read twice or not at all. */
  parts: string;
};

/**
 * Rows of a table by their offsets: of several small parts, or a range of one large part. Of a shard it is one server
 * that has these parts.
 */
type Portion = {
  shard: number;
  host: string;
  parts: string[];
  from: number;
  to: number;
  rows: number;
};

/** How large a portion should be, uncompressed. */
const portionBytes = 8 * 1024 * 1024;
const portionRowsMax = 1_000_000;

const compress = promisify(zstdCompress);

/**
 * Makes a copy of a table, which shares its files, and plans how to read it. On a cluster each server makes one of its
 * own part, which is not replicated.
 */
export async function takeSnapshot(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  table: string,
  columns: Record<string, string>,
): Promise<Snapshot> {
  await copyTable(clickhouse, table, messageTables[format].name);
  const parts = await listParts(clickhouse, table);
  const portions = await planPortions(clickhouse, table);
  const rows = portions.reduce((sum, portion) => sum + portion.rows, 0);
  return { table, format, columns, rows, portions, parts };
}

async function copyTable(clickhouse: ClickHouseClient, table: string, of: string): Promise<void> {
  const { cluster } = clickhouse;
  const from = storedTable(cluster, of);
  const [keys] = await select<{ partitions: string; sorting: string }>(
    clickhouse,
    `SELECT partition_key AS partitions, sorting_key AS sorting FROM system.tables
     WHERE database = currentDatabase() AND name = {from:String}`,
    { from },
  );
  if (keys === undefined) throw new Error(`there is no table ${from}`);
  await execute(
    clickhouse,
    `CREATE TABLE ${onShards(cluster, table)} AS ${from}
     ENGINE = MergeTree PARTITION BY ${keys.partitions} ORDER BY (${keys.sorting})`,
  );
  await stopMerges(clickhouse, 'MERGES', table);
  await syncReplicas(clickhouse, from);
  await execute(
    clickhouse,
    `ALTER TABLE ${onShards(cluster, table)} ATTACH PARTITION ALL FROM ${from}`,
  );
  if (cluster !== undefined) {
    await execute(clickhouse, tableOverShards(cluster, table, 'CREATE TABLE'));
  }
}

/** @throws Error if the parts are not those that the plan was made of. */
export async function mustBeUnchanged(
  clickhouse: ClickHouseClient,
  { table, parts }: Snapshot,
): Promise<void> {
  if ((await listParts(clickhouse, table)) !== parts) {
    throw new Error('the snapshot of a backup changed while it was read');
  }
}

async function listParts(clickhouse: ClickHouseClient, table: string): Promise<string> {
  const { cluster } = clickhouse;
  const [row] = await select<{ parts: string }>(
    clickhouse,
    `SELECT arrayStringConcat(arraySort(groupArray(concat(hostName(), '/', name))), ' ') AS parts
     FROM ${onServers(cluster, 'system.parts')}
     WHERE database = currentDatabase() AND table = {table:String} AND active`,
    { table: storedTable(cluster, table) },
  );
  return row?.parts ?? '';
}

async function planPortions(clickhouse: ClickHouseClient, table: string): Promise<Portion[]> {
  const { cluster } = clickhouse;
  const [size] = await select<{ bytes: number }>(
    clickhouse,
    `SELECT sum(data_uncompressed_bytes) / sum(rows) AS bytes
     FROM ${onServers(cluster, 'system.parts')}
     WHERE database = currentDatabase() AND table = {table:String} AND active`,
    { table: storedTable(cluster, table) },
  );
  const rowBytes = Math.max(1, Number(size?.bytes) || 1);
  const step = Math.min(portionRowsMax, Math.max(1, Math.floor(portionBytes / rowBytes)));
  const slices = await select<Slice>(
    clickhouse,
    `SELECT shardNum() AS shard, hostName() AS host, _part AS part,
            intDiv(_part_offset, {step:UInt64}) AS slice, count() AS rows
     FROM {table:Identifier} GROUP BY shard, host, part, slice ORDER BY shard, host, part, slice`,
    { table, step },
  );
  return gather(slices, step);
}

type Slice = { shard: number; host: string; part: string; slice: number; rows: number };

/** Puts the first slices of a server's parts together up to a portion; every other slice is a portion of its own. */
function gather(slices: Slice[], step: number): Portion[] {
  const portions: Portion[] = [];
  let small: Portion | undefined;
  for (const { shard, host, part, slice, rows } of slices) {
    const [from, to] = [slice * step, (slice + 1) * step];
    if (slice > 0) portions.push({ shard, host, parts: [part], from, to, rows });
    else if (small?.shard !== shard || small.host !== host || small.rows + rows > step) {
      small = { shard, host, parts: [part], from, to, rows };
      portions.push(small);
    } else {
      small.parts.push(part);
      small.rows += rows;
    }
  }
  return portions;
}

/** Reads a snapshot portion by portion; one that turns out too large is halved. */
export async function* readSnapshot(
  clickhouse: ClickHouseClient,
  snapshot: Snapshot,
): AsyncGenerator<Piece> {
  const left = snapshot.portions.toReversed();
  for (let portion = left.pop(); portion !== undefined; portion = left.pop()) {
    const raw = await readPortion(clickhouse, snapshot, portion);
    if (raw === undefined) {
      left.push(...(await halves(clickhouse, snapshot.table, portion)));
      continue;
    }
    const { format } = snapshot;
    yield { format, rows: portion.rows, rawBytes: raw.length, data: await compress(raw) };
  }
}

/** A replica that answers in the place of another one has other parts: then the query fails. */
const within = `shardNum() = {shard:UInt32} AND _part IN {parts:Array(String)}
  AND _part_offset >= {from:UInt64} AND _part_offset < {to:UInt64}
  AND NOT throwIf(hostName() != {host:String}, 'another replica answers')`;

/** Undefined if it is larger than a piece may be. */
async function readPortion(
  clickhouse: ClickHouseClient,
  { table, columns }: Snapshot,
  { shard, host, parts, from, to }: Portion,
): Promise<Buffer | undefined> {
  try {
    const { stream } = await clickhouse.exec({
      query: `SELECT ${Object.keys(columns).join(', ')} FROM {table:Identifier}
              WHERE ${within} FORMAT Native`,
      query_params: { table, shard, host, parts, from, to },
      clickhouse_settings: {
        ...workSettings,
        // Rows in their order: similar neighbours compress well.
        max_threads: 1,
        // A query that fails must not have a result that looks complete.
        wait_end_of_query: 1,
        readonly: '2',
      },
    });
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > pieceBytesMax) stream.destroy(tooLarge);
    });
    return await buffer(stream);
  } catch (error) {
    if (error === tooLarge) return undefined;
    throw storeErrorOf(error);
  }
}

const tooLarge = new Error('the portion is too large');

async function halves(
  clickhouse: ClickHouseClient,
  table: string,
  { shard, host, parts, from, to }: Portion,
): Promise<Portion[]> {
  if (parts.length === 1 && to - from < 2) {
    throw new Error('one message is larger than a piece of a backup');
  }
  const middle = parts.length > 1 ? Math.ceil(parts.length / 2) : Math.ceil((from + to) / 2);
  const ranges =
    parts.length > 1
      ? [
          { parts: parts.slice(0, middle), from, to },
          { parts: parts.slice(middle), from, to },
        ]
      : [
          { parts, from, to: middle },
          { parts, from: middle, to },
        ];
  const counted = await Promise.all(
    ranges.map(async (range) => {
      const [row] = await select<{ rows: number }>(
        clickhouse,
        `SELECT count() AS rows FROM {table:Identifier} WHERE ${within}`,
        { table, shard, host, ...range },
      );
      return { shard, host, ...range, rows: Number(row?.rows) };
    }),
  );
  return counted.filter(({ rows }) => rows > 0).toReversed();
}
