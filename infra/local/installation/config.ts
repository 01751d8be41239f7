import { resolve } from 'node:path';
import { Type } from 'typebox';
import {
  ConfigError,
  connectionSettings,
  logSettings,
  port,
  portOf,
  portOrOff,
  readSettings,
} from '../../runtime/process/config.ts';

/** The settings of `npm start`. All others are passed to the processes unchanged. */
export type StartConfig = {
  apiPort: number;
  ingestPort: number;
  workersPort: number;
  /** Undefined: no MQTT. */
  mqttPort: number | undefined;
  /** Of the first edge, where several share the port. */
  ingestOperatorPort: number;
  dataDir: string;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  clickhouseUrl: string | undefined;
  adminEmail: string;
  adminPassword: string | undefined;
  jwtSecret: string | undefined;
  secretKey: string | undefined;
  ingestProcesses: number;
  /** The unchanged environment, for the children. */
  inherited: NodeJS.ProcessEnv;
};

const portNames = ['API_PORT', 'INGEST_PORT', 'WORKERS_PORT'] as const;
const secret = Type.String({ minLength: 16 });

/** The settings that are read here, by their names in the environment. */
export function startSettings(production: boolean) {
  return Type.Object({
    API_PORT: port(8080),
    INGEST_PORT: port(8081),
    WORKERS_PORT: port(8082),
    MQTT_PORT: portOrOff(1883),
    INGEST_OPERATOR_PORT: port(8090),
    DATA_DIR: Type.String({ default: './data' }),
    DATABASE_URL: Type.Optional(connectionSettings.DATABASE_URL),
    REDIS_URL: Type.Optional(connectionSettings.REDIS_URL),
    CLICKHOUSE_URL: Type.Optional(connectionSettings.CLICKHOUSE_URL),
    ADMIN_EMAIL: Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', default: 'admin@example.com' }),
    ADMIN_PASSWORD: Type.Optional(Type.String({ minLength: 8 })),
    // Generated ones would differ on every machine that shares one Postgres.
    JWT_SECRET: production ? secret : Type.Optional(secret),
    SECRET_KEY: production ? secret : Type.Optional(secret),
    INGEST_PROCESSES: Type.Integer({ minimum: 1, maximum: 64, default: 1 }),
    LOG_MAX_BYTES: Type.Optional(Type.Integer({ minimum: 1 })),
    ...logSettings,
  });
}

/**
 * Reads all settings at once. `DATA_DIR` comes out absolute; a port of 0 stands for any free one.
 *
 * @throws ConfigError naming every variable that is missing or wrong.
 */
export function readStartConfig(env: NodeJS.ProcessEnv): StartConfig {
  const settings = readSettings(startSettings(env['NODE_ENV'] === 'production'), env);
  refuseSharedPorts(settings);
  return {
    apiPort: settings.API_PORT,
    ingestPort: settings.INGEST_PORT,
    workersPort: settings.WORKERS_PORT,
    mqttPort: portOf(settings.MQTT_PORT),
    ingestOperatorPort: settings.INGEST_OPERATOR_PORT,
    dataDir: resolve(settings.DATA_DIR),
    databaseUrl: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    clickhouseUrl: settings.CLICKHOUSE_URL,
    adminEmail: settings.ADMIN_EMAIL,
    adminPassword: settings.ADMIN_PASSWORD,
    jwtSecret: settings.JWT_SECRET,
    secretKey: settings.SECRET_KEY,
    ingestProcesses: settings.INGEST_PROCESSES,
    inherited: env,
  };
}

function refuseSharedPorts(settings: Record<(typeof portNames)[number], number>): void {
  for (const [index, name] of portNames.entries()) {
    const other = portNames.slice(0, index).find((one) => settings[one] === settings[name]);
    if (other !== undefined && settings[name] !== 0) {
      throw new ConfigError(`${other} and ${name} are both ${settings[name]}`);
    }
  }
}
