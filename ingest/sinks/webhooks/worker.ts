/**
 * The thread of the webhooks' sink: it delivers the log to the queue. It also writes when things were last heard. Its
 * priority is lower than that of acks and the store.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Calls } from '../../../infra/runtime/observability/calls.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { postgresConnections } from '../../../infra/runtime/stores/postgres-connections.ts';
import { openPostgres } from '../../../infra/runtime/stores/postgres.ts';
import { openRedis } from '../../../infra/runtime/stores/redis.ts';
import { LogReader } from '../../log/reader.ts';
import { sharedPositions } from '../../log/positions.ts';
import { giveWay } from '../give-way.ts';
import { noteDamage } from '../notes.ts';
import type { SinkThreadData } from '../sink.ts';
import type { Heard } from '../../last-seen/last-seen.ts';
import { openLastSeenWriter } from '../../last-seen/writer.ts';
import { WebhookBatches } from './prepare.ts';
import { WebhookQueue } from './send.ts';
import type { ShareLimits } from './shares.ts';
import { WebhookSink, type WebhookSinkLimits, type WebhookSinkStats } from './sink.ts';

/** What the thread is started with. */
export type WebhookThreadData = SinkThreadData & {
  databaseUrl: string;
  redisUrl: string;
  queryMsMax: number;
  redisMsMax: number;
  windowBytes: number;
  /** Jobs in the queue, beyond which messages wait in Postgres. */
  queueJobsMax: number;
  shares: ShareLimits;
  limits: WebhookSinkLimits;
};

const nicerBy = 10;

const data: WebhookThreadData = workerData;
const logger = createLog('ingest', data.logLevel);
const calls = new Calls(data.calls);
const pool = openPostgres(
  data.databaseUrl,
  postgresConnections.ingest.webhooks,
  data.queryMsMax,
  logger,
  calls,
);
const redis = openRedis(data.redisUrl, logger, data.redisMsMax, calls);
const queue = new WebhookQueue(redis, data.queueJobsMax);
const positions = sharedPositions(data.positions);
const stopping = new AbortController();

const sink = new WebhookSink({
  directory: data.directory,
  reader: new LogReader({
    directory: data.directory,
    format: 'webhook',
    segmentBytes: data.segmentBytes,
    committed: positions.committed,
    onDamage: (damage) => noteDamage(data.directory, logger, 'webhook', damage),
    windowBytes: data.windowBytes,
  }),
  positions,
  batches: new WebhookBatches(pool, data.logId, data.shares),
  queue,
  limits: data.limits,
  logger,
  stopping: stopping.signal,
  onProgress() {
    positions.release(data.sink, sink.neededSegment());
    parentPort?.postMessage(sink.stats() satisfies WebhookSinkStats);
  },
});

const lastSeen = openLastSeenWriter({
  log: { directory: data.directory, segmentBytes: data.segmentBytes, positions },
  databaseUrl: data.databaseUrl,
  calls,
  logger,
  stopping: stopping.signal,
});

giveWay(nicerBy);
parentPort?.on('message', (message: Heard | 'stop') => {
  if (message === 'stop') stopping.abort();
  else lastSeen.add(message);
});
await Promise.all([sink.run(), lastSeen.run()]);
await queue.close();
redis.disconnect();
await pool.end();
parentPort?.close();
