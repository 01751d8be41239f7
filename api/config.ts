import { Type } from 'typebox';
import {
  type AddressesAllowed,
  addressSettings,
  readAddressesAllowed,
} from '../infra/runtime/network/addresses-allowed.ts';
import {
  type ClientAddress,
  type ClientScheme,
  proxySettings,
  readClientAddress,
  readClientScheme,
} from '../infra/runtime/network/client-address.ts';
import {
  type CommandLimits,
  commandSettings,
  readCommandLimits,
} from '../infra/runtime/commands/settings.ts';
import type { ConnectionLimits } from '../infra/runtime/network/connections.ts';
import { type Cors, corsSettings, readCors } from '../infra/runtime/network/cors.ts';
import {
  type MetricsAccess,
  metricsSettings,
  readMetricsAccess,
} from '../infra/runtime/observability/metrics-access.ts';
import {
  readTracing,
  type TracingConfig,
  tracingSettings,
} from '../infra/runtime/observability/tracing.ts';
import { type About, aboutSettings, readAbout } from '../infra/runtime/process/about.ts';
import {
  ConfigError,
  connectionSettings,
  logSettings,
  port,
  readSettings,
  Secret,
} from '../infra/runtime/process/config.ts';
import { connectionsWithin, descriptorsMax } from '../infra/runtime/process/descriptors.ts';
import { clusterSettings, storeUrl } from '../infra/runtime/stores/cluster.ts';
import type { ThrottleConfig } from './access/throttle.ts';
import { type Budgets, createBudgets } from './budgets/budgets.ts';
import type { GivenAuthority } from './devices/certs/authority.ts';
import { limits } from './limits.ts';
import type { InviteConfig } from './management/invites/invite.ts';
import type { FirstAdmin } from './management/users/first-admin.ts';

type ApiConfig = {
  about: About;
  tracing: TracingConfig | undefined;
  metricsAccess: MetricsAccess;
  host: string;
  port: number;
  logLevel: string;
  databaseUrl: string;
  redisUrl: string;
  clickhouseUrl: string;
  /** Of a user who may only read. */
  clickhouseReaderUrl: string;
  ingestUrl: string;
  dataDir: string;
  jwtSecret: Secret;
  secretKey: Secret;
  tokenSeconds: number;
  admin: FirstAdmin;
  throttle: ThrottleConfig;
  invites: InviteConfig;
  /** Who signs certificates; if none is given, one of `dataDir`. */
  authority: GivenAuthority | undefined;
  /** Where certificates say that the revocation list is. */
  crlUrl: string | undefined;
  /** Where webhooks may lead. */
  addressesAllowed: AddressesAllowed;
  /** Where a request is from. */
  clientAddress: ClientAddress;
  clientScheme: ClientScheme;
  /** Whose pages may ask, of other origins. */
  cors: Cors | undefined;
  /** Of how many of the requests there is a line in the log. */
  accessLogShare: number;
  /** The shares of callers and orgs. */
  budgets: Budgets;
  /** The most connections that there may be, in all and from one network. */
  connections: ConnectionLimits;
  /** For how many days the audit log is kept. */
  auditDays: number;
  /** How many commands may wait, and for how many days those are kept that are over. */
  commands: { limits: CommandLimits; days: number };
};

const positive = (byDefault: number) => Type.Integer({ minimum: 1, default: byDefault });
const secret = Type.String({ minLength: 16 });

/** By their names in the environment. */
export const ApiSettings = Type.Object({
  API_HOST: Type.String({ default: '0.0.0.0' }),
  API_PORT: port(8080),
  INGEST_URL: Type.String({ pattern: '^https?://' }),
  DATA_DIR: Type.String({ default: './data' }),
  JWT_SECRET: secret,
  SECRET_KEY: secret,
  TOKEN_SECONDS: positive(36_000),
  ADMIN_EMAIL: Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', default: 'admin@example.com' }),
  ADMIN_PASSWORD: Type.Optional(Type.String({ minLength: 8 })),
  LOGIN_FAILURES_PER_ACCOUNT_MAX: positive(10),
  LOGIN_FAILURES_PER_ACCOUNT_SECONDS: positive(900),
  LOGIN_FAILURES_PER_ADDRESS_MAX: positive(100),
  LOGIN_FAILURES_PER_ADDRESS_SECONDS: positive(3_600),
  UNKNOWN_KEYS_PER_MINUTE_MAX: positive(1_000),
  INVITES_PER_INVITEE_PER_DAY_MAX: positive(5),
  INVITES_PER_MAILBOX_PER_DAY_MAX: positive(10),
  INVITES_PER_ORG_PER_DAY_MAX: positive(100),
  INVITE_SECONDS: Type.Integer({ minimum: 1, maximum: 31_536_000, default: 604_800 }),
  CLICKHOUSE_READER_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** The most connections from one network; by default a part of all. */
  API_CONNECTIONS_PER_NETWORK_MAX: Type.Optional(Type.Integer({ minimum: 1 })),
  AUDIT_DAYS: Type.Integer({ minimum: 1, maximum: 36_500, default: 365 }),
  ...commandSettings,
  COMMAND_DAYS: Type.Integer({ minimum: 1, maximum: 36_500, default: 30 }),
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  CERTS_CA_CERT: Type.Optional(Type.String()),
  CERTS_CA_KEY: Type.Optional(Type.String()),
  API_ACCESS_LOG: Type.Number({ minimum: 0, maximum: 1, default: 1 }),
  ...aboutSettings,
  ...tracingSettings,
  ...metricsSettings,
  ...addressSettings,
  API_SHARE_SCALE: Type.Number({ minimum: 0.1, maximum: 100, default: 1 }),
  ...proxySettings,
  ...corsSettings,
  ...connectionSettings,
  ...clusterSettings,
  ...logSettings,
});

/** @throws ConfigError naming every variable that is missing or wrong. */
export function readApiConfig(env: NodeJS.ProcessEnv, descriptors = descriptorsMax()): ApiConfig {
  const settings = readSettings(ApiSettings, env);
  const { CERTS_CA_CERT: certificate, CERTS_CA_KEY: key } = settings;
  if ((certificate === undefined) !== (key === undefined)) {
    throw new ConfigError('CERTS_CA_CERT, CERTS_CA_KEY: one is given without the other');
  }
  const publicUrl = settings.PUBLIC_URL?.replace(/\/+$/, '');
  return {
    about: readAbout('Millrace API', settings),
    tracing: readTracing('millrace-api', settings),
    metricsAccess: readMetricsAccess(settings),
    host: settings.API_HOST,
    port: settings.API_PORT,
    logLevel: settings.LOG_LEVEL,
    databaseUrl: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    clickhouseUrl: storeUrl(settings),
    clickhouseReaderUrl: storeUrl(settings, settings.CLICKHOUSE_READER_URL),
    ingestUrl: settings.INGEST_URL,
    dataDir: settings.DATA_DIR,
    jwtSecret: new Secret(settings.JWT_SECRET),
    secretKey: new Secret(settings.SECRET_KEY),
    tokenSeconds: settings.TOKEN_SECONDS,
    admin: {
      email: settings.ADMIN_EMAIL,
      password:
        settings.ADMIN_PASSWORD === undefined ? undefined : new Secret(settings.ADMIN_PASSWORD),
    },
    throttle: {
      loginFailuresPerAccountMax: settings.LOGIN_FAILURES_PER_ACCOUNT_MAX,
      loginFailuresPerAccountSeconds: settings.LOGIN_FAILURES_PER_ACCOUNT_SECONDS,
      loginFailuresPerAddressMax: settings.LOGIN_FAILURES_PER_ADDRESS_MAX,
      loginFailuresPerAddressSeconds: settings.LOGIN_FAILURES_PER_ADDRESS_SECONDS,
      unknownKeysPerMinuteMax: settings.UNKNOWN_KEYS_PER_MINUTE_MAX,
      invitesPerInviteePerDayMax: settings.INVITES_PER_INVITEE_PER_DAY_MAX,
      invitesPerMailboxPerDayMax: settings.INVITES_PER_MAILBOX_PER_DAY_MAX,
      invitesPerOrgPerDayMax: settings.INVITES_PER_ORG_PER_DAY_MAX,
    },
    invites: {
      lifetimeSeconds: settings.INVITE_SECONDS,
      publicUrl: publicUrl ?? `http://localhost:${settings.API_PORT}`,
    },
    authority:
      certificate === undefined || key === undefined
        ? undefined
        : { certificate, key: new Secret(key) },
    crlUrl: publicUrl === undefined ? undefined : `${publicUrl}/crl`,
    addressesAllowed: readAddressesAllowed(settings),
    clientAddress: readClientAddress(settings),
    clientScheme: readClientScheme(settings),
    cors: readCors(settings),
    accessLogShare: settings.API_ACCESS_LOG,
    budgets: createBudgets(settings.API_SHARE_SCALE),
    connections: connectionLimitsOf(settings, descriptors),
    auditDays: settings.AUDIT_DAYS,
    commands: { limits: readCommandLimits(settings), days: settings.COMMAND_DAYS },
  };
}

function connectionLimitsOf(
  settings: { API_CONNECTIONS_PER_NETWORK_MAX?: number },
  descriptors: number,
): ConnectionLimits {
  const max = connectionsWithin(descriptors, {
    reserved: limits.descriptorsReserved,
    perConnection: limits.descriptorsPerConnection,
    connectionsMin: limits.connectionsMin,
    connectionsMax: limits.connectionsMax,
  });
  const part = Math.floor(max * limits.connectionsPerNetworkPart);
  return { max, perNetworkMax: settings.API_CONNECTIONS_PER_NETWORK_MAX ?? part };
}
