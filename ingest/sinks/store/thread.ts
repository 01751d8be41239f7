import { parentPort, workerData } from 'node:worker_threads';
import { Calls } from '../../../infra/runtime/observability/calls.ts';
import { openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { startTracing } from '../../../infra/runtime/observability/tracing.ts';
import type { Format } from '../../log/format.ts';
import { LogReader } from '../../log/reader.ts';
import { type SharedPositions, sharedPositions } from '../../log/positions.ts';
import type { SinkDriver } from '../driver.ts';
import { giveWay } from '../give-way.ts';
import { noteDamage } from '../notes.ts';
import type { SinkProgress, SinkThreadData } from '../sink.ts';
import { readIdentity, renewReverted } from '../../log/directory/identity.ts';
import { ClickHouseStore, type Store, traceInserts } from './send.ts';
import { createStoreSink, type StoreSinkLimits, type StoreSinkOptions } from './sink.ts';

/** The data that the thread is started with. */
export type StoreThreadData = SinkThreadData & {
  clickhouseUrl: string;
  insertTimeoutMs: number;
  limits: StoreSinkLimits;
};

/** The report that the thread makes after each batch. */
export type StoreReport = {
  sinks: Record<Format, SinkProgress>;
  /** The number of identities that the log had before this one. */
  formerIdentities: number;
};

/** Than the thread that acknowledges, and less so than the sink of webhooks. */
const nicerBy = 10;

/** The options that the sinks of both formats share. */
type Shared = Pick<StoreSinkOptions, 'logger' | 'onProgress' | 'onReverted' | 'stopping'> & {
  positions: SharedPositions;
  data: StoreThreadData;
  storeOf: (format: Format) => Store;
};

function createSink(format: Format, { data, storeOf, ...shared }: Shared): SinkDriver {
  const { directory, segmentBytes, limits } = data;
  const { positions, logger } = shared;
  const reader = new LogReader({
    directory,
    formats: [format],
    segmentBytes,
    committed: positions.committed,
    onDamage: (damage) => noteDamage({ directory, positions, logger }, damage),
  });
  return createStoreSink({ format, directory, reader, store: storeOf(format), limits, ...shared });
}

/**
 * The thread of the store's sink: it delivers the log to ClickHouse, and never delays an ack. `between` may put itself
 * between sinks and store.
 */
export async function runStoreThread(
  between: (store: Store) => Store = (store) => store,
): Promise<void> {
  const data: StoreThreadData = workerData;
  const { directory } = data;
  const logger = createLog('ingest', data.logLevel);
  const calls = new Calls(data.calls);
  const client = openClickHouse(data.clickhouseUrl, 'millrace-ingest', data.insertTimeoutMs, calls);
  const tracing = await startTracing(data.tracing);
  const positions = sharedPositions(data.positions);
  const stopping = new AbortController();
  const identity = await readIdentity(directory);
  let renewing: Promise<void> | undefined;
  const shared: Shared = {
    data,
    logger,
    positions,
    stopping: stopping.signal,
    storeOf: (format) =>
      traceInserts(between(new ClickHouseStore(client, format, identity.id)), format, tracing),
    onProgress() {
      positions.release(data.sink, Math.min(senml.neededSegment(), json.neededSegment()));
      const sinks = { senml: senml.progress(), json: json.progress() };
      const report: StoreReport = { sinks, formerIdentities: identity.former };
      parentPort?.postMessage(report);
    },
    /** Found only now, because the store was away at the start: the thread starts again, with another identity. */
    onReverted() {
      renewing ??= renewReverted(directory, logger).then(() => stopping.abort());
      return renewing;
    },
  };

  giveWay(nicerBy);
  const senml = createSink('senml', shared);
  const json = createSink('json', shared);
  parentPort?.once('message', () => stopping.abort());
  await Promise.all([senml.run(), json.run()]);
  await client.close();
  await tracing?.stop();
  parentPort?.close();
}
