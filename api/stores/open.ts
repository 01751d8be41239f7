import type { Budgets } from '../../infra/runtime/budgets/budgets.ts';
import type { Calls } from '../../infra/runtime/observability/calls.ts';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { postgresConnections } from '../../infra/runtime/stores/postgres-connections.ts';
import { openPostgres } from '../../infra/runtime/stores/postgres.ts';
import { openRedis } from '../../infra/runtime/stores/redis.ts';
import { limits } from '../limits.ts';
import { openClickHouseClients } from './clickhouse.ts';
import { openDatabase, openStatements } from './database.ts';

type StoresConfig = {
  databaseUrl: string;
  redisUrl: string;
  clickhouseUrl: string;
  clickhouseReaderUrl: string;
  budgets: Budgets;
};

/**
 * Opens Postgres, Redis and ClickHouse; each is closed in the reverse order. Permissions and searches have
 * connections of their own, so that neither waits for the other.
 */
export function openStores(config: StoresConfig, calls: Calls, lifecycle: Lifecycle, log: Logger) {
  const connections = postgresConnections.api;
  const openPool = (name: string, size: number, queryMsMax: number) => {
    const opened = openPostgres(config.databaseUrl, size, queryMsMax, log, calls);
    lifecycle.closing(name, () => opened.end());
    return opened;
  };
  const pool = openPool('postgres', connections.all, limits.postgresQueryMsMax);
  const access = openPool('postgres for access', connections.access, limits.postgresQueryMsMax);
  const searches = openPool('postgres for searches', connections.searches, limits.searchMsMax);
  const redis = openRedis(config.redisUrl, log, limits.redisCommandMsMax, calls);
  lifecycle.closing('redis', () => redis.disconnect());
  const clickhouse = openClickHouseClients(config.clickhouseUrl, config.clickhouseReaderUrl, calls);
  lifecycle.closing('clickhouse', () => clickhouse.close());
  return {
    pool,
    db: openDatabase(pool, searches, config.budgets),
    accessDb: openStatements(access),
    redis,
    clickhouse,
  };
}
