import { everySeconds } from '../../../infra/runtime/history/spans.ts';
import { Gauge, type Registry } from '../../../infra/runtime/observability/metrics.ts';
import { type OperationsProblem, problemKinds } from '../../../schemas/operations.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import { findHistory, type ProcessRow } from '../history/sql.ts';
import { problemsOf } from './problems.ts';
import { findFailingWebhooks } from './sql.ts';

const hourSeconds = 3_600;

/** Finds what is wrong now, given the processes that reported. */
export async function findProblems(
  db: Database,
  processes: readonly ProcessRow[],
): Promise<OperationsProblem[]> {
  const now = Date.now() / 1_000;
  const [history, webhooks] = await Promise.all([
    findHistory(db, everySeconds, now - hourSeconds),
    findFailingWebhooks(db, limits.failingWebhooksToldMax),
  ]);
  return problemsOf({ processes, history, webhooks, now });
}

/** The same as a metric: how many problems there are, by kind and severity. */
export function measureProblems(
  registry: Registry,
  find: () => Promise<OperationsProblem[]>,
): void {
  const problems: Gauge<'kind' | 'severity'> = new Gauge({
    name: 'millrace_problems',
    help: 'Problems of the installation, as the page of operations tells them',
    labelNames: ['kind', 'severity'],
    registers: [registry],
    async collect() {
      const found = await find().catch(() => undefined);
      // Absent while PostgreSQL is away.
      problems.reset();
      if (found === undefined) return;
      for (const kind of Object.keys(problemKinds)) {
        for (const severity of ['warn', 'fail'] as const) problems.set({ kind, severity }, 0);
      }
      for (const { kind, severity } of found) problems.inc({ kind, severity });
    },
  });
}
