import { join } from 'node:path';
import { announceCommands } from '../infra/runtime/commands/notice.ts';
import { startHistory } from '../infra/runtime/history/report.ts';
import { Connections } from '../infra/runtime/network/connections.ts';
import { Calls } from '../infra/runtime/observability/calls.ts';
import { createLifecycle, run } from '../infra/runtime/process/lifecycle.ts';
import { createLog } from '../infra/runtime/process/logger.ts';
import {
  createMetrics,
  measureCalls,
  measureDisk,
} from '../infra/runtime/observability/metrics.ts';
import { mustBeRecent } from '../infra/runtime/stores/versions.ts';
import { createKeyVault } from '../infra/runtime/process/secrets.ts';
import { startTracing } from '../infra/runtime/observability/tracing.ts';
import { createAuthentication } from './access/authenticate.ts';
import { openAuthority } from './devices/certs/local-authority.ts';
import { rememberAuthority } from './devices/certs/sql.ts';
import { readApiConfig } from './config.ts';
import { buildConsole } from './console/build.ts';
import { openStores } from './stores/open.ts';
import { checkNeighbours } from './operations/health.ts';
import { findProcesses } from './operations/history/sql.ts';
import { measureStore } from './operations/history/store-metrics.ts';
import { findProblems, measureProblems } from './operations/problems/find.ts';
import { startCleaningCommands } from './devices/commands/cleaning.ts';
import { announceKeyChanges, startCleaningKeyJournal } from './devices/key-changes.ts';
import { openNextMessages } from './devices/things/next-messages.ts';
import { limits } from './limits.ts';
import { startRecovering } from './messages/backup/restore/recover.ts';
import { Publishers, startKeepingPublishers } from './messages/reach/publishers.ts';
import { openQueues } from './operations/queues/open.ts';
import { buildServer } from './server/server.ts';
import { startCleaningAudit } from './management/audit/cleaning.ts';
import { ensureAdmin } from './management/users/first-admin.ts';

const benchResultsPath = join(import.meta.dirname, '../bench/results.ndjson');

await run(createLog('api', 'info'), async () => {
  const config = readApiConfig(process.env);
  const logger = createLog('api', config.logLevel);
  const lifecycle = createLifecycle(logger, limits.stopMsMax);

  // Observability.
  const tracing = await startTracing(config.tracing);
  if (tracing !== undefined) lifecycle.closing('tracing', () => tracing.stop());
  const calls = new Calls();
  const metrics = createMetrics(config.about);
  measureCalls(metrics, [calls]);
  measureDisk(metrics, config.dataDir);

  await mustBeRecent(config);

  // Stores, queues, and what must be there at the first start.
  const authority = await openAuthority(config.dataDir, config.authority);
  const { pool, db, accessDb, redis, clickhouse } = openStores(config, calls, lifecycle, logger);
  measureStore(metrics, clickhouse.writer);
  measureProblems(metrics, async () => findProblems(db, await findProcesses(db)));
  const queues = openQueues(redis);
  lifecycle.closing('queues', () => queues.close());
  await ensureAdmin(db, config.admin);
  await rememberAuthority(db, authority);
  const vault = createKeyVault(config.secretKey);

  // Background work.
  lifecycle.closing('key journal', startCleaningKeyJournal(db, logger));
  lifecycle.closing('audit log', startCleaningAudit(db, config.auditDays, logger));
  const { days } = config.commands;
  lifecycle.closing('commands', startCleaningCommands(db, days, metrics, logger));
  const publishers = new Publishers(db, clickhouse.writer);
  lifecycle.closing('publishers', startKeepingPublishers(publishers, logger));
  lifecycle.closing('recovery of restores', startRecovering({ db, clickhouse }, logger));

  // HTTP.
  const { about, accessLogShare, addressesAllowed, budgets, clientAddress, cors } = config;
  const { clientScheme, crlUrl, ingestUrl, invites } = config;
  const checkHealth = () =>
    checkNeighbours({ pool, clickhouse: clickhouse.watcher, redis, ingestUrl });
  const server = buildServer({
    db,
    accessDb,
    clickhouse,
    publishers,
    vault,
    ...createAuthentication(redis, config),
    consoleFiles: await buildConsole(),
    about,
    tracing,
    metrics,
    logger,
    ingestUrl,
    invites,
    spoolDir: join(config.dataDir, 'restore-spool'),
    authority,
    crlUrl,
    benchResultsPath,
    queues,
    addressesAllowed,
    clientAddress,
    connections: new Connections(config.connections, clientAddress.isProxy, logger),
    clientScheme,
    cors,
    accessLogShare,
    budgets,
    announceKeyChanges: () => announceKeyChanges(redis),
    nextMessages: openNextMessages(config, redis, lifecycle, logger),
    commandLimits: config.commands.limits,
    announceCommands: (things) => announceCommands(redis, things),
    checkHealth,
    metricsAccess: config.metricsAccess,
  });
  lifecycle.closing('listener', () => server.close());
  const address = await server.listen({ host: config.host, port: config.port });
  const port = Number(new URL(address).port);
  const reported = { kind: 'api', port, about, pool, metrics, checkHealth, logger } as const;
  lifecycle.closing('history', startHistory(reported));
  logger.info({ port }, 'ready');
  await lifecycle.stopped;
});
