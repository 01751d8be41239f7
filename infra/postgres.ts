import { Pool } from 'pg';
import type { Logger } from './log.ts';

export type { Pool, PoolClient } from 'pg';

/** A pool on Postgres. `connections` is its size; a query that takes longer than 10 s is given up. */
export function openPostgres(url: string, connections: number, log: Logger): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    statement_timeout: 10_000,
    keepAlive: true,
  });
  // An idle connection that breaks is no one's query: the pool opens another one when it is needed.
  pool.on('error', (error) =>
    log.warn({ error: error.message }, 'lost an idle Postgres connection'),
  );
  return pool;
}
