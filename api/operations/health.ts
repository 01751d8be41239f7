import { fetch } from 'undici';
import { type HealthCheck, probe } from '../../infra/runtime/observability/health.ts';
import {
  type MetricsAccess,
  metricsRefused,
} from '../../infra/runtime/observability/metrics-access.ts';
import type { Registry } from '../../infra/runtime/observability/metrics.ts';
import { askerOf, operatorResponses } from '../../infra/runtime/observability/operator-server.ts';
import type { About } from '../../infra/runtime/process/about.ts';
import type { ClickHouseClient } from '../../infra/runtime/stores/clickhouse.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import { handle } from '../http/handle.ts';
import type { Operation } from '../http/operation.ts';
import type { Api } from '../http/schemas.ts';
import { limits } from '../limits.ts';
import { service } from './operations.ts';

/** Operators and load balancers ask these; the platform's clients ask the reader by itself. */
export function healthRoutes(
  api: Api,
  dependencies: {
    about: About;
    checkHealth: () => Promise<Record<string, HealthCheck>>;
    metrics: Registry;
    metricsAccess: MetricsAccess;
  },
): void {
  const answers = operatorResponses(dependencies);
  const asked: readonly Operation[] = [
    service.viewHealth,
    service.viewHealth_ready,
    service.viewHealth_live,
    service.viewHealth_reader,
    service.viewMetrics,
  ];
  for (const operation of asked) {
    const ask = answers.get(operation.path.replace('/reader', ''));
    if (ask === undefined) throw new Error(`nothing answers ${operation.path}`);
    handle(api, operation, async (request, reply) => {
      const answer = await ask(askerOf(request.raw));
      if (answer === undefined) throw new DomainError('forbidden', metricsRefused);
      const { status, contentType, body } = answer;
      return reply.status(status).type(contentType).header('cache-control', 'no-store').send(body);
    });
  }
}

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
