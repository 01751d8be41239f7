import { ApiSettings, readApiConfig } from '../../../api/config.ts';
import { limits as apiLimits } from '../../../api/limits.ts';
import { migrateSettings } from '../../../infra/migrations/migrate.ts';
import { readSettings } from '../../../infra/runtime/process/config.ts';
import { IngestSettings, readIngestConfig } from '../../../ingest/config.ts';
import { limits } from '../../../ingest/limits.ts';
import { readWorkersConfig, WorkersSettings } from '../../../workers/config.ts';
import { limits as workersLimits } from '../../../workers/limits.ts';

/** What the code says of each process that infra/deploy starts. */
type Process = {
  /** Every setting that it reads. */
  settings: ReadonlySet<string>;
  /** @throws for settings that it does not start with. */
  start: (env: Record<string, string>) => unknown;
  /** Its port, unless a setting says another. */
  port: number | undefined;
  /** How long its stop may take. */
  stopSeconds: number;
};

/** Not of one process: Node's own, and those of the packages that trace. */
const commonSettings = ['NODE_ENV', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_RESOURCE_ATTRIBUTES'];

/** What each needs at least. */
const least = {
  DATABASE_URL: 'postgres://postgres/millrace',
  REDIS_URL: 'redis://redis',
  CLICKHOUSE_URL: 'http://clickhouse',
  INGEST_URL: 'http://edge',
  SECRET_KEY: 'a secret of its own',
  JWT_SECRET: 'another one of its own',
};

const names = (schema: { properties: object }) => new Set(Object.keys(schema.properties));

export const processes: Readonly<Record<string, Process>> = {
  edge: {
    settings: names(IngestSettings),
    start: readIngestConfig,
    port: readIngestConfig(least).listen.port,
    stopSeconds: limits.shutdownMsMax / 1_000,
  },
  api: {
    settings: names(ApiSettings),
    start: readApiConfig,
    port: readApiConfig(least).port,
    stopSeconds: apiLimits.stopMsMax / 1_000,
  },
  workers: {
    settings: names(WorkersSettings),
    start: readWorkersConfig,
    port: readWorkersConfig(least).port,
    stopSeconds: workersLimits.stopMsMax / 1_000,
  },
  migrate: {
    settings: names(migrateSettings),
    start: (env) => readSettings(migrateSettings, env),
    port: undefined,
    stopSeconds: 0,
  },
};

const readable = import.meta.filename;
const withTls = { EDGE_TLS_PORT: '8443', EDGE_TLS_CERT: readable, EDGE_TLS_KEY: readable };
const { mqtt } = readIngestConfig({ ...least, ...withTls });

/** Where the edge takes MQTT, unless settings say another: in the clear, and over TLS. */
export const mqttPorts = { clear: mqtt.port, tls: mqtt.tls?.port };

/** One of them. @throws for another name. */
export function processNamed(name: unknown): Process {
  const found = processes[String(name)];
  if (found === undefined) throw new Error(`millrace-process knows no ${String(name)}`);
  return found;
}

/** The names in an environment that no setting of the process has. */
export function unknownSettings(name: string, env: Record<string, string>): string[] {
  const { settings } = processNamed(name);
  return Object.keys(env).filter((one) => !settings.has(one) && !commonSettings.includes(one));
}

/** What `/health/…` is asked for. */
export const probePaths = { live: '/health/live', ready: '/health/ready' };
