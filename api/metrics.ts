import { Counter, Histogram, type Registry } from '../infra/metrics.ts';
import type { Api } from './shapes.ts';

/** Counts and times every answer, by the route's pattern: no id gets into a label. */
export function measureAnswers(api: Api, metrics: Registry): void {
  const answered = new Counter({
    name: 'millrace_api_requests_answered_total',
    help: 'Requests answered, by route, method and status',
    labelNames: ['route', 'method', 'status'],
    registers: [metrics],
  });
  const took = new Histogram({
    name: 'millrace_api_request_duration_seconds',
    help: 'From the request to the end of its answer, by route and method',
    labelNames: ['route', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  });
  api.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const { method } = request;
    answered.inc({ route, method, status: String(reply.statusCode) });
    took.observe({ route, method }, reply.elapsedTime / 1_000);
  });
}
