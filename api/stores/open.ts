import type { Budgets } from '../budgets/budgets.ts';
import type { Calls } from '../../infra/runtime/observability/calls.ts';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { postgresConnections } from '../../infra/runtime/stores/postgres-connections.ts';
import { openPostgres, type Pool } from '../../infra/runtime/stores/postgres.ts';
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
export function openStores(
  config: StoresConfig,
  calls: Calls,
  lifecycle: Lifecycle,
  logger: Logger,
) {
  const connections = postgresConnections.api;
  const closing = (name: string, opened: Pool) => {
    lifecycle.closing(name, () => opened.end());
    return opened;
  };
  const { databaseUrl: url } = config;
  const { postgresQueryMsMax: queryMsMax, searchMsMax } = limits;
  const pool = closing('postgres', openPostgres(url, connections.all, queryMsMax, logger, calls));
  const access = closing(
    'postgres for access',
    openPostgres(url, connections.access, queryMsMax, logger, calls),
  );
  const searches = closing(
    'postgres for searches',
    openPostgres(url, connections.searches, searchMsMax, logger, calls),
  );
  const redis = openRedis(config.redisUrl, logger, limits.redisCommandMsMax, calls);
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
