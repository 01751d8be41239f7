import { Pool, type PoolClient, type QueryResultRow } from 'pg';
import { nameFailures } from '../network/failure.ts';
import { type Calls, keepCause, timeMethods } from '../observability/calls.ts';
import type { Logger } from '../process/logger.ts';

export type { Pool, PoolClient } from 'pg';

/** After a minute Postgres gives up a client whose host is gone without a word, and frees what it had locked. */
const lostHosts =
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

/**
 * A pool of `connections` to Postgres. Waiting longer than `queryMsMax` for one fails. `calls` measures the statements,
 * without the wait for a connection. `?pgbouncer=true` in the URL says that a pooler of transactions is between: then
 * nothing may last longer than a transaction.
 */
export function openPostgres(
  url: string,
  connections: number,
  queryMsMax: number,
  logger: Logger,
  calls?: Calls,
): Pool {
  const isPooled = throughPooler(url);
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: queryMsMax,
    query_timeout: queryMsMax,
    // Settings of the session, which a pooler refuses: there the role and the pooler have their own.
    ...(isPooled ? {} : { statement_timeout: queryMsMax, options: lostHosts }),
    keepAlive: true,
  });
  nameFailures(pool, ['query', 'connect']);
  pool.on('connect', (client) => nameFailures(client, ['query']));
  if (isPooled) pool.on('connect', leaveOutNames);
  // No query fails with an idle connection: the pool opens another one when it is needed.
  pool.on('error', (error) =>
    logger.warn({ error: error.message }, 'lost an idle Postgres connection'),
  );
  if (calls !== undefined) {
    keepCause(pool, 'connect');
    pool.on('connect', (client) =>
      timeMethods(client, ['query'], (asked) => calls.begin('postgres', asked)),
    );
  }
  return pool;
}

/** Whether the URL leads to a pooler of transactions and not to Postgres itself. */
export const throughPooler = (url: string): boolean =>
  new URL(url).searchParams.get('pgbouncer') === 'true';

/** A named statement stays with the session that prepared it, and the next transaction may have another one. */
function leaveOutNames(client: PoolClient): void {
  const query: (...args: unknown[]) => unknown = client.query.bind(client);
  Object.defineProperty(client, 'query', {
    value: (asked: unknown, ...rest: unknown[]) => {
      const isNamed = typeof asked === 'object' && asked !== null && 'name' in asked;
      return query(isNamed ? { ...asked, name: undefined } : asked, ...rest);
    },
    configurable: true,
  });
}

/** Runs `work` in one transaction on a connection of its own. An exception rolls it back. */
export async function transaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
  begin: 'BEGIN' | 'BEGIN ISOLATION LEVEL REPEATABLE READ' = 'BEGIN',
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onBroken = (error: Error) => (broken = error);
  // Out of the pool it has no other listener, and an error without a listener ends the process.
  client.on('error', onBroken);
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that fails to roll back is closed.
    await client.query('ROLLBACK').catch(onBroken);
    throw error;
  } finally {
    client.off('error', onBroken);
    client.release(broken);
  }
}

/**
 * Runs one statement and gives its rows, on a pool or within a transaction. One that has a name is parsed once for each
 * connection: what is asked several times a second, also of a system that rests, has one.
 */
export type Rows = <Row extends QueryResultRow>(
  text: string,
  values: unknown[],
  name?: string,
) => Promise<Row[]>;

export const rowsOf =
  (client: Pool | PoolClient): Rows =>
  async (text, values, name) =>
    (await client.query({ text, values, ...(name === undefined ? {} : { name }) })).rows;
