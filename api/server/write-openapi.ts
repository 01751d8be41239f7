import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connections } from '../../infra/runtime/network/connections.ts';
import { readAbout } from '../../infra/runtime/process/about.ts';
import { readAddressesAllowed } from '../../infra/runtime/network/addresses-allowed.ts';
import { readClientAddress } from '../../infra/runtime/network/client-address.ts';
import { createBudgets } from '../budgets/budgets.ts';
import { Secret } from '../../infra/runtime/process/config.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { createMetrics } from '../../infra/runtime/observability/metrics.ts';
import { openRedis } from '../../infra/runtime/stores/redis.ts';
import { createKeyVault } from '../../infra/runtime/process/secrets.ts';
import { createAuthentication } from '../access/authenticate.ts';
import { openClickHouseClients } from '../stores/clickhouse.ts';
import { readAuthority } from '../devices/certs/authority.ts';
import { createAuthority } from '../devices/certs/local-authority.ts';
import { NextMessages } from '../devices/things/next-messages.ts';
import { openQueues } from '../operations/queues/open.ts';
import { Publishers } from '../messages/reach/publishers.ts';
import { noConsole } from '../console/build.ts';
import { buildServer } from './server.ts';
import { clientRoutes, clientTypes } from '../operations/docs/client-types.ts';

/**
 * Makes what no one writes by hand: the OpenAPI document, from routes that are asked nothing, and from that the types
 * of the client, and where its operations are.
 */

const unused = (): Promise<never> => Promise.reject(new Error('nothing is asked for'));
const nowhere = 'http://127.0.0.1:1';
const secret = new Secret('of no use to anyone');
const logger = createLog('docs', 'silent');
const about = readAbout('Millrace API', {});
const redis = openRedis('redis://127.0.0.1:1', logger, 1_000);
const queues = openQueues(redis);

const throttle = {
  loginFailuresPerAccountMax: 1,
  loginFailuresPerAccountSeconds: 1,
  loginFailuresPerAddressMax: 1,
  loginFailuresPerAddressSeconds: 1,
  unknownKeysPerMinuteMax: 1,
  invitesPerInviteePerDayMax: 1,
  invitesPerOrgPerDayMax: 1,
  invitesPerMailboxPerDayMax: 1,
};

const db = { rows: unused, change: unused, search: unused, transaction: unused };
const clickhouse = openClickHouseClients(nowhere, nowhere);

const server = buildServer({
  db,
  accessDb: { rows: unused },
  clickhouse,
  publishers: new Publishers(db, clickhouse.writer),
  vault: createKeyVault(secret),
  metricsAccess: () => false,
  consoleFiles: noConsole,
  ...createAuthentication(redis, { jwtSecret: secret, tokenSeconds: 1, throttle }),
  about,
  tracing: undefined,
  metrics: createMetrics(about),
  logger,
  ingestUrl: nowhere,
  invites: { lifetimeSeconds: 1, publicUrl: nowhere },
  spoolDir: '/nowhere',
  authority: await readAuthority(await createAuthority()),
  crlUrl: undefined,
  benchResultsPath: '/nowhere',
  queues,
  addressesAllowed: readAddressesAllowed({ WEBHOOK_ALLOW_PRIVATE: false, WEBHOOK_ALLOW: '' }),
  clientAddress: readClientAddress({ TRUST_PROXY: '' }),
  clientScheme: () => undefined,
  connections: new Connections({ max: 1_000, perNetworkMax: 1_000 }, () => false, logger),
  cors: undefined,
  accessLogShare: 0,
  budgets: createBudgets(),
  nextMessages: new NextMessages(redis, redis, logger),
  commandLimits: { seconds: 1, perThingMax: 1, perGroupMax: 1 },
  announceCommands: () => undefined,
  announceKeyChanges: () => undefined,
  checkHealth: unused,
});
await server.ready();
const to = join(import.meta.dirname, '../../schemas/client/generated');
mkdirSync(to, { recursive: true });
const document = server.swagger();
const files = {
  'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'types.ts': clientTypes(document),
  'routes.ts': clientRoutes(document),
};
// Whole files or none: others may read them now.
for (const [name, text] of Object.entries(files)) {
  const temporary = join(to, `${name}.${process.pid}`);
  writeFileSync(temporary, text);
  renameSync(temporary, join(to, name));
}
await server.close();
await queues.close();
redis.disconnect();
