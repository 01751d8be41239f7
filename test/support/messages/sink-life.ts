import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { Codec } from '../../../ingest/codecs/codec.ts';
import { rowBytes, writeRow } from '../../../ingest/codecs/row-binary.ts';
import { limits as codecLimits, publisher } from '../../../ingest/codecs/testing.ts';
import { createDisk } from '../../../ingest/log/disk.ts';
import { Log } from '../../../ingest/log/log.ts';
import { createPositions } from '../../../ingest/log/positions.ts';
import { LogReader } from '../../../ingest/log/reader.ts';
import { appendTo, type Payload } from '../../../ingest/log/testing/append.ts';
import { ClickHouseStore, type Store } from '../../../ingest/sinks/store/send.ts';
import type { SinkDriver } from '../../../ingest/sinks/driver.ts';
import { createStoreSink } from '../../../ingest/sinks/store/sink.ts';
import { eventually } from '../eventually.ts';

const logger = pino({ level: 'silent' });
const logLimits = {
  segmentBytes: 1024 * 1024,
  logBytesMax: 16 * 1024 * 1024,
  reserveBytes: 0,
  groupBytesMax: 128 * 1024,
  groupsMax: 4,
};
const sinkLimits = {
  batchBytesMax: 512 * 1024,
  batchFramesMax: Number.MAX_SAFE_INTEGER,
  batchAgeMsMax: 10,
  cursorMs: 50,
  missingMs: 20,
  pollMs: 2,
  retryMsMin: 5,
  retryMsMax: 20,
};
const year = 31_536_000;

const running = new Set<Life>();

/** Ends whatever still runs. */
export async function stopLives(): Promise<void> {
  for (const life of running) await life.stop();
}

/** One life of a log and of the sink that brings it to the store. */
export class Life {
  readonly log: Log;
  readonly sink: SinkDriver;
  /** The cursor on the disk when a batch was last sent: what a kill at that moment leaves. */
  cursorWhenSent = '';
  reverted = 0;
  readonly #directory: string;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  readonly #acknowledged = new Set<string>();

  private constructor(directory: string, open: (life: Life) => { log: Log; sink: SinkDriver }) {
    this.#directory = directory;
    const { log, sink } = open(this);
    this.log = log;
    this.sink = sink;
    this.#ended = sink.run();
  }

  /** `fault` is called after each insert; what it throws is what the sink meets. */
  static async begin(
    clickhouse: ClickHouseClient,
    at: string,
    fault: () => void = () => undefined,
    newest?: () => Promise<number>,
  ): Promise<Life> {
    const log = await Log.open({
      directory: at,
      disk: createDisk({ dataSync: true }),
      limits: logLimits,
      logger,
      positions: createPositions(1),
    });
    const store = new ClickHouseStore(clickhouse, 'senml', log.id);
    const life = new Life(at, (self) => {
      const watched: Store = {
        stored: (number) => store.stored(number),
        newest: () => newest?.() ?? store.newest(),
        syncReplicas: () => store.syncReplicas(),
        async insert(batch, number, partitions, attempt) {
          self.cursorWhenSent = await fs.readFile(join(at, 'senml.cursor'), 'utf8');
          await store.insert(batch, number, partitions, attempt);
          fault();
        },
      };
      const reader = new LogReader({
        directory: at,
        formats: ['senml'],
        segmentBytes: logLimits.segmentBytes,
        committed: log.positions.committed,
        onDamage: () => Promise.reject(new Error('damage')),
      });
      const sink = createStoreSink({
        format: 'senml',
        directory: at,
        reader,
        store: watched,
        limits: sinkLimits,
        logger,
        stopping: self.#stopping.signal,
        positions: log.positions,
        onProgress: () => undefined,
        async onReverted() {
          self.reverted += 1;
          self.#stopping.abort();
        },
      });
      return { log, sink };
    });
    running.add(life);
    return life;
  }

  /** Has a message of these names acknowledged: one record each, of a year each from `from` on. */
  async send(names: readonly string[], from = 2026, sender = publisher): Promise<void> {
    const codec = new Codec(codecLimits);
    const records = names.map((n, at) => ({ n, v: 1, t: (from + at - 1970) * 1.0007 * year }));
    const text = JSON.stringify(records);
    const batch = codec.read(Buffer.from(text), 'application/senml+json', {}, Date.now());
    if (batch.kind === 'refused') throw new Error(batch.detail);
    const bytes = Buffer.alloc(rowBytes(batch, ''));
    writeRow(batch, { publisher: sender, protocol: 'http', subtopic: '' }, bytes, 0);
    const waiter = { afterCommit: () => void this.#acknowledged.add(text) };
    const payload: Payload = { format: batch.format, records: batch.count, bytes };
    if (appendTo(this.log, waiter, payload) !== 'appended') throw new Error('the log is full');
    await eventually(() => this.#acknowledged.has(text));
  }

  async sent(batches: number): Promise<void> {
    await eventually(() => this.sink.progress().batches >= batches);
  }

  async stop(): Promise<void> {
    running.delete(this);
    this.#stopping.abort();
    await this.#ended;
    await this.log.close();
  }

  /** As `kill -9` does when a batch has just been sent: the cursor knows nothing of its end. */
  async kill(): Promise<void> {
    await this.stop();
    await fs.writeFile(join(this.#directory, 'senml.cursor'), this.cursorWhenSent);
  }
}
