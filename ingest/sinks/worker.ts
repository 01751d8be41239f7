/** The sinks' thread: everything behind the log happens here, so that it never delays an ack. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { openClickHouse } from '../../infra/clickhouse.ts';
import { createLog } from '../../infra/log.ts';
import { openPostgres } from '../../infra/postgres.ts';
import { openRedis } from '../../infra/redis.ts';
import { appendLine } from '../log/files.ts';
import type { Format, FrameFormat } from '../log/format.ts';
import { type Damage, LogReader } from '../log/reader.ts';
import { sharedPositions } from '../log/shared.ts';
import { insertBatch } from './insert.ts';
import { type SinkLimits, type SinkStats, StoreSink } from './store-sink.ts';
import { WebhookBatches } from './webhook-batch.ts';
import { WebhookQueue, type WebhookQueueLimits } from './webhook-queue.ts';
import { WebhookSink, type WebhookSinkLimits, type WebhookSinkStats } from './webhook-sink.ts';

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
  webhooks: {
    databaseUrl: string;
    redisUrl: string;
    queryMsMax: number;
    redisMsMax: number;
    windowBytes: number;
    queue: WebhookQueueLimits;
    limits: WebhookSinkLimits;
  };
};

/** What it tells, after each batch. */
export type SinksReport = {
  sinks: Record<Format, SinkStats>;
  webhooks: WebhookSinkStats;
  damagedFrames: number;
};

const data: SinkWorkerData = workerData;
const logger = createLog('ingest', data.logLevel);
const client = openClickHouse(data.clickhouseUrl, 'millrace-ingest', data.insertTimeoutMs);
const { databaseUrl, queryMsMax, redisUrl, redisMsMax } = data.webhooks;
const pool = openPostgres(databaseUrl, 1, queryMsMax, logger);
const redis = openRedis(redisUrl, logger, redisMsMax);
const queue = new WebhookQueue(redis, data.webhooks.queue);
const positions = sharedPositions(data.positions);
const stopping = new AbortController();
let damagedFrames = 0;

async function onDamage(format: FrameFormat, damage: Damage): Promise<void> {
  // Who follows the log for webhooks meets what the others meet.
  if (format !== 'webhook') damagedFrames += damage.frames;
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

function createWebhookSink(): WebhookSink {
  const reader = new LogReader({
    directory: data.directory,
    format: 'webhook',
    segmentBytes: data.segmentBytes,
    committed: positions.committed,
    onDamage: (damage) => onDamage('webhook', damage),
    windowBytes: data.webhooks.windowBytes,
  });
  return new WebhookSink({
    directory: data.directory,
    reader,
    positions,
    batches: new WebhookBatches(pool, data.logId),
    queue,
    limits: data.webhooks.limits,
    logger,
    stopping: stopping.signal,
    onProgress: report,
  });
}

function report(): void {
  const needed = [senml, json, webhooks].map((sink) => sink.neededSegment());
  positions.release(Math.min(...needed));
  const sinks = { senml: senml.stats(), json: json.stats() };
  const told = { sinks, webhooks: webhooks.stats(), damagedFrames };
  parentPort?.postMessage(told satisfies SinksReport);
}

const senml = createSink('senml');
const json = createSink('json');
const webhooks = createWebhookSink();
parentPort?.once('message', () => stopping.abort());
await Promise.all([senml.run(), json.run(), webhooks.run()]);
await client.close();
await queue.close();
redis.disconnect();
await pool.end();
parentPort?.close();
