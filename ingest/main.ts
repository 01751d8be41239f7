/** The edge: takes messages and writes each to its log on the disk before it answers; sinks deliver them from there. */
import { Calls } from '../infra/runtime/observability/calls.ts';
import { operatorResponses } from '../infra/runtime/observability/operator-server.ts';
import { startTracing } from '../infra/runtime/observability/tracing.ts';
import { createLifecycle, run } from '../infra/runtime/process/lifecycle.ts';
import { createLog } from '../infra/runtime/process/logger.ts';
import { mustBeRecent } from '../infra/runtime/stores/versions.ts';
import { createKeys, openKeyStores } from './auth/keys.ts';
import { createThingRates } from './rates/thing-rates.ts';
import { RefusedMessages } from './rates/refused-messages.ts';
import { startUsage } from './rates/usage.ts';
import { openBarriers } from './barriers/barriers.ts';
import { Codec } from './codecs/codec.ts';
import { LineReader } from './codecs/line/reader.ts';
import { openCommands } from './commands/open.ts';
import { readIngestConfig } from './config.ts';
import { createDoors, type OpenDoors } from './doors/doors.ts';
import { keepSessions } from './doors/mqtt/kept/open.ts';
import { createDevices } from './intake/gateways/devices.ts';
import { openAwaitedMessages } from './intake/awaited-messages.ts';
import { Intake } from './intake/intake.ts';
import { startReporting } from './last-seen/report.ts';
import { limits } from './limits.ts';
import { takeLogDirectory } from './log/directory/take.ts';
import { createDisk, type Disk } from './log/disk.ts';
import { Log } from './log/log.ts';
import { createPositions } from './log/positions.ts';
import { startOperators, viewOf } from './observability/operators.ts';
import { startHousekeeping } from './sinks/housekeeping.ts';
import { sinkCount, Sinks } from './sinks/sinks.ts';
import { renewIfReverted } from './sinks/store/reverted.ts';

/** The parts that can be replaced by ones that fail on command: the disk, and the thread of the store's sink. */
type Faultable = { disk: Disk; storeWorker?: URL };

/** Told which ports are open. */
type OnReady = (ports: Omit<OpenDoors, 'close'>) => void;

/**
 * Opens the parts in reverse order of a message's way, so that each part's target is open before the part. They are
 * closed in the opposite order: first the doors, last the stores. One function, though long: it is the list of the
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
  // Beside the sinks, the sessions of MQTT are read from the log.
  const positions = createPositions(sinkCount + 1);
  const opened = { directory: directory.path, disk, limits: config.log, logger, positions };
  const log = await Log.open(opened);
  lifecycle.closing('log', () => log.close());
  const sessions = await keepSessions(log, sinkCount, stores.redis, lifecycle, logger);

  const sinks = Sinks.start(log, config, logger, storeWorker);
  lifecycle.closing('sinks', () => sinks.stop());
  const housekeeping = startHousekeeping(log, sinks, logger);
  lifecycle.closing('housekeeping', housekeeping.stop);
  const reporting = startReporting(keys.things, positions, () => log.stats().accepting);
  lifecycle.closing('last seen', reporting.stop);
  lifecycle.closing('usage', startUsage(stores.pool, keys.meters, limits, logger));
  const commands = openCommands(config, calls, logger, lifecycle);
  const refused = new RefusedMessages(limits);
  lifecycle.closing('refused messages', refused.start(stores.pool, logger));
  const barriers = await openBarriers(stores, keys, log, sinks, logger);
  lifecycle.closing('barriers', () => barriers.stop());

  const intake = new Intake({
    keys: keys.things,
    devices: createDevices(config, keys.things, stores.pool, logger),
    guesses: keys.guesses,
    unknownKeysPerMinuteMax: config.unknownKeysPerMinuteMax,
    rates: createThingRates(config.messagesPerThingSecondMax, limits.knownKeysMax),
    bodyBytesMax: config.bodyBytesMax,
    codec: new Codec(config.codec),
    lines: new LineReader(config.lines),
    awaited: openAwaitedMessages(config, stores.redis, lifecycle, logger),
    log,
    logger,
  });
  const doors = createDoors(config, { intake, commands, sessions, refused, tracing, logger });
  const view = viewOf(config, { log, intake, doors, sinks, commands, calls }, keys, stores);
  const server = await doors.open(operatorResponses(view));
  lifecycle.closing('listener', () => server.close());
  await startOperators(view, { port: server.port, log }, config, stores, lifecycle, logger);
  const { close: _close, ...ports } = server;
  logger.info(ports, 'ready');
  onReady(ports);
  await lifecycle.stopped;
}

/** Runs an edge over these parts until it is told to stop. */
export function main(parts: Faultable, onReady: OnReady = () => undefined): Promise<void> {
  return run(createLog('ingest', 'info'), () => startEdge(parts, onReady));
}

if (import.meta.main) await main({ disk: createDisk({ dataSync: true }) });
