import { limits } from '../../limits.ts';
import { fetch } from 'undici';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { type HealthCheck, probe } from '../../../infra/runtime/observability/health.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../../infra/runtime/stores/redis.ts';

/** Asks every neighbour how it is: without Postgres or ClickHouse the API can't do its job. */
export async function checkNeighbours(neighbours: {
  pool: Pool;
  clickhouse: ClickHouseClient;
  redis: Redis;
  ingestUrl: string;
}): Promise<Record<string, HealthCheck>> {
  const { pool, clickhouse, redis, ingestUrl } = neighbours;
  const [postgres, store, cache, edge] = await Promise.all([
    probe(() => pool.query('SELECT 1'), 'fail', limits.healthProbeMsMax),
    probe(() => clickhouse.command({ query: 'SELECT 1' }), 'fail', limits.healthProbeMsMax),
    probe(() => redis.ping(), 'warn', limits.healthProbeMsMax),
    probe(() => askEdge(ingestUrl), 'warn', limits.healthProbeMsMax),
  ]);
  return { postgres, clickhouse: store, redis: cache, ingest: edge };
}

async function askEdge(ingestUrl: string): Promise<void> {
  const response = await fetch(new URL('/health', ingestUrl), {
    signal: AbortSignal.timeout(limits.healthProbeMsMax),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error('the edge is not well');
}
