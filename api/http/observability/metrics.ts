import type { Budgets } from '../../budgets/budgets.ts';
import { boundsMs } from '../../../infra/runtime/observability/latencies.ts';
import {
  Counter,
  Histogram,
  readMetrics,
  type Registry,
} from '../../../infra/runtime/observability/metrics.ts';
import type { Api } from '../schemas.ts';

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
    buckets: boundsMs.map((ms) => ms / 1_000),
    registers: [metrics],
  });
  api.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const { method } = request;
    answered.inc({ route, method, status: String(reply.statusCode) });
    took.observe({ route, method }, reply.elapsedTime / 1_000);
  });
}

type BudgetStats = ReturnType<Budgets['streams']['stats']>;

/** How much of each budget is held and waited for, and how many were refused. */
export function measureBudgets(budgets: Budgets, metrics: Registry): void {
  const read = readMetrics(metrics);
  const each = (value: (stats: BudgetStats) => number) => () =>
    Object.entries(budgets).map(([name, budget]): [string, number] => [
      name,
      value(budget.stats()),
    ]);
  const gauges = (name: string, help: string, value: (stats: BudgetStats) => number) =>
    read.gauges({ name, help }, 'budget', each(value));
  gauges('millrace_budget_held', 'What is held, by budget', (stats) => stats.held);
  gauges('millrace_budget_waiting', 'How many wait for their turn, by budget', (stats) => {
    return stats.waiting;
  });
  const streams = { name: 'millrace_live_streams', help: 'Live streams that are open' };
  read.gauge(streams, () => budgets.streams.stats().held);
  const refused = new Counter({
    name: 'millrace_budget_refused_total',
    help: 'Requests refused, by budget: too_many over their own share, unavailable where none was left',
    labelNames: ['budget', 'code'],
    registers: [],
    collect() {
      refused.reset();
      for (const [name, budget] of Object.entries(budgets)) {
        const { too_many, unavailable } = budget.stats();
        for (const [code, count] of Object.entries({ too_many, unavailable })) {
          refused.inc({ budget: name, code }, count);
        }
      }
    },
  });
  metrics.registerMetric(refused);
}
