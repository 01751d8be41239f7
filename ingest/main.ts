/** The edge: takes messages and writes each to its log on the disk before it answers; sinks deliver them from there. */
import { startHistory } from '../infra/runtime/history/report.ts';
import { Connections } from '../infra/runtime/network/connections.ts';
import { Calls } from '../infra/runtime/observability/calls.ts';
import { createMetrics } from '../infra/runtime/observability/metrics.ts';
import {
  startOperatorServer,
  operatorResponses,
} from '../infra/runtime/observability/operator-server.ts';
import { startTracing } from '../infra/runtime/observability/tracing.ts';
import { createLifecycle, run } from '../infra/runtime/process/lifecycle.ts';
import { createLog, type Logger } from '../infra/runtime/process/logger.ts';
import { mustBeRecent } from '../infra/runtime/stores/versions.ts';
import { createKeys, type Keys, type KeyStores, openKeyStores } from './auth/keys.ts';
import { createThingRates } from './auth/rates/thing-rates.ts';
import { startUsage } from './auth/rates/usage.ts';
import { Barriers } from './barriers/barriers.ts';
import { Codec } from './codecs/codec.ts';
import { readIngestConfig } from './config.ts';
import { createAccessLog } from './doors/http/access-log.ts';
import { Answered } from './doors/http/answered.ts';
import { answerAll, Receiver, type Waiter } from './doors/http/messages.ts';
import { serve } from './doors/server.ts';
import { FrameReceiver } from './doors/stream/frame-receiver.ts';
import { Streams } from './doors/stream/streams.ts';
import { startReporting } from './last-seen/report.ts';
import { limits } from './limits.ts';
import { takeLogDirectory } from './log/directory/take.ts';
import { createDisk, type Disk } from './log/disk.ts';
import { Log } from './log/log.ts';
import { createPositions } from './log/positions.ts';
import { checkEdge } from './observability/health.ts';
import { registerMetrics } from './observability/metrics.ts';
import { followQuarantine } from './observability/quarantined.ts';
import { startHousekeeping } from './sinks/housekeeping.ts';
import { sinkCount, Sinks } from './sinks/sinks.ts';
import { renewIfReverted } from './sinks/store/reverted.ts';

/** The parts that can be replaced by ones that fail on command: the disk, and the thread of the store's sink. */
export type Faultable = { disk: Disk; storeWorker?: URL };

type OnReady = (port: number) => void;

/**
 * Opens the parts in reverse order of a message's way, so that each part's target is open before the part. They are
 * closed in the opposite order: first the listener, last the stores. One function, though long: it is the list of the
 * parts.
 */
async function startEdge({ disk, storeWorker }: Faultable, onReady: OnReady): Promise<void> {
  const config = readIngestConfig(process.env);
  const logger = createLog('ingest', config.logLevel);
  const lifecycle = createLifecycle(logger, limits.shutdownMsMax);

  const tracing = await startTracing(config.tracing);
  if (tracing !== undefined) lifecycle.closing('tracing', () => tracing.stop());
  await mustBeRecent(config);
  const calls = new Calls();
  const stores = openKeyStores(config, calls, logger, lifecycle);
  const keys = createKeys(config, stores, logger);
  await keys.journal.start();
  lifecycle.closing('journal', () => keys.journal.stop());

  const directory = await takeLogDirectory(config.dataDir, config.index, config.processes, logger);
  lifecycle.closing('lock', directory.release);
  await renewIfReverted(directory.path, config.clickhouseUrl, limits.revertedQueryMsMax, logger);
  const positions = createPositions(sinkCount);
  const log = await Log.open<Waiter>({
    directory: directory.path,
    disk,
    limits: config.log,
    logger,
    positions,
    onCommit(waiters, durable) {
      answerAll(waiters, durable);
      frames.tell();
    },
  });
  lifecycle.closing('log', () => log.close());

  const sinks = Sinks.start(log, config, logger, storeWorker);
  lifecycle.closing('sinks', () => sinks.stop());
  const housekeeping = startHousekeeping(log, sinks, logger);
  lifecycle.closing('housekeeping', housekeeping.stop);
  const reporting = startReporting(keys.things, positions, (heard, moved) =>
    sinks.hear(heard, moved),
  );
  lifecycle.closing('last seen', reporting.stop);
  lifecycle.closing('usage', startUsage(stores.pool, keys.meters, limits, logger));
  const barriers = await openBarriers(stores, keys, log, sinks, logger);
  lifecycle.closing('barriers', () => barriers.stop());

  const codec = new Codec(config.codec);
  const rates = createThingRates(config.messagesPerThingSecondMax, limits.knownKeysMax);
  const receiver = new Receiver({
    keys: keys.things,
    log,
    codec,
    guesses: keys.guesses,
    rates,
    unknownKeysPerMinuteMax: config.unknownKeysPerMinuteMax,
    subtopicCharsMax: config.subtopicCharsMax,
    tracing,
    logger,
  });
  const bodies = { bodyBytesMax: config.bodyBytesMax, bufferedBytesMax: limits.bufferedBytesMax };
  const frames: FrameReceiver = new FrameReceiver({
    keys: keys.things,
    log,
    codec,
    rates,
    bodyBytesMax: config.bodyBytesMax,
    recordsPerMessageMax: config.codec.recordsPerMessageMax,
    nameCharsMax: limits.nameCharsMax,
    stats: receiver.stats,
    logger,
  });
  const { clientAddress } = config;
  const connections = new Connections(config.connections, clientAddress.isProxy, logger);
  const streams = new Streams({
    keys: keys.things,
    guesses: keys.guesses,
    receiver,
    frames,
    subtopicCharsMax: config.subtopicCharsMax,
    bodies,
    counts: config.streams,
    isProxy: clientAddress.isProxy,
  });
  const answered = new Answered();
  const metrics = createMetrics(config.about);
  const received = receiver.stats;
  registerMetrics(metrics, { log, received, answered, connections, streams, sinks, calls });
  const operations = {
    about: config.about,
    metricsAccess: config.metricsAccess,
    metrics,
    checkHealth: async () => checkEdge(log.stats(), sinks, keys.journal, stores.redis),
  };

  const server = await serve(
    {
      message: (exchange) => receiver.message(exchange),
      streams,
      operations: operatorResponses(operations),
      connections,
    },
    {
      ...bodies,
      chunkStallMsMax: limits.chunkStallMsMax,
      clientAddress,
      cors: config.cors,
      accessLog: createAccessLog(logger, config.accessLogShare),
      answered,
    },
    config.listen,
  );
  lifecycle.closing('listener', () => server.close());
  let { port } = server;
  if (config.operatorPort !== undefined) {
    const address = { host: config.listen.host, port: config.operatorPort };
    const operators = await startOperatorServer(
      { ...address, setting: 'INGEST_OPERATOR_PORT', logger },
      operations,
    );
    lifecycle.closing('operators', () => operators.close());
    logger.info({ port: operators.port }, 'ready for operators');
    port = operators.port;
  }
  const history = startHistory({
    ...operations,
    kind: 'edge',
    id: log.id,
    port,
    pool: stores.pool,
    quarantine: followQuarantine(log.directory),
    logger,
  });
  lifecycle.closing('history', history);
  logger.info({ port: server.port }, 'ready');
  onReady(server.port);
  await lifecycle.stopped;
}

/** A notice of changed keys may come from a deletion, which waits for this log. */
async function openBarriers(
  { journalPool, notices }: KeyStores,
  { journal }: Keys,
  log: Log<Waiter>,
  sinks: Sinks,
  logger: Logger,
): Promise<Barriers> {
  const barriers = await Barriers.start({
    pool: journalPool,
    logId: log.id,
    readKeyChanges: () => journal.catchUp(),
    areNoticesOn: () => notices.status === 'ready',
    flushed: () => log.flushed(),
    isStored(end) {
      log.positions.awaitSaved(end);
      return sinks.hasSaved(end);
    },
    logger,
  });
  notices.on('message', () => {
    void journal.poll();
    barriers.look();
  });
  return barriers;
}

/** Runs an edge over these parts until it is told to stop. */
export function main(parts: Faultable, onReady: OnReady = () => undefined): Promise<void> {
  return run(createLog('ingest', 'info'), () => startEdge(parts, onReady));
}

if (import.meta.main) await main({ disk: createDisk({ dataSync: true }) });
