import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthentication } from '../../../api/access/authenticate.ts';
import { openClickHouseClients } from '../../../api/stores/clickhouse.ts';
import type { ThrottleConfig } from '../../../api/access/throttle.ts';
import { readAuthority } from '../../../api/devices/certs/authority.ts';
import { NextMessages } from '../../../api/devices/things/next-messages.ts';
import { createAuthority } from '../../../api/devices/certs/local-authority.ts';
import { openDatabase, openStatements } from '../../../api/stores/database.ts';
import { checkNeighbours } from '../../../api/operations/health.ts';
import { Publishers } from '../../../api/messages/reach/publishers.ts';
import { openQueues } from '../../../api/operations/queues/open.ts';
import { noConsole } from '../../../api/console/build.ts';
import { buildServer } from '../../../api/server/server.ts';
import type { Api } from '../../../api/http/schemas.ts';
import type { Tokens } from '../../../api/access/tokens/jwt.ts';
import { Connections } from '../../../infra/runtime/network/connections.ts';
import { readAbout } from '../../../infra/runtime/process/about.ts';
import { readAddressesAllowed } from '../../../infra/runtime/network/addresses-allowed.ts';
import { createBudgets } from '../../../api/budgets/budgets.ts';
import {
  readClientAddress,
  readClientScheme,
} from '../../../infra/runtime/network/client-address.ts';
import { readCors } from '../../../infra/runtime/network/cors.ts';
import { Secret } from '../../../infra/runtime/process/config.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { createMetrics } from '../../../infra/runtime/observability/metrics.ts';
import { openPostgres } from '../../../infra/runtime/stores/postgres.ts';
import { openRedis } from '../../../infra/runtime/stores/redis.ts';
import { createKeyVault } from '../../../infra/runtime/process/secrets.ts';
import { system } from '../system.ts';

/** Limits of its own, of some budgets. */
export type GivenBudgets = Parameters<typeof createBudgets>[1];

export type Built = { server: Api; tokens: Tokens; close: () => Promise<void> };

type Neighbours = Record<'databaseUrl' | 'redisUrl' | 'clickhouseUrl' | 'ingestUrl', string>;

/** Nothing listens there. */
const nowhere = '127.0.0.1:1';
export const away: Neighbours = {
  databaseUrl: `postgres://x:x@${nowhere}/x`,
  redisUrl: `redis://${nowhere}`,
  clickhouseUrl: `http://${nowhere}/x`,
  ingestUrl: `http://${nowhere}`,
};

/** Of nobody: what it signs is known nowhere. */
const authority = await readAuthority(await createAuthority());

/** An API of this test's own, beside the shared system's, on the same neighbours unless told. */
export function buildApi(
  neighbours: Partial<Neighbours> = {},
  limits: Partial<ThrottleConfig> = {},
  benchResultsPath = '/nowhere',
  {
    budgets = {},
    trustProxy = '',
    corsOrigins = '',
    lines,
    connectionsMax = 1_000,
  }: {
    budgets?: GivenBudgets;
    trustProxy?: string;
    corsOrigins?: string;
    /** Takes the lines of its log. */
    lines?: string[];
    connectionsMax?: number;
  } = {},
): Built {
  const log =
    lines === undefined
      ? createLog('test', 'silent')
      : pino({}, { write: (line) => lines.push(line) });
  const { databaseUrl, redisUrl, clickhouseUrl, ingestUrl } = { ...system(), ...neighbours };
  const pool = openPostgres(databaseUrl, 2, 10_000, log);
  const searches = openPostgres(databaseUrl, 2, 2_000, log);
  const redis = openRedis(redisUrl, log, 500);
  const told = openRedis(redisUrl, log, 500);
  const clickhouse = openClickHouseClients(clickhouseUrl, clickhouseUrl);
  const about = readAbout('Millrace API', {});
  const authentication = createAuthentication(redis, {
    jwtSecret: new Secret(randomUUID()),
    tokenSeconds: 60,
    throttle: {
      loginFailuresPerAccountMax: 10,
      loginFailuresPerAccountSeconds: 60,
      loginFailuresPerAddressMax: 100,
      loginFailuresPerAddressSeconds: 60,
      unknownKeysPerMinuteMax: 100,
      invitesPerInviteePerDayMax: 5,
      invitesPerMailboxPerDayMax: 10,
      invitesPerOrgPerDayMax: 100,
      ...limits,
    },
  });
  const queues = openQueues(redis);
  const shares = createBudgets(1, budgets);
  const db = openDatabase(pool, searches, shares);
  const server = buildServer({
    db,
    accessDb: openStatements(pool),
    clickhouse,
    publishers: new Publishers(db, clickhouse.writer),
    vault: createKeyVault(new Secret(randomUUID())),
    ...authentication,
    metricsAccess: () => true,
    consoleFiles: noConsole,
    about,
    tracing: undefined,
    metrics: createMetrics(about),
    logger: log,
    ingestUrl,
    invites: { lifetimeSeconds: 3_600, publicUrl: 'http://localhost' },
    authority,
    crlUrl: undefined,
    benchResultsPath,
    queues,
    addressesAllowed: readAddressesAllowed({ WEBHOOK_ALLOW_PRIVATE: false, WEBHOOK_ALLOW: '' }),
    clientAddress: readClientAddress({ TRUST_PROXY: trustProxy }),
    clientScheme: readClientScheme({ TRUST_PROXY: trustProxy }),
    connections: new Connections({ max: connectionsMax, perNetworkMax: 1_000 }, () => false, log),
    cors: readCors({ CORS_ORIGINS: corsOrigins }),
    accessLogShare: lines === undefined ? 0 : 1,
    budgets: shares,
    nextMessages: new NextMessages(redis, told, log),
    commandLimits: { seconds: 60, perThingMax: 100, perGroupMax: 1_000 },
    announceCommands: () => undefined,
    announceKeyChanges: () => undefined,
    spoolDir: join(tmpdir(), 'millrace-test-spool'),
    checkHealth: () => checkNeighbours({ pool, clickhouse: clickhouse.watcher, redis, ingestUrl }),
  });
  return {
    server,
    tokens: authentication.tokens,
    async close() {
      await server.close();
      await clickhouse.close();
      await queues.close();
      redis.disconnect();
      told.disconnect();
      await pool.end();
      await searches.end();
    },
  };
}
