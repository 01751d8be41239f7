import type { HealthCheck } from '../../../infra/runtime/observability/health.ts';
import {
  type MetricsAccess,
  metricsRefused,
} from '../../../infra/runtime/observability/metrics-access.ts';
import type { Registry } from '../../../infra/runtime/observability/metrics.ts';
import {
  askerOf,
  operatorResponses,
} from '../../../infra/runtime/observability/operator-server.ts';
import type { About } from '../../../infra/runtime/process/about.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { handle } from '../../http/handle.ts';
import type { Operation } from '../../http/operation.ts';
import type { Api } from '../../http/schemas.ts';
import { service } from '../operations.ts';

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
