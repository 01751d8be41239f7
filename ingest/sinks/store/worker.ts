/** The thread of the store's sink: it delivers the log to ClickHouse, and never delays an ack. */
import { parentPort, workerData } from 'node:worker_threads';
import { Calls } from '../../../infra/runtime/observability/calls.ts';
import { openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { startTracing } from '../../../infra/runtime/observability/tracing.ts';
import type { Format } from '../../log/format.ts';
import { LogReader } from '../../log/reader.ts';
import { sharedPositions } from '../../log/positions.ts';
import { giveWay } from '../give-way.ts';
import { noteDamage } from '../notes.ts';
import type { SinkThreadData } from '../sink.ts';
import { readIdentity } from '../../log/directory/identity.ts';
import { renewReverted } from './reverted.ts';
import { ClickHouseStore, traceInserts } from './send.ts';
import { StoreSink, type StoreSinkLimits, type StoreSinkStats } from './sink.ts';

/** What the thread is started with. */
export type StoreThreadData = SinkThreadData & {
  clickhouseUrl: string;
  insertTimeoutMs: number;
  limits: StoreSinkLimits;
};

/** What it reports after each batch. */
export type StoreReport = {
  sinks: Record<Format, StoreSinkStats>;
  damagedFrames: number;
  /** How many identities the log had before this one. */
  formerIdentities: number;
};

/** Than the thread that acknowledges, and less so than the sink of webhooks. */
const nicerBy = 10;

const data: StoreThreadData = workerData;
const logger = createLog('ingest', data.logLevel);
const client = openClickHouse(
  data.clickhouseUrl,
  'millrace-ingest',
  data.insertTimeoutMs,
  new Calls(data.calls),
);
const tracing = await startTracing(data.tracing);
const positions = sharedPositions(data.positions);
const stopping = new AbortController();
const identity = await readIdentity(data.directory);
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
    store: traceInserts(new ClickHouseStore(client, format, identity.id), format, tracing),
    limits: data.limits,
    logger,
    stopping: stopping.signal,
    positions,
    onProgress: report,
    onReverted,
  });
}

let renewing: Promise<void> | undefined;

/** Found only now, because the store was away at the start: the thread starts again, with another identity. */
function onReverted(): Promise<void> {
  renewing ??= renewReverted(data.directory, logger).then(() => stopping.abort());
  return renewing;
}

function report(): void {
  positions.release(data.sink, Math.min(senml.neededSegment(), json.neededSegment()));
  const sinks = { senml: senml.stats(), json: json.stats() };
  parentPort?.postMessage({
    sinks,
    damagedFrames,
    formerIdentities: identity.former,
  } satisfies StoreReport);
}

giveWay(nicerBy);
const senml = createSink('senml');
const json = createSink('json');
parentPort?.once('message', () => stopping.abort());
await Promise.all([senml.run(), json.run()]);
await client.close();
await tracing?.stop();
parentPort?.close();
