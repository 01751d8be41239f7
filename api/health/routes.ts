import { health } from '../../infra/health.ts';
import type { Parts } from '../parts.ts';
import type { Api } from '../shapes.ts';

/** What operators and load balancers ask. */
export function healthRoutes(
  api: Api,
  { checkHealth, metrics }: Pick<Parts, 'checkHealth' | 'metrics'>,
): void {
  api.route({
    method: 'GET',
    url: '/health',
    config: { operation: 'viewHealth' },
    handler: async (_request, reply) => {
      const { httpStatus, body } = health(await checkHealth());
      return reply
        .status(httpStatus)
        .type('application/health+json')
        .header('cache-control', 'no-store')
        .send(JSON.stringify(body));
    },
  });

  api.route({
    method: 'GET',
    url: '/metrics',
    config: { operation: 'viewMetrics' },
    handler: async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.metrics()),
  });
}
