import { Type } from 'typebox';
import { type About, aboutSettings, readAbout } from '../infra/runtime/process/about.ts';
import {
  type AddressesAllowed,
  addressSettings,
  readAddressesAllowed,
} from '../infra/runtime/network/addresses-allowed.ts';
import {
  connectionSettings,
  logSettings,
  port,
  readSettings,
  Secret,
} from '../infra/runtime/process/config.ts';
import { clusterSettings, storeUrl } from '../infra/runtime/stores/cluster.ts';
import {
  readTracing,
  type TracingConfig,
  tracingSettings,
} from '../infra/runtime/observability/tracing.ts';
import {
  type MetricsAccess,
  metricsSettings,
  readMetricsAccess,
} from '../infra/runtime/observability/metrics-access.ts';
import { webhookShareSettings } from '../infra/runtime/webhooks/jobs.ts';

/** How mails are sent. */
export type MailConfig = {
  /** Undefined: each mail becomes a file in `outbox` under `dataDir`. */
  smtpUrl: Secret | undefined;
  dataDir: string;
  from: string;
};

export type WorkersConfig = {
  about: About;
  tracing: TracingConfig | undefined;
  metricsAccess: MetricsAccess;
  host: string;
  port: number;
  logLevel: string;
  databaseUrl: string;
  redisUrl: string;
  clickhouseUrl: string;
  /** The key that seals the secrets of webhooks. */
  secretKey: Secret;
  /** Which addresses webhooks may call. */
  addressesAllowed: AddressesAllowed;
  /** How much the queue of webhooks may hold. */
  webhookShares: { queueJobsMax: number; deliveriesPerOrgMax: number };
  mail: MailConfig;
  /** The beginning of links in mails. */
  publicUrl: string;
};

/** By their names in the environment. */
export const WorkersSettings = Type.Object({
  WORKERS_HOST: Type.String({ default: '0.0.0.0' }),
  WORKERS_PORT: port(8082),
  DATA_DIR: Type.String({ default: './data' }),
  SMTP_URL: Type.Optional(Type.String({ pattern: '^smtps?://' })),
  MAIL_FROM: Type.String({
    pattern: '^[^@\\p{Cc}]+@[^@\\s\\p{Cc}]+$',
    default: 'Millrace <millrace@localhost>',
  }),
  SECRET_KEY: Type.String({ minLength: 16 }),
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  API_PORT: port(8080),
  ...aboutSettings,
  ...tracingSettings,
  ...metricsSettings,
  ...addressSettings,
  ...webhookShareSettings,
  ...connectionSettings,
  ...clusterSettings,
  ...logSettings,
});

/** @throws ConfigError naming every variable that is missing or wrong. */
export function readWorkersConfig(env: NodeJS.ProcessEnv): WorkersConfig {
  const settings = readSettings(WorkersSettings, env);
  return {
    about: readAbout('Millrace workers', settings),
    tracing: readTracing('millrace-workers', settings),
    metricsAccess: readMetricsAccess(settings),
    host: settings.WORKERS_HOST,
    port: settings.WORKERS_PORT,
    logLevel: settings.LOG_LEVEL,
    databaseUrl: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    clickhouseUrl: storeUrl(settings),
    secretKey: new Secret(settings.SECRET_KEY),
    addressesAllowed: readAddressesAllowed(settings),
    webhookShares: {
      queueJobsMax: settings.WEBHOOK_QUEUE_MAX,
      deliveriesPerOrgMax: settings.WEBHOOK_DELIVERIES_PER_ORG_MAX,
    },
    mail: {
      smtpUrl: settings.SMTP_URL === undefined ? undefined : new Secret(settings.SMTP_URL),
      dataDir: settings.DATA_DIR,
      from: settings.MAIL_FROM,
    },
    publicUrl: settings.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://localhost:${settings.API_PORT}`,
  };
}
