import { Pool } from 'pg';
import type { Logger } from './log.ts';

export type { Pool, PoolClient } from 'pg';

/** A pool on Postgres of `connections`; who waits longer than `queryMsMax` for it is told so. */
export function openPostgres(
  url: string,
  connections: number,
  queryMsMax: number,
  log: Logger,
): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: queryMsMax,
    query_timeout: queryMsMax,
    statement_timeout: queryMsMax,
    keepAlive: true,
  });
  // An idle connection that breaks is no one's query: the pool opens another one when it is needed.
  pool.on('error', (error) =>
    log.warn({ error: error.message }, 'lost an idle Postgres connection'),
  );
  return pool;
}
