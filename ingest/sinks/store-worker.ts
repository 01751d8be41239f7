/** The store's thread: it brings the log to ClickHouse, and never delays an ack. */
import { parentPort, workerData } from 'node:worker_threads';
import { openClickHouse } from '../../infra/clickhouse.ts';
import { createLog } from '../../infra/log.ts';
import type { Format } from '../log/format.ts';
import { LogReader } from '../log/reader.ts';
import { sharedPositions } from '../log/shared.ts';
import { noteDamage } from './damage.ts';
import { insertBatch } from './insert.ts';
import { type SinkLimits, type SinkStats, StoreSink } from './store-sink.ts';

/** What the thread is started with. */
export type StoreThreadData = {
  directory: string;
  logId: string;
  segmentBytes: number;
  positions: SharedArrayBuffer;
  clickhouseUrl: string;
  insertTimeoutMs: number;
  logLevel: string;
  limits: SinkLimits;
};

/** What it tells, after each batch. */
export type StoreReport = { sinks: Record<Format, SinkStats>; damagedFrames: number };

const data: StoreThreadData = workerData;
const logger = createLog('ingest', data.logLevel);
const client = openClickHouse(data.clickhouseUrl, 'millrace-ingest', data.insertTimeoutMs);
const positions = sharedPositions(data.positions);
const stopping = new AbortController();
let damagedFrames = 0;

function createSink(format: Format): StoreSink {
  const reader = new LogReader({
    directory: data.directory,
    format,
    segmentBytes: data.segmentBytes,
    committed: positions.committed,
    async onDamage(damage) {
      damagedFrames += damage.frames;
      await noteDamage(data.directory, logger, format, damage);
    },
  });
  return new StoreSink({
    format,
    directory: data.directory,
    reader,
    send: (batch, number) => insertBatch(client, format, data.logId, batch, number),
    limits: data.limits,
    logger,
    stopping: stopping.signal,
    onProgress: report,
  });
}

function report(): void {
  positions.release('store', Math.min(senml.neededSegment(), json.neededSegment()));
  const sinks = { senml: senml.stats(), json: json.stats() };
  parentPort?.postMessage({ sinks, damagedFrames } satisfies StoreReport);
}

const senml = createSink('senml');
const json = createSink('json');
parentPort?.once('message', () => stopping.abort());
await Promise.all([senml.run(), json.run()]);
await client.close();
parentPort?.close();
