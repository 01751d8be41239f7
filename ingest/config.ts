import { Type } from 'typebox';
import { connectionSettings, logSettings, port, readSettings, Secret } from '../infra/config.ts';
import { limits } from './limits.ts';

const IngestSettings = Type.Object({
  ...connectionSettings,
  ...logSettings,
  INGEST_HOST: Type.String({ default: '0.0.0.0' }),
  INGEST_PORT: port(8081),
  /** How many edges share the port on this machine, and which of them this is. */
  INGEST_PROCESSES: Type.Integer({ minimum: 1, maximum: 64, default: 1 }),
  INGEST_INDEX: Type.Integer({ minimum: 0, maximum: 63, default: 0 }),
  DATA_DIR: Type.String({ default: './data' }),
  SECRET_KEY: Type.String({ minLength: 16 }),
  /** Of each edge's log. */
  LOG_MAX_BYTES: Type.Integer({ minimum: 4 * limits.segmentBytes, default: 10 * 1024 ** 3 }),
  BODY_BYTES_MAX: Type.Integer({ minimum: 1024, maximum: 4 * 1024 ** 2, default: 1024 ** 2 }),
  RECORDS_PER_MESSAGE_MAX: Type.Integer({ minimum: 1, maximum: 100_000, default: 10_000 }),
  NESTING_MAX: Type.Integer({ minimum: 3, maximum: 1_000, default: 32 }),
  SUBTOPIC_CHARS_MAX: Type.Integer({ minimum: 1, maximum: 254, default: 254 }),
  UNKNOWN_KEYS_PER_MINUTE_MAX: Type.Integer({ minimum: 1, default: 1_000 }),
  /** Messages a second for each thing; 0: no limit. */
  THING_RATE_LIMIT: Type.Number({ minimum: 0, default: 0 }),
  /** Webhook jobs that wait to be tried; beyond them messages wait in the log. */
  WEBHOOK_QUEUE_MAX: Type.Integer({ minimum: 1, default: 100_000 }),
});

/** The edge's settings, one typed value. @throws ConfigError naming every bad variable. */
export function readIngestConfig(env: NodeJS.ProcessEnv) {
  const settings = readSettings(IngestSettings, env);
  return { ...settings, SECRET_KEY: new Secret(settings.SECRET_KEY) };
}

export type IngestConfig = ReturnType<typeof readIngestConfig>;
