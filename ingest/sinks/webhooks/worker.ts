/**
 * The thread of the webhooks' sink: it writes what the log has for webhooks into Postgres. The writer of when things were
 * last heard runs beside it. The thread's priority is lower than that of acks and the store.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Calls } from '../../../infra/runtime/observability/calls.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { NotReached } from '../../../infra/runtime/network/failure.ts';
import { postgresConnections } from '../../../infra/runtime/stores/postgres-connections.ts';
import { openPostgres } from '../../../infra/runtime/stores/postgres.ts';
import { LogReader } from '../../log/reader.ts';
import { sharedPositions } from '../../log/positions.ts';
import { readIdentity, renewReverted } from '../../log/directory/identity.ts';
import { SinkDriver, type SinkLimits } from '../driver.ts';
import { giveWay } from '../give-way.ts';
import { PositionLedger } from '../ledger.ts';
import { noteDamage } from '../notes.ts';
import type { SinkProgress, SinkThreadData } from '../sink.ts';
import { runLastSeenWriter } from '../../last-seen/writer.ts';
import { KeptPosition } from '../kept-position.ts';
import { WebhookOutbox } from './send.ts';

/** The data that the thread is started with. */
export type WebhookThreadData = SinkThreadData & {
  databaseUrl: string;
  queryMsMax: number;
  windowBytes: number;
  bytesPerOrgMax: number;
  limits: SinkLimits;
};

/** The report that the thread makes after each batch. */
export type WebhookReport = SinkProgress & WebhookOutbox['counts'];

const nicerBy = 10;

const data: WebhookThreadData = workerData;
const { directory, limits } = data;
const logger = createLog('ingest', data.logLevel);
const calls = new Calls(data.calls);
const pool = openPostgres(
  data.databaseUrl,
  postgresConnections.ingest.webhooks,
  data.queryMsMax,
  logger,
  calls,
);
const positions = sharedPositions(data.positions);
const stopping = new AbortController();
const { id } = await readIdentity(directory);

const position = new KeptPosition({
  pool,
  of: 'webhooks',
  logId: id,
  committedAtStart: positions.committed(),
  /** The thread starts again, with another identity. */
  async onReverted() {
    await renewReverted(directory, logger);
    stopping.abort();
    throw new NotReached('the log takes another identity');
  },
});
const { bytesPerOrgMax } = data;
const outbox = new WebhookOutbox({ pool, logId: id, position, bytesPerOrgMax });
const sink = new SinkDriver({
  name: 'webhook',
  formats: ['webhook'],
  directory,
  reader: new LogReader({
    directory,
    formats: ['webhook'],
    segmentBytes: data.segmentBytes,
    committed: positions.committed,
    onDamage: (damage) => noteDamage({ directory, positions, logger }, damage),
    windowBytes: data.windowBytes,
  }),
  ledger: new PositionLedger(),
  target: outbox,
  limits,
  logger,
  stopping: stopping.signal,
  positions,
  onProgress() {
    positions.release(data.sink, sink.neededSegment());
    parentPort?.postMessage({ ...sink.progress(), ...outbox.counts } satisfies WebhookReport);
  },
});

const lastSeen = runLastSeenWriter({
  log: { id, directory, segmentBytes: data.segmentBytes, positions },
  databaseUrl: data.databaseUrl,
  calls,
  logger,
  stopping: stopping.signal,
});

giveWay(nicerBy);
parentPort?.once('message', () => stopping.abort());
await Promise.all([sink.run(), lastSeen]);
await pool.end();
parentPort?.close();
