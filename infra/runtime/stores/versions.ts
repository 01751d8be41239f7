import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { ConfigError } from '../process/config.ts';
import { openClickHouse } from './clickhouse.ts';
import { readStoreUrl } from './cluster.ts';
import { readRedisVersion } from './redis.ts';

/** A process starts while a database is away, so it does not wait long for one. */
const answerMsMax = 2_000;

/** The oldest version of a database that Millrace works with. */
class LeastVersion {
  readonly #parts: readonly number[];

  constructor(...parts: number[]) {
    this.#parts = parts;
  }

  /** True if a version, as `16.4 (Debian …)` or `26.7.2.1`, is not older. */
  isMetBy(version: string): boolean {
    const given = version.split('.').map((part) => Number.parseInt(part, 10));
    const differs = this.#parts.findIndex((part, index) => (given[index] ?? 0) !== part);
    return differs < 0 || (given[differs] ?? 0) > (this.#parts[differs] ?? 0);
  }

  toString(): string {
    return this.#parts.join('.');
  }
}

/*
 * The oldest that the tests were run on: PostgreSQL and Redis as Debian 12 has them, and the ClickHouse that
 * `npm start` brings. Of Valkey the version counts that it gives as Redis'.
 */
export const leastPostgres = new LeastVersion(15);
export const leastRedis = new LeastVersion(7, 0);
export const leastClickhouse = new LeastVersion(26, 7);

type Urls = { databaseUrl: string; redisUrl?: string | undefined; clickhouseUrl: string };

/**
 * Asks the databases for their versions, before anything is changed in them. One that does not answer now is told of by
 * whoever needs it first.
 *
 * @throws ConfigError naming each that is too old, and the least version.
 */
export async function mustBeRecent({ databaseUrl, redisUrl, clickhouseUrl }: Urls): Promise<void> {
  const asked: [string, string, LeastVersion, Promise<string>][] = [
    ['DATABASE_URL', 'PostgreSQL', leastPostgres, postgresVersion(databaseUrl)],
    ['CLICKHOUSE_URL', 'ClickHouse', leastClickhouse, clickhouseVersion(clickhouseUrl)],
  ];
  if (redisUrl !== undefined) {
    asked.push(['REDIS_URL', 'Redis', leastRedis, readRedisVersion(redisUrl, answerMsMax)]);
  }
  const problems = await Promise.all(
    asked.map(async ([variable, name, least, answer]) => {
      const version = await inTime(answer);
      if (version === undefined || least.isMetBy(version)) return [];
      return [`${variable}: ${name} ${version} is too old; ${least.toString()} is the least`];
    }),
  );
  if (problems.flat().length > 0) throw new ConfigError(problems.flat().join('; '));
}

async function inTime(answer: Promise<string>): Promise<string | undefined> {
  const known = answer.catch(() => undefined);
  return await Promise.race([known, delay(answerMsMax, undefined, { ref: false })]);
}

async function postgresVersion(url: string): Promise<string> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: answerMsMax,
    query_timeout: answerMsMax,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(
      `SELECT current_setting('server_version') AS version`,
    );
    return rows[0]?.version ?? '';
  } finally {
    await client.end();
  }
}

/** On its own server and in a database that every one has: ours may not be there yet. */
async function clickhouseVersion(store: string): Promise<string> {
  const url = new URL(readStoreUrl(store).url);
  url.pathname = '/default';
  const clickhouse = openClickHouse(url.href, 'millrace-version', answerMsMax);
  try {
    const result = await clickhouse.query({ query: 'SELECT version()', format: 'TabSeparated' });
    return (await result.text()).trim();
  } finally {
    await clickhouse.close();
  }
}
