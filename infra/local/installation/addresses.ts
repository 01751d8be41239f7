import { clickhouseDatabase } from '../../runtime/stores/clickhouse.ts';
import { ConfigError } from '../../runtime/process/config.ts';
import { embeddedPostgresUrl } from '../embedded/postgres.ts';
import { embeddedRedisUrl } from '../embedded/redis.ts';
import type { StartConfig } from './config.ts';
import type { LocalSecrets } from './local-secrets.ts';
import { pickPorts, pickPortsInRow, whyNotFree } from './ports.ts';

/** The addresses of this run: restarts keep them. */
export type Addresses = {
  apiPort: number;
  ingestPort: number;
  workersPort: number;
  /** Undefined: no MQTT. */
  mqttPort: number | undefined;
  ingestOperatorPort: number;
  databaseUrl: string;
  redisUrl: string;
  /** With the name of the database as its path. */
  clickhouseUrl: string;
  /** Of the embedded ones. */
  enginePorts: { postgres: number; redis: number; clickhouse: number };
};

/**
 * Checks the ports that were given, and picks those that were not.
 *
 * @throws ConfigError naming the variable and the port that is taken.
 */
export async function chooseAddresses(
  config: StartConfig,
  secrets: LocalSecrets,
): Promise<Addresses> {
  const { ingestProcesses, ingestOperatorPort } = config;
  const operatorPorts = ingestOperatorPort === 0 || ingestProcesses === 1 ? 0 : ingestProcesses;
  const given: [string, number][] = [
    ['API_PORT', config.apiPort],
    ['INGEST_PORT', config.ingestPort],
    ['WORKERS_PORT', config.workersPort],
    ['MQTT_PORT', config.mqttPort ?? 0],
    ...Array.from({ length: operatorPorts }, (_, index): [string, number] => [
      'INGEST_OPERATOR_PORT',
      ingestOperatorPort + index,
    ]),
  ];
  const problems: string[] = [];
  for (const [variable, port] of given) {
    const reason = port === 0 ? null : await whyNotFree(port);
    const instead = variable === 'MQTT_PORT' ? ': choose another one, or off' : '';
    if (reason !== null) problems.push(`${variable}: ${reason}${instead}`);
  }
  if (problems.length > 0) throw new ConfigError(problems.join('; '));

  const [api = 0, ingest = 0, workers = 0, postgres = 0, redis = 0, clickhouse = 0, mqtt = 0] =
    await pickPorts(7);
  return {
    apiPort: config.apiPort || api,
    ingestPort: config.ingestPort || ingest,
    workersPort: config.workersPort || workers,
    mqttPort: config.mqttPort === 0 ? mqtt : config.mqttPort,
    ingestOperatorPort: ingestOperatorPort || (await pickPortsInRow(ingestProcesses)),
    databaseUrl: config.databaseUrl ?? embeddedPostgresUrl(postgres, secrets.postgresPassword),
    redisUrl: config.redisUrl ?? embeddedRedisUrl(redis, secrets.redisPassword),
    clickhouseUrl: withDatabase(
      config.clickhouseUrl ??
        `http://default:${secrets.clickhousePassword}@127.0.0.1:${clickhouse}`,
    ),
    enginePorts: { postgres, redis, clickhouse },
  };
}

function withDatabase(clickhouseUrl: string): string {
  const url = new URL(clickhouseUrl);
  if (url.pathname === '/') url.pathname = `/${clickhouseDatabase}`;
  return url.href;
}
