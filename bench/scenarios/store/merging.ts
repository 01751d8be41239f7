import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { dayOf, messageTables } from '../../../schemas/messages/tables.ts';
import { bytesPerRecord } from '../../../test/support/messages/stored.ts';
import { cpuSeconds } from '../../../test/support/usage.ts';
import { type Figure, info } from '../../harness/figures.ts';
import { amount } from '../../harness/load/durations.ts';
import type { Scenario } from '../../harness/setup.ts';

/** Publishers with 20 names, each of them once a minute, as their records come in. */
const names = 20;
const everySeconds = 60;
const begin = 1_790_000_000;
/** Of many things, each puts its own address before its names, as a base name does (RFC 8428 §4.1). */
const fleets = {
  few: { publishers: 500, prefix: "''" },
  many: { publishers: 25_000, prefix: "concat('urn:dev:', toString(thing), ':')" },
} as const;
type FleetName = keyof typeof fleets;
const million = 1_000_000;
const turns = () => amount(3, 1);

/**
 * What is inserted and merged: so many blocks of so many rows of a fleet, sorted so; names, and texts of few kinds, as a
 * type of their own.
 */
type Variant = {
  name: string;
  fleet?: FleetName;
  blocks: number;
  rows: number;
  order: string;
  names?: string;
  texts?: string;
};

const day = dayOf('time');
const today = `${day}, publisher, name, time`;
const variants: readonly Variant[] = [
  ...[60_000, 90_000, 120_000, 180_000, 300_000].map((rows) => ({
    name: `10 blocks of ${rows}`,
    blocks: 10,
    rows,
    order: today,
  })),
  { name: '30 blocks of 100000', blocks: 30, rows: 100_000, order: today },
  {
    name: '30 blocks of 100000, texts with dictionaries',
    blocks: 30,
    rows: 100_000,
    order: today,
    texts: 'LowCardinality(String)',
  },
  {
    name: '30 blocks of 100000, names not sorted',
    blocks: 30,
    rows: 100_000,
    order: `${day}, publisher, time`,
  },
  ...Object.entries({ dictionaries: 'LowCardinality(String)', texts: 'String' }).flatMap(
    ([kind, type]) =>
      (['few', 'many'] as const).map((fleet) => ({
        name: `10 blocks of 250000, ${fleets[fleet].publishers} things, names as ${kind}`,
        fleet,
        blocks: 10,
        rows: 250_000,
        order: today,
        names: type,
      })),
  ),
];

/** What it costs ClickHouse to sort a block and to merge blocks, by their size and by the order of the table. */
export const merging: Scenario = async ({ system }) => {
  const clickhouse = openClickHouse(system.clickhouseUrl, 'millrace-bench', 3_600_000);
  const pid = await system.pid('clickhouse');
  const cost = async (work: () => Promise<void>): Promise<number> => {
    const before = cpuSeconds(pid);
    await work();
    return cpuSeconds(pid) - before;
  };
  try {
    const rowsMax = Math.max(...variants.map(({ blocks, rows }) => blocks * rows));
    await prepareRows(clickhouse, 'few', rowsMax);
    await prepareRows(clickhouse, 'many', rowsMax);
    const least = new Map<string, Costs>();
    for (let turn = 0; turn < turns(); turn++) {
      for (const variant of variants) {
        const costs = await once(clickhouse, variant, cost);
        least.set(variant.name, lower(costs, least.get(variant.name)));
      }
    }
    return [...least].flatMap(([name, { insert, merge, bytes }]): Figure[] => [
      info(`${name}: CPU seconds per million records, inserts`, insert, 's'),
      info(`${name}: CPU seconds per million records, one merge`, merge, 's'),
      info(`${name}: bytes per record, merged`, bytes, 'bytes'),
    ]);
  } finally {
    await clickhouse.close();
  }
};

type Costs = { insert: number; merge: number; bytes: number };

/** Others on the machine only add to what a turn costs. */
function lower(one: Costs, other: Costs | undefined): Costs {
  if (other === undefined) return one;
  const insert = Math.min(one.insert, other.insert);
  return { insert, merge: Math.min(one.merge, other.merge), bytes: one.bytes };
}

async function once(
  clickhouse: ClickHouseClient,
  variant: Variant,
  cost: (work: () => Promise<void>) => Promise<number>,
): Promise<Costs> {
  const { fleet = 'few', blocks, rows, order, texts = 'String' } = variant;
  const { names: nameType = 'LowCardinality(String)' } = variant;
  const run = async (query: string) => void (await clickhouse.command({ query }));
  await run('DROP TABLE IF EXISTS bench_merging SYNC');
  const created = await clickhouse.query({
    query: `SHOW CREATE TABLE ${messageTables.senml.name}`,
    format: 'TabSeparatedRaw',
  });
  const ddl = await created.text();
  await run(
    ddl
      .replace(/^CREATE TABLE \S+/, 'CREATE TABLE bench_merging')
      .replace(/\nORDER BY [^\n]+/, `\nORDER BY (${order})`)
      .replaceAll(/`(subtopic|protocol|unit)` String/g, `\`$1\` ${texts}`)
      .replace('`name` LowCardinality(String)', `\`name\` ${nameType}`)
      .replace(/\nTTL [^]*?\nSETTINGS/, '\nSETTINGS'),
  );
  await run('SYSTEM STOP MERGES bench_merging');
  const insert = await cost(async () => {
    for (let block = 0; block < blocks; block++) await insertBlock(clickhouse, fleet, block, rows);
  });
  await run('SYSTEM START MERGES bench_merging');
  const merge = await cost(() => run('OPTIMIZE TABLE bench_merging FINAL'));
  const inMillions = (blocks * rows) / million;
  return {
    insert: insert / inMillions,
    merge: merge / inMillions,
    bytes: await bytesPerRecord(clickhouse, 'bench_merging'),
  };
}

const columns = 'publisher, protocol, name, unit, time, kind, given, log, batch';

/** Records in the order in which they come, cheap to read. */
async function prepareRows(
  clickhouse: ClickHouseClient,
  fleet: FleetName,
  count: number,
): Promise<void> {
  const { publishers, prefix } = fleets[fleet];
  const perRound = publishers * names;
  await clickhouse.command({
    query: `
      CREATE TABLE bench_rows_${fleet} ENGINE = MergeTree ORDER BY place AS
      WITH (SELECT groupArray(generateUUIDv4(number)) FROM numbers(${publishers})) AS ids,
           intDiv(number, ${perRound}) AS round, intDiv(number % ${perRound}, ${names}) AS thing
      SELECT number AS place, ids[thing + 1] AS publisher, 'http' AS protocol,
             toLowCardinality(concat(${prefix}, 'sensor', toString(number % ${names}))) AS name, 'Cel' AS unit,
             ((${begin} + round * ${everySeconds}) * 1000 + sipHash64(thing, round) % 1000) * 1000000
               AS time,
             'value' AS kind, sipHash64(number, 7) % 10000 / 100 AS given, 'bench' AS log
      FROM numbers(${count})`,
  });
}

/** As the sink does: one block for the whole batch. */
async function insertBlock(
  clickhouse: ClickHouseClient,
  fleet: FleetName,
  block: number,
  rows: number,
): Promise<void> {
  const whole = String(million);
  await clickhouse.command({
    query: `INSERT INTO bench_merging (${columns})
            SELECT publisher, protocol, name, unit, time, kind, given, log, ${block} FROM bench_rows_${fleet}
            WHERE place >= ${block * rows} AND place < ${(block + 1) * rows}`,
    clickhouse_settings: {
      max_threads: 1,
      max_insert_threads: '1',
      max_block_size: whole,
      max_insert_block_size: whole,
      min_insert_block_size_rows: whole,
      min_insert_block_size_bytes: '0',
      insert_deduplicate: 0,
    },
  });
}
