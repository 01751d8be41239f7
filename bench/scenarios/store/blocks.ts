import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { Codec } from '../../../ingest/codecs/codec.ts';
import { rowBytes, writeRow } from '../../../ingest/codecs/row-binary.ts';
import { uuidToRowBinary } from '../../../ingest/codecs/uuid.ts';
import { limits } from '../../../ingest/limits.ts';
import type { Batch } from '../../../ingest/log/reader.ts';
import { BlockWriter } from '../../../ingest/sinks/store/block/block.ts';
import { ClickHouseStore } from '../../../ingest/sinks/store/send.ts';
import { kindType, messageTables } from '../../../schemas/messages/tables.ts';
import { cpuSeconds } from '../../../test/support/usage.ts';
import { type Figure, info } from '../../harness/figures.ts';
import { amount } from '../../harness/load/durations.ts';
import { pack, seededRandom } from '../../harness/requests.ts';
import type { Scenario } from '../../harness/setup.ts';

const publishers = 500;
const recordsOfBatch = 150_000;
const batches = 4;
const million = 1_000_000;
const turns = () => amount(5, 1);

/**
 * A batch as the sink sends it, a block that is sorted as its table is, beside the rows of its messages as they are in the
 * log, which ClickHouse unfolds and sorts: what each costs the sink and ClickHouse.
 */
export const blocks: Scenario = async ({ system }) => {
  const clickhouse = openClickHouse(system.clickhouseUrl, 'millrace-bench', 600_000);
  const store = await system.pid('clickhouse');
  const cost = async (pid: number, work: () => Promise<unknown>): Promise<number> => {
    const before = cpuSeconds(pid);
    await work();
    return (cpuSeconds(pid) - before) / ((batches * recordsOfBatch) / million);
  };
  try {
    await clickhouse.command({ query: 'SYSTEM STOP MERGES' });
    const figures: Figure[] = [];
    for (const records of [1, 10, 100]) {
      const list = batchesOf(records);
      const writer = new BlockWriter('senml');
      const least = { block: Infinity, ofBlocks: Infinity, ofRows: Infinity };
      for (let turn = 0; turn < turns(); turn++) {
        const insertBlocks = () => insertAll(clickhouse, list, `${records}-${turn}`);
        const costs = {
          block: await cost(process.pid, async () => list.forEach((batch) => writer.write(batch))),
          ofBlocks: await cost(store, insertBlocks),
          ofRows: await cost(store, () => insertRows(clickhouse, list)),
        };
        // Others on the machine only add to what a turn costs.
        least.block = Math.min(least.block, costs.block);
        least.ofBlocks = Math.min(least.ofBlocks, costs.ofBlocks);
        least.ofRows = Math.min(least.ofRows, costs.ofRows);
      }
      const figure = (what: string, value: number) =>
        info(`S${records}: CPU seconds per million records, ${what}`, value, 's');
      figures.push(
        figure('a block made', least.block),
        figure('blocks inserted', least.ofBlocks),
        figure('rows inserted', least.ofRows),
      );
    }
    return figures;
  } finally {
    await clickhouse.close();
  }
};

/** Batches of packs of so many records, each publisher a little later than before. */
function batchesOf(records: number): Batch[] {
  const codec = new Codec({
    recordsPerMessageMax: 10_000,
    nestingMax: 32,
    nameCharsMax: limits.nameCharsMax,
    membersPerObjectMax: limits.membersPerObjectMax,
    containersMax: limits.containersMax,
  });
  const random = seededRandom(records);
  const ids = Array.from({ length: publishers }, () => uuidToRowBinary(randomUUID()));
  const frames = recordsOfBatch / records;
  const begin = Math.floor(Date.now() / 1_000) - 86_400;
  let sent = 0;
  return Array.from({ length: batches }, (_, at) => {
    const rows = Array.from({ length: frames }, () => {
      const publisher = sent % publishers;
      const second = begin + Math.floor(sent / publishers) * Math.ceil(records / 10);
      sent += 1;
      const body = Buffer.from(pack(random, publisher, records, second));
      const read = codec.read(body, 'application/senml+json', {}, Date.now());
      if ('code' in read) throw new Error(read.detail);
      const row = Buffer.alloc(rowBytes(read, ''));
      const id = ids[publisher] ?? new Uint8Array(16);
      writeRow(read, { publisher: id, protocol: 'http', subtopic: '' }, row, 0);
      return row;
    });
    return {
      from: { segment: 1, offset: at },
      to: { segment: 1, offset: at + 1 },
      frames,
      records: frames * records,
      body: Buffer.concat(rows),
      offsets: [],
      ends: [],
    };
  });
}

async function insertAll(
  clickhouse: ClickHouseClient,
  list: readonly Batch[],
  log: string,
): Promise<void> {
  const store = new ClickHouseStore(clickhouse, 'senml', log);
  for (const [at, batch] of list.entries()) await store.insert(batch, at + 1, []);
}

async function insertRows(clickhouse: ClickHouseClient, list: readonly Batch[]): Promise<void> {
  for (const { body } of list) {
    const { stream } = await clickhouse.exec({
      query: `
        INSERT INTO senml (${messageTables.senml.inserted})
        SELECT publisher, subtopic, 'http', name, unit, time,
               CAST(kind, '${kindType.replaceAll("'", "''")}'),
               value, text, sum, update_time, 'rows', 1
        FROM input('
          publisher UUID, subtopic String, names Array(String), units Array(String),
          times Array(Int64), kinds Array(UInt8), values Array(Float64), texts Array(String),
          sums Array(Nullable(Float64)), update_times Array(Nullable(Float64))')
        ARRAY JOIN
          names AS name, units AS unit, times AS time, kinds AS kind, values AS value, texts AS text,
          sums AS sum, update_times AS update_time
        FORMAT RowBinary`,
      values: Readable.from([body], { objectMode: false }),
      clickhouse_settings: {
        insert_deduplicate: 0,
        async_insert: 0,
        max_insert_threads: '1',
        max_threads: 1,
        max_block_size: String(million),
        max_insert_block_size: String(million),
        min_insert_block_size_rows: String(million),
        min_insert_block_size_bytes: '0',
        enable_unaligned_array_join: 1,
      },
    });
    await finished(stream.resume());
  }
}
