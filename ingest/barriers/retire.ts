/**
 * Retires an edge that is gone for good, so that nothing waits for its log any more. Needs an edge's settings.
 *
 *   retire                  the logs that deletions wait for
 *   retire DIRECTORY        brings what the log in this directory still holds to the store and the webhooks
 *   retire --lost ID        gives up a log whose disk is lost
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../../infra/runtime/process/config.ts';
import { createLifecycle, type Lifecycle, run } from '../../infra/runtime/process/lifecycle.ts';
import { createLog, type Logger } from '../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../infra/runtime/stores/postgres.ts';
import { type IngestConfig, readIngestConfig } from '../config.ts';
import { limits } from '../limits.ts';
import { lockDirectory } from '../log/directory/lock.ts';
import { createDisk } from '../log/disk.ts';
import { type Position } from '../log/format.ts';
import { Log } from '../log/log.ts';
import { createPositions } from '../log/positions.ts';
import { startHousekeeping } from '../sinks/housekeeping.ts';
import { sinkCount, Sinks } from '../sinks/sinks.ts';
import { renewIfReverted } from '../sinks/store/reverted.ts';
import { forgetLog, forgetSilentLog, knownLogs } from './sql.ts';

const usage = 'usage: retire | retire DIRECTORY | retire --lost ID';
const lookEveryMs = 50;
const tellEveryMs = 10_000;
/** An edge that runs gives a sign of life each minute. */
const silentSecondsMin = 180;

/** Sends all that the log of a directory holds, then forgets the log. The directory is empty of messages then. */
async function carryOver(
  directory: string,
  config: IngestConfig,
  pool: Pool,
  lifecycle: Lifecycle,
  logger: Logger,
): Promise<void> {
  if (!existsSync(resolve(directory, 'log.id'))) throw new ConfigError(`${directory} has no log`);
  lifecycle.closing('lock', lockDirectory(directory).release);
  await renewIfReverted(directory, config.clickhouseUrl, limits.revertedQueryMsMax, logger);
  const positions = createPositions(sinkCount);
  const log = await Log.open({
    directory,
    disk: createDisk({ dataSync: true }),
    limits: config.log,
    logger,
    positions,
  });
  lifecycle.closing('log', () => log.close());
  const sinks = Sinks.start(log, config, logger);
  lifecycle.closing('sinks', () => sinks.stop());
  lifecycle.closing('housekeeping', startHousekeeping(log, sinks, logger).stop);
  const end = await log.flushed();
  positions.awaitSaved(end);
  logger.info({ directory, log: log.id }, 'sending what this log holds');
  if (!(await untilSent(sinks, end, lifecycle, logger))) return;
  await log.deletePassed();
  await forgetLog(pool, log.id);
  logger.info({ directory, log: log.id }, 'retired: all that this log held is sent');
}

/** False if it was told to stop before. */
async function untilSent(
  sinks: Sinks,
  end: Position,
  lifecycle: Lifecycle,
  logger: Logger,
): Promise<boolean> {
  let isStopped = false;
  void lifecycle.stopped.then(() => (isStopped = true));
  let toldAt = performance.now();
  while (!sinks.haveSaved(end)) {
    if (isStopped) return false;
    if (performance.now() - toldAt > tellEveryMs) {
      toldAt = performance.now();
      const pending = sinks.progress().map(([name, { pendingBytes }]) => [name, pendingBytes]);
      logger.info({ pendingBytes: Object.fromEntries(pending) }, 'still sending');
    }
    await delay(lookEveryMs);
  }
  return true;
}

async function giveUp(id: string, pool: Pool, logger: Logger): Promise<void> {
  const known = (await knownLogs(pool)).some((log) => log.id === id);
  if (!known) throw new ConfigError(`no log ${id} is known: nothing waits for it`);
  if (!(await forgetSilentLog(pool, id, silentSecondsMin))) {
    throw new ConfigError(`the edge of log ${id} gave a sign of life: stop it, and wait`);
  }
  logger.warn({ log: id }, 'given up: what only this log held is lost');
}

async function main(logger: Logger): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { lost: { type: 'string' } },
    allowPositionals: true,
  });
  const [directory, ...more] = positionals;
  if (more.length > 0 || (directory !== undefined && values.lost !== undefined)) {
    throw new ConfigError(usage);
  }
  const config = readIngestConfig(process.env);
  const lifecycle = createLifecycle(logger, limits.shutdownMsMax);
  const pool = openPostgres(config.databaseUrl, 1, limits.keyQueryMsMax, logger);
  lifecycle.closing('postgres', () => pool.end());
  if (values.lost !== undefined) await giveUp(values.lost, pool, logger);
  else if (directory !== undefined) {
    await carryOver(resolve(directory), config, pool, lifecycle, logger);
  } else {
    for (const { id, seenAt } of await knownLogs(pool)) logger.info({ log: id, seenAt }, 'a log');
  }
  lifecycle.stop('done');
  await lifecycle.stopped;
}

const logger = createLog('retire', 'info');
await run(logger, () => main(logger));
