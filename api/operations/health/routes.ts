import { watchAnswers } from '../../../infra/runtime/observability/operator-server.ts';
import type { Parts } from '../../server/dependencies.ts';
import type { Api } from '../../http/schemas.ts';

/** What operators and load balancers ask; the platform's clients ask the reader by itself. */
export function healthRoutes(
  api: Api,
  parts: Pick<Parts, 'about' | 'checkHealth' | 'metrics'>,
): void {
  const answers = watchAnswers(parts);
  const health = answers.get('/health');
  if (health !== undefined) answers.set('/reader/health', health);
  for (const [url, ask] of answers) {
    api.route({
      method: 'GET',
      url,
      config: { operation: url === '/metrics' ? 'viewMetrics' : 'viewHealth' },
      handler: async (_request, reply) => {
        const { status, contentType, body } = await ask();
        return reply
          .status(status)
          .type(contentType)
          .header('cache-control', 'no-store')
          .send(body);
      },
    });
  }
}
