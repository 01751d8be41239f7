import { type Range, ranges, spanOf } from '../../../infra/runtime/history/spans.ts';
import { worstOf } from '../../../infra/runtime/observability/health.ts';
import {
  Operations,
  type OperationsProcess,
  OperationsQuery,
  type OperationsQuarantined,
} from '../../../schemas/operations.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { momentOf, seriesOf } from './series.ts';
import { findHistory, findProcesses, type HistoryRow, type ProcessRow } from './sql.ts';

/** What the last processes may take to write an interval down. */
const lateSeconds = 2;

/** How the installation is and was, by what its processes report. */
export function operationsRoutes(api: Api, { db }: { db: Database }): void {
  api.route({
    method: 'GET',
    url: '/operations',
    schema: { querystring: OperationsQuery, response: { 200: Operations } },
    config: { operation: 'viewOperations' },
    handler: async ({ query: { range } }) => {
      const rows = await findProcesses(db);
      const now = momentOf(rows.filter(({ state }) => state === 'running'));
      const history = range === undefined ? undefined : await historyOf(db, range);
      return {
        at: new Date().toISOString(),
        ...(history === undefined ? {} : { times: history.times }),
        series: seriesOf(now, history?.moments),
        processes: rows.map(toProcess),
        quarantine: rows
          .flatMap(toQuarantined)
          .toSorted((one, other) => (one.at < other.at ? 1 : -1)),
      };
    },
  });
}

async function historyOf(db: Database, range: Range) {
  const span = spanOf(range);
  const nowSeconds = Math.floor(Date.now() / 1_000) - lateSeconds;
  const end = nowSeconds - (nowSeconds % span);
  const times = Array.from({ length: ranges[range] / span }, (_, back) => end - back * span);
  const byTime = new Map<number, HistoryRow[]>(times.map((time) => [time, []]));
  for (const row of await findHistory(db, span, end - ranges[range])) byTime.get(row.at)?.push(row);
  times.reverse();
  return { times, moments: times.map((time) => momentOf(byTime.get(time) ?? [])) };
}

function toProcess(row: ProcessRow): OperationsProcess {
  const { id, kind, name, version, state, checks, seconds, figures } = row;
  const { cpu = 0, memory_bytes: memory } = figures;
  const isRunning = state === 'running';
  return {
    id,
    kind,
    name,
    version,
    state,
    status: worstOf(checks),
    checks: Object.entries(checks).map(([part, check]) => ({ part, ...check })),
    started_at: row.started_at.toISOString(),
    seen_at: row.seen_at.toISOString(),
    cpu_cores: isRunning && seconds > 0 ? Number((cpu / seconds).toPrecision(3)) : null,
    memory_bytes: isRunning ? (memory ?? null) : null,
  };
}

function toQuarantined({ name, quarantine }: ProcessRow): OperationsQuarantined[] {
  return quarantine.map((one) => ({ ...one, process: name }));
}
