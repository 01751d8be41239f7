import { type Range, ranges, spanOf } from '../../infra/runtime/history/spans.ts';
import { severity, worstOf } from '../../infra/runtime/observability/health.ts';
import type { OperationsProcess, OperationsQuarantined } from '../../schemas/operations.ts';
import { handle } from '../http/handle.ts';
import type { Api } from '../http/schemas.ts';
import type { Database } from '../stores/database.ts';
import { momentOf, seriesOf } from './history/series.ts';
import { findHistory, findProcesses, type HistoryRow, type ProcessRow } from './history/sql.ts';
import { service } from './operations.ts';
import { findProblems } from './problems/find.ts';
import { statusOf } from './problems/problems.ts';

const statuses = ['pass', 'warn', 'fail'] as const;
/** The time that the last processes may take to write an interval down. */
const lateSeconds = 2;

/** How the installation is and was, by what its processes report. */
export function stateRoutes(api: Api, { db }: { db: Database }): void {
  handle(api, service.viewOperations, async ({ query: { range } }) => {
    const rows = await findProcesses(db);
    const now = momentOf(rows.filter(({ state }) => state === 'running'));
    const history = range === undefined ? undefined : await historyOf(db, range);
    const problems = await findProblems(db, rows);
    return {
      at: new Date().toISOString(),
      status: statusOf(problems),
      problems,
      ...(history === undefined ? {} : { times: history.times }),
      series: seriesOf(now, history?.moments),
      processes: rows.map((row) => toProcess(row, history?.rows)),
      quarantine: rows
        .flatMap(toQuarantined)
        .toSorted((one, other) => (one.at < other.at ? 1 : -1)),
    };
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
  const rows = times.map((time) => byTime.get(time) ?? []);
  return { times, rows, moments: rows.map(momentOf) };
}

/** Its worst status in each interval, by the rows of all. */
function healthIn(rows: readonly HistoryRow[][], id: string) {
  return rows.map((all) => {
    const health = all.find((row) => row.process_id === id)?.figures['health'];
    return statuses.find((status) => severity[status] === health) ?? null;
  });
}

function toProcess(
  row: ProcessRow,
  history: readonly HistoryRow[][] | undefined,
): OperationsProcess {
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
    ...(history === undefined ? {} : { health: healthIn(history, id) }),
  };
}

function toQuarantined({ name, quarantine }: ProcessRow): OperationsQuarantined[] {
  return quarantine.map((one) => ({ ...one, process: name }));
}
