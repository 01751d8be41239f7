/** The sinks' thread: everything behind the log happens here, so that it never delays an ack. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { openClickHouse } from '../../infra/clickhouse.ts';
import { createLog } from '../../infra/log.ts';
import { appendLine } from '../log/files.ts';
import type { Format } from '../log/format.ts';
import { type Damage, LogReader } from '../log/reader.ts';
import { sharedPositions } from '../log/shared.ts';
import { insertBatch } from './insert.ts';
import { type SinkLimits, type SinkStats, StoreSink } from './store-sink.ts';

/** What the thread is started with. */
export type SinkWorkerData = {
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
export type SinksReport = { sinks: Record<Format, SinkStats>; damagedFrames: number };

const data: SinkWorkerData = workerData;
const logger = createLog('ingest', data.logLevel);
const client = openClickHouse(data.clickhouseUrl, 'millrace-ingest', data.insertTimeoutMs);
const positions = sharedPositions(data.positions);
const stopping = new AbortController();
let damagedFrames = 0;

async function onDamage(format: Format, damage: Damage): Promise<void> {
  damagedFrames += damage.frames;
  const entry = { sink: format, ...damage.at, bytes: damage.bytes, frames: damage.frames };
  logger.error(entry, 'lost acknowledged frames: the log is damaged');
  await appendLine(join(data.directory, 'damaged.ndjson'), {
    at: new Date().toISOString(),
    ...entry,
  });
}

function createSink(format: Format): StoreSink {
  const reader = new LogReader({
    directory: data.directory,
    format,
    segmentBytes: data.segmentBytes,
    committed: positions.committed,
    onDamage: (damage) => onDamage(format, damage),
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
  positions.release(Math.min(senml.neededSegment(), json.neededSegment()));
  const sinks = { senml: senml.stats(), json: json.stats() };
  parentPort?.postMessage({ sinks, damagedFrames } satisfies SinksReport);
}

const senml = createSink('senml');
const json = createSink('json');
parentPort?.once('message', () => stopping.abort());
await Promise.all([senml.run(), json.run()]);
await client.close();
parentPort?.close();
