import { join } from 'node:path';
import { Calls } from '../infra/runtime/observability/calls.ts';
import { createLifecycle, run } from '../infra/runtime/process/lifecycle.ts';
import { createLog } from '../infra/runtime/process/logger.ts';
import {
  createMetrics,
  measureCalls,
  measureDisk,
} from '../infra/runtime/observability/metrics.ts';
import { postgresConnections } from '../infra/runtime/stores/postgres-connections.ts';
import { openPostgres } from '../infra/runtime/stores/postgres.ts';
import { openRedis } from '../infra/runtime/stores/redis.ts';
import { createKeyVault } from '../infra/runtime/process/secrets.ts';
import { startTracing } from '../infra/runtime/observability/tracing.ts';
import { KnownCredentials } from './access/credentials/known.ts';
import { SharedAnswers } from './access/credentials/shared-answers.ts';
import { createThrottle } from './access/credentials/throttle.ts';
import { openClickHouseClients } from './stores/clickhouse.ts';
import { openAuthority } from './devices/certs/local-authority.ts';
import { rememberAuthority } from './devices/certs/sql.ts';
import { readApiConfig } from './config.ts';
import { openDatabase, openStatements } from './stores/database.ts';
import { checkNeighbours } from './operations/health/checks.ts';
import { announceKeyChanges, startCleaningKeyJournal } from './devices/key-changes.ts';
import { limits } from './limits.ts';
import { startRecovering } from './messages/backup/restore/recover.ts';
import { Publishers, startKeepingPublishers } from './messages/reach/publishers.ts';
import { openQueues } from './operations/queues/open.ts';
import { buildServer } from './server/server.ts';
import { createTokens } from './access/tokens/jwt.ts';
import { ensureAdmin } from './management/users/first-admin.ts';

const benchResultsPath = join(import.meta.dirname, '../bench/results.ndjson');

await run(createLog('api', 'info'), async () => {
  const config = readApiConfig(process.env);
  const log = createLog('api', config.logLevel);
  const lifecycle = createLifecycle(log, limits.stopMsMax);
  const { dataDir, authority: given, crlUrl } = config.certificates;
  const authority = await openAuthority(dataDir, given);

  const { about, databaseUrl } = config;
  const tracing = await startTracing(config.tracing);
  if (tracing !== undefined) lifecycle.closing('tracing', () => tracing.stop());
  const calls = new Calls();
  const metrics = createMetrics(about);
  measureCalls(metrics, [calls]);
  measureDisk(metrics, config.dataDir);
  const connections = postgresConnections.api;
  const pool = openPostgres(databaseUrl, connections.all, limits.postgresQueryMsMax, log, calls);
  lifecycle.closing('postgres', () => pool.end());
  const access = openPostgres(
    databaseUrl,
    connections.access,
    limits.postgresQueryMsMax,
    log,
    calls,
  );
  lifecycle.closing('postgres for access', () => access.end());
  const searches = openPostgres(databaseUrl, connections.searches, limits.searchMsMax, log, calls);
  lifecycle.closing('postgres for searches', () => searches.end());
  const db = openDatabase(pool, searches, config.budgets);
  const redis = openRedis(config.redisUrl, log, limits.redisCommandMsMax, calls);
  lifecycle.closing('redis', () => redis.disconnect());
  const clickhouse = openClickHouseClients(config.clickhouseUrl, config.clickhouseReaderUrl, calls);
  const queues = openQueues(redis);
  lifecycle.closing('queues', () => queues.close());
  lifecycle.closing('clickhouse', () => clickhouse.close());

  await ensureAdmin(db, config.admin);
  await rememberAuthority(db, authority);
  const stopCleaning = startCleaningKeyJournal(db, log);
  lifecycle.closing('key journal', stopCleaning);
  const publishers = new Publishers(db, clickhouse.writer);
  lifecycle.closing('publishers', startKeepingPublishers(publishers, log));
  lifecycle.closing('recovery of restores', startRecovering({ db, clickhouse }, log));

  const { ingestUrl, jwtSecret } = config;
  const server = buildServer(
    {
      db,
      accessDb: openStatements(access),
      clickhouse,
      publishers,
      vault: createKeyVault(config.secretKey),
      tokens: createTokens(jwtSecret, config.tokenSeconds, 'millrace'),
      queueTokens: createTokens(jwtSecret, limits.queueSessionSeconds, 'millrace queues'),
      throttle: createThrottle(redis, config.throttle),
      known: new KnownCredentials(),
      callers: new SharedAnswers(),
      about,
      tracing,
      metrics,
      log,
      ingestUrl,
      invites: config.invites,
      spoolDir: join(config.dataDir, 'restore-spool'),
      authority,
      crlUrl,
      benchResultsPath,
      queues,
      addressesAllowed: config.addressesAllowed,
      clientAddress: config.clientAddress,
      cors: config.cors,
      accessLogShare: config.accessLogShare,
      budgets: config.budgets,
      announceKeyChanges: () => announceKeyChanges(redis),
      checkHealth: () =>
        checkNeighbours({ pool, clickhouse: clickhouse.watcher, redis, ingestUrl }),
    },
    log,
  );
  lifecycle.closing('listener', () => server.close());
  const address = await server.listen({ host: config.host, port: config.port });
  log.info({ port: Number(new URL(address).port) }, 'ready');
  await lifecycle.stopped;
});
