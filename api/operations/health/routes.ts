import type { About } from '../../../infra/runtime/process/about.ts';
import type { Registry } from '../../../infra/runtime/observability/metrics.ts';
import type { HealthCheck } from '../../../infra/runtime/observability/health.ts';
import {
  type MetricsAccess,
  metricsRefused,
} from '../../../infra/runtime/observability/metrics-access.ts';
import {
  askerOf,
  operatorResponses,
} from '../../../infra/runtime/observability/operator-server.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Api } from '../../http/schemas.ts';

/** What operators and load balancers ask; the platform's clients ask the reader by itself. */
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
  const health = answers.get('/health');
  if (health !== undefined) answers.set('/reader/health', health);
  for (const [url, ask] of answers) {
    api.route({
      method: 'GET',
      url,
      config: { operation: url === '/metrics' ? 'viewMetrics' : 'viewHealth' },
      handler: async (request, reply) => {
        const answer = await ask(askerOf(request.raw));
        if (answer === undefined) throw new DomainError('forbidden', metricsRefused);
        const { status, contentType, body } = answer;
        return reply
          .status(status)
          .type(contentType)
          .header('cache-control', 'no-store')
          .send(body);
      },
    });
  }
}
