import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { bareBlock, blockRows, columnNames } from '../bare/rows.ts';
import { atLeast, type Figure, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { amount, seconds } from '../../harness/load/durations.ts';
import { caughtUp, inTurns, run, storedMetric, warmUpSeconds } from '../../harness/load/rounds.ts';
import { type Bench, type BenchEdge, metric } from '../../harness/setup.ts';

const records = 100;
const blocks = () => amount(20, 10);
/** Blocks that are sent together and stored as one: about what a batch of the sink holds when it is full. */
const blocksTogether = 5;

/** How fast the sink stores a backlog, beside plain inserts of the same rows. */
export const storing: Scenario = async (bench) => {
  const clickhouse = openClickHouse(bench.system.clickhouseUrl, 'millrace-bench', 600_000);
  const edge = await bench.startEdge();
  try {
    return await storedToBare(bench, edge, clickhouse);
  } finally {
    await edge.stop();
    await clickhouse.close();
  }
};

async function storedToBare(
  bench: Bench,
  edge: BenchEdge,
  clickhouse: ClickHouseClient,
): Promise<Figure[]> {
  await clickhouse.command({ query: 'CREATE TABLE IF NOT EXISTS bench_bare AS senml' });
  await run(bench, edge, records, warmUpSeconds());
  await caughtUp(edge);
  const rows = bareBlock(bench.requests(records));
  const result = await inTurns(
    () => drained(bench, edge),
    () => inserted(clickhouse, rows, 1),
  );
  const large = await inserted(clickhouse, rows, blocksTogether);
  return [
    info('stored from a backlog', result.of, 'records/s'),
    info('bare RowBinary insert, blocks of 100,000', result.to, 'records/s'),
    info('bare RowBinary insert, blocks of 500,000', large, 'records/s'),
    atLeast('stored to bare insert', result.ratio, 'ratio', 0.8),
  ];
}

/** Records per second that the sink stores of a backlog, with nothing else to do. */
async function drained(bench: Bench, edge: BenchEdge): Promise<number> {
  await bench.system.kill('clickhouse', 'SIGSTOP');
  try {
    await run(bench, edge, records, seconds(2));
  } finally {
    await bench.system.kill('clickhouse', 'SIGCONT');
  }
  const before = await metric(edge.url, storedMetric);
  // From the first batch after the restart: one under way when ClickHouse stopped is not counted.
  let [startedAt, first] = [0, before];
  await eventually(async () => {
    first = await metric(edge.url, storedMetric);
    startedAt = performance.now();
    return first > before;
  }, 60_000);
  await caughtUp(edge);
  const elapsed = (performance.now() - startedAt) / 1_000;
  return ((await metric(edge.url, storedMetric)) - first) / elapsed;
}

/** Rows per second that ClickHouse alone inserts, of the rows of these requests. */
export async function bareInsert({ system }: Bench, requestsPath: string): Promise<number> {
  const clickhouse = openClickHouse(system.clickhouseUrl, 'millrace-bench', 600_000);
  try {
    await clickhouse.command({ query: 'CREATE TABLE IF NOT EXISTS bench_bare AS senml' });
    return await inserted(clickhouse, bareBlock(requestsPath), 1);
  } finally {
    await clickhouse.close();
  }
}

/** Rows per second, block after block, each synced like those of the sink. */
async function inserted(
  clickhouse: ClickHouseClient,
  rows: Buffer,
  together: number,
): Promise<number> {
  const perBlock = String(together * blockRows);
  const startedAt = performance.now();
  for (let block = 0; block < blocks(); block += together) {
    const { stream } = await clickhouse.exec({
      query: `INSERT INTO bench_bare (${columnNames}) FORMAT RowBinary`,
      values: Readable.from(
        Array.from({ length: together }, () => rows),
        { objectMode: false },
      ),
      clickhouse_settings: {
        async_insert: 0,
        insert_deduplicate: 0,
        max_insert_block_size: perBlock,
        min_insert_block_size_rows: perBlock,
        min_insert_block_size_bytes: '0',
      },
    });
    await finished(stream.resume());
  }
  return (blocks() * blockRows * 1_000) / (performance.now() - startedAt);
}
