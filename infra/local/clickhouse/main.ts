import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Type } from 'typebox';
import { logSettings, port, readSettings, Secret } from '../../runtime/process/config.ts';
import { createLifecycle, run } from '../../runtime/process/lifecycle.ts';
import { createLog } from '../../runtime/process/logger.ts';
import { repairDeduplication } from './engine/deduplication.ts';
import { Engine } from './engine/engine.ts';
import { createHttp } from './http/http.ts';
import { limits } from './limits.ts';
import { Spool } from './http/spool.ts';

const schema = Type.Object({
  DATA_DIR: Type.String({ default: './data' }),
  CLICKHOUSE_PORT: port(0),
  CLICKHOUSE_PASSWORD: Type.Optional(Type.String()),
  /** ClickHouse's own configuration; tests of a cluster have one. */
  CLICKHOUSE_CONFIG: Type.Optional(Type.String()),
  // libuv reads it before any of our code runs, so who starts this process has to set it.
  UV_THREADPOOL_SIZE: Type.Integer({ minimum: limits.threadsMin, maximum: 1024 }),
  ...logSettings,
});

/** ClickHouse's HTTP interface over the engine in the npm package chdb, on 127.0.0.1. */
async function main(): Promise<void> {
  const settings = readSettings(schema, process.env);
  logger.level = settings.LOG_LEVEL;
  const lifecycle = createLifecycle(logger, limits.stopMsMax);

  const directory = resolve(settings.DATA_DIR, 'clickhouse');
  const spoolDirectory = resolve(settings.DATA_DIR, 'clickhouse-spool');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unkept = await repairDeduplication(directory);
  if (unkept.length > 0)
    logger.warn({ parts: unkept }, 'took back notes of parts that were never there');

  const spool = await Spool.open(spoolDirectory);
  const engine = await Engine.open(directory, spoolDirectory, settings.CLICKHOUSE_CONFIG);
  lifecycle.closing('engine', () => engine.close());
  // An exit waits for the engine's threads, and a long INSERT may take minutes. The data can take a kill.
  process.prependListener('exit', () => {
    if (engine.isBusy()) process.kill(process.pid, 'SIGKILL');
  });

  const given = settings.CLICKHOUSE_PASSWORD;
  const password = given === undefined ? undefined : new Secret(given);
  const http = createHttp(engine, spool, password, logger);
  http.server.listen(settings.CLICKHOUSE_PORT, '127.0.0.1');
  await once(http.server, 'listening');
  lifecycle.closing('http', () => http.close(limits.drainMsMax));

  const address = http.server.address();
  const taken = typeof address === 'object' ? address?.port : undefined;
  logger.info({ port: taken, version: engine.version }, 'ready');
  await lifecycle.stopped;
}

const logger = createLog('clickhouse', 'info');
await run(logger, main);
