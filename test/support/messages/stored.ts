import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { readSeries } from '../../../infra/local/demo/series.ts';

/** A fleet whose records stand in the store already: each thing has each name every `everySeconds`. */
export type StoredFleet = {
  /** Ids of its things. */
  things: readonly string[];
  names: number;
  everySeconds: number;
  rounds: number;
  /** Of the first round, in seconds. */
  begin: number;
};

const columns: [string, ...string[]] = [
  'publisher',
  'protocol',
  'name',
  'unit',
  'time',
  'kind',
  'given',
  'log',
  'batch',
];
const rowsAtOnce = 3_000_000;
/** What a sink puts into one batch at full speed. */
const batchRows = 300_000;

/**
 * Puts a fleet's records into a table like `senml`, in the order of their times, and merges them: values of
 * two decimals without a pattern, times with a jitter of milliseconds for each thing and round.
 */
export async function fillStore(
  clickhouse: ClickHouseClient,
  table: string,
  fleet: StoredFleet,
): Promise<void> {
  const things = `${table}_things`;
  await clickhouse.command({
    query: `CREATE TABLE ${things} (place UInt32, id UUID) ENGINE = MergeTree ORDER BY place`,
  });
  await clickhouse.insert({
    table: things,
    values: fleet.things.map((id, place) => ({ place, id })),
    format: 'JSONEachRow',
  });
  const perRound = fleet.things.length * fleet.names;
  const rows = perRound * fleet.rounds;
  for (let at = 0; at < rows; at += rowsAtOnce) {
    await clickhouse.command({
      query: `
        INSERT INTO ${table} (${columns.join(', ')})
        WITH (SELECT groupArray(id) FROM (SELECT id FROM ${things} ORDER BY place)) AS ids
        SELECT ids[thing + 1], 'http', concat('sensor', toString(name)), 'Cel',
               (({begin:Int64} + round * {every:Int64}) * 1000 + sipHash64(thing, round) % 1000) * 1000000,
               'value', sipHash64(number, 7) % 10000 / 100, 'bench', intDiv(number, ${batchRows})
        FROM (SELECT number, intDiv(number, ${perRound}) AS round,
                     intDiv(number % ${perRound}, ${fleet.names}) AS thing,
                     number % ${fleet.names} AS name
              FROM numbers({at:UInt64}, {count:UInt64}))`,
      query_params: {
        begin: fleet.begin,
        every: fleet.everySeconds,
        at,
        count: Math.min(rowsAtOnce, rows - at),
      },
      clickhouse_settings: {
        max_insert_threads: '2',
        min_insert_block_size_rows: String(rowsAtOnce),
        min_insert_block_size_bytes: '0',
        max_partitions_per_insert_block: '0',
      },
    });
  }
  await merge(clickhouse, table);
}

/** Puts the real series into a table like `senml`, each under a publisher of its own. */
export async function storeRealSeries(clickhouse: ClickHouseClient, table: string): Promise<void> {
  await clickhouse.insert({
    table,
    columns,
    values: readSeries().flatMap(({ name, unit, points }, at) =>
      points.map(({ seconds, value }, place) => [
        `00000000-0000-4000-8000-00000000000${at}`,
        'http',
        `urn:nab:${name}`,
        unit,
        `${seconds}000000000`,
        'value',
        value,
        'bench',
        Math.floor(place / 100),
      ]),
    ),
    format: 'JSONCompactEachRow',
  });
  await merge(clickhouse, table);
}

async function merge(clickhouse: ClickHouseClient, table: string): Promise<void> {
  await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
}

/** On the disk, projections and all. */
export async function bytesPerRecord(clickhouse: ClickHouseClient, table: string): Promise<number> {
  const result = await clickhouse.query({
    query: `SELECT sum(bytes_on_disk) / sum(rows) FROM system.parts
            WHERE active AND database = currentDatabase() AND table = {table:String}`,
    query_params: { table },
    format: 'TabSeparated',
  });
  return Number(await result.text());
}
