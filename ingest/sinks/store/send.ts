import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { onCluster, storedTable } from '../../../infra/runtime/stores/cluster.ts';
import type { Tracing } from '../../../infra/runtime/observability/tracing.ts';
import { messageTables } from '../../../schemas/messages/tables.ts';
import type { Format } from '../../log/format.ts';
import type { Batch } from '../../log/reader.ts';
import { type Block, BlockWriter } from './block/block.ts';

/**
 * The partitions that have rows of a batch, and how many records those are in all. On a cluster they are no
 * partitions but numbers of batches: of each, whatever rows are there.
 */
type Stored = { partitions: string[]; records: number };

/** One table of the store, as the sink of one log sees it. Each call throws while the store is away. */
export type Store = {
  /**
   * Inserts a batch, except for rows of the partitions in `stored`. The store takes a batch of the same place, content
   * and `attempt` once, as far back as it remembers.
   */
  insert(batch: Batch, number: number, stored: readonly string[], attempt?: 'again'): Promise<void>;
  /** The part of the batch with this number that is stored: each partition is stored by itself. */
  stored(number: number): Promise<Stored>;
  /** The number of the newest batch of this log; 0 if there is none. */
  newest(): Promise<number>;
  /** Waits until each replica has all that the others have. */
  syncReplicas(): Promise<void>;
};

/** The expressions that an insert selects for columns that messages have no values for. */
const ofBatch: Readonly<Record<string, string>> = {
  log: '{log:String}',
  batch: '{batch:UInt32}',
};

/** Inserts a block, whose columns are already as the table has them. */
function insertOf(format: Format, { structure, selected }: Block): string {
  const { name, inserted } = messageTables[format];
  const values = inserted.split(', ').map((column) => ofBatch[column] ?? selected.get(column));
  return `INSERT INTO ${name} (${inserted}) SELECT ${values.join(', ')}
          FROM input('${structure.replaceAll("'", "\\'")}')`;
}

/** The table of a format, for the log of this identity. */
export class ClickHouseStore implements Store {
  readonly #client: ClickHouseClient;
  readonly #format: Format;
  readonly #logId: string;
  readonly #blocks: BlockWriter;

  constructor(client: ClickHouseClient, format: Format, logId: string) {
    this.#client = client;
    this.#format = format;
    this.#logId = logId;
    this.#blocks = new BlockWriter(format);
  }

  async insert(
    batch: Batch,
    number: number,
    stored: readonly string[],
    attempt: 'first' | 'again' = 'first',
  ): Promise<void> {
    const logId = this.#logId;
    const { from, to, body } = batch;
    const unless = stored.length === 0 ? '' : `WHERE ${await this.#isMissing(stored)}`;
    // A copy of the log, or the log before it was reverted, may have other content at the same place.
    const content = crc32(body).toString(16);
    const place = `${from.segment}:${from.offset}-${to.offset}`;
    const block = this.#blocks.write(batch);
    const { stream } = await this.#client.exec({
      query: `${insertOf(this.#format, block)} ${unless} FORMAT Native`,
      query_params: { log: logId, batch: number, stored },
      values: Readable.from([block.bytes], { objectMode: false }),
      clickhouse_settings: {
        insert_deduplication_token: `${logId}:${place}:${content}:${attempt}`,
        insert_deduplicate: 1,
        async_insert: 0,
        // One block for the whole batch: each of its partitions is taken whole or not at all, and the
        // batch repeats as the same blocks.
        max_insert_threads: '1',
        max_threads: 1,
        max_block_size: String(blockRowsMax),
        max_insert_block_size: String(blockRowsMax),
        min_insert_block_size_rows: String(blockRowsMax),
        min_insert_block_size_bytes: '0',
        max_partitions_per_insert_block: '0',
        // Publishers come with a dictionary.
        allow_suspicious_low_cardinality_types: 1,
      },
    });
    // The answer has no body; when it ends, the insert is done.
    await finished(stream.resume());
  }

  /**
   * On a cluster it goes by publisher and time: rows that have both in common are in one partition of one shard,
   * whatever shards were added meanwhile, so that they are there together or not at all.
   */
  async #isMissing(stored: readonly string[]): Promise<string> {
    if (this.#client.cluster === undefined) {
      return `partitionId(${await this.#partitionKey()}) NOT IN {stored:Array(String)}`;
    }
    const { name, time } = messageTables[this.#format];
    return `(publisher, ${time}) NOT IN (
      SELECT publisher, ${time} FROM ${name}
      WHERE log = {log:String} AND batch IN (${stored.map(Number).join(', ')}))`;
  }

  /** Uses the index `batches`: numbers follow the clock, so only parts of that time are read. */
  async stored(number: number): Promise<Stored> {
    const result = await this.#client.query({
      query: `SELECT _partition_id AS id, toUInt32(count()) AS records FROM {table:Identifier}
              WHERE log = {log:String} AND batch = {batch:UInt32} GROUP BY id`,
      query_params: { table: messageTables[this.#format].name, log: this.#logId, batch: number },
      format: 'JSONEachRow',
    });
    const rows = await result.json<{ id: string; records: number }>();
    const ids = rows.map(({ id }) => id);
    return {
      partitions: this.#client.cluster === undefined || ids.length === 0 ? ids : [String(number)],
      records: rows.reduce((sum, { records }) => sum + records, 0),
    };
  }

  /** Uses the projection `logs`. */
  async newest(): Promise<number> {
    const result = await this.#client.query({
      query: 'SELECT max(batch) FROM {table:Identifier} WHERE log = {log:String} GROUP BY log',
      query_params: { table: messageTables[this.#format].name, log: this.#logId },
      format: 'TabSeparated',
    });
    return Number(await result.text());
  }

  async syncReplicas(): Promise<void> {
    const { cluster } = this.#client;
    if (cluster === undefined) return;
    const table = storedTable(cluster, messageTables[this.#format].name);
    await this.#client.command({ query: `SYSTEM SYNC REPLICA${onCluster(cluster)} ${table}` });
  }

  /** Asked from the store, which alone knows how it names partitions. */
  async #partitionKey(): Promise<string> {
    const result = await this.#client.query({
      query: `SELECT partition_key FROM system.tables
              WHERE database = currentDatabase() AND name = {table:String}`,
      query_params: { table: messageTables[this.#format].name },
      format: 'TabSeparatedRaw',
    });
    return (await result.text()).trim();
  }
}

/** The same store, with a trace of each insert. */
export function traceInserts(store: Store, sink: Format, tracing: Tracing | undefined): Store {
  if (tracing === undefined) return store;
  return {
    stored: (number) => store.stored(number),
    newest: () => store.newest(),
    syncReplicas: () => store.syncReplicas(),
    async insert(batch, number, stored, attempt) {
      const traced = tracing.begin('sink insert', 'internal', {
        'millrace.sink': sink,
        'millrace.batch': number,
        'millrace.messages': batch.frames,
        'millrace.records': batch.records,
        'millrace.bytes': batch.body.length,
      });
      if (traced === undefined) return store.insert(batch, number, stored, attempt);
      let isStored = false;
      try {
        await traced.run(() => store.insert(batch, number, stored, attempt));
        isStored = true;
      } finally {
        traced.end(!isStored);
      }
    },
  };
}

/** More than a batch can hold: every record takes at least a byte of it. */
const blockRowsMax = 1_000_000_000;
