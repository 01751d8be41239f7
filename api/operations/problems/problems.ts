import type { HealthCheck, HealthStatus } from '../../../infra/runtime/observability/health.ts';
import {
  type OperationsProblem,
  type OperationsProcess,
  type ProblemKind,
  problemKinds,
} from '../../../schemas/operations.ts';
import type { HistoryRow, ProcessRow } from '../history/sql.ts';
import type { FailingWebhook } from './sql.ts';

/** All that is known of how the installation is. */
export type Known = {
  processes: readonly ProcessRow[];
  /** Measurements of processes within the last hour, in their shortest intervals. */
  history: readonly HistoryRow[];
  webhooks: readonly FailingWebhook[];
  /** Seconds since 1970. */
  now: number;
};

/** From when on something is a problem: as in infra/deploy/prometheus/alerts.yml. */
const from = {
  logShareWarn: 0.5,
  logShareFail: 0.85,
  diskFreeBytes: 5 * 2 ** 30,
  storeLateWarnSeconds: 60,
  storeLateFailSeconds: 1_800,
  webhookSinkLateSeconds: 60,
  queueOldSeconds: 300,
  refusedShare: 0.01,
  apiErrorShare: 0.02,
} as const;
const recentSeconds = 900;
const quarantinedMs = 24 * 3_600_000;

/** The sections of the runbook for checks of a process; for all others that of a neighbour. */
const runbooksOfChecks: Readonly<Record<string, string>> = {
  log: 'MillraceEdgeRefusesMessages',
  webhooks: 'MillraceWebhookSinkBehind',
};

/** The problems there are, the worst first. */
export function problemsOf(known: Known): OperationsProblem[] {
  const running = known.processes.filter(({ state }) => state === 'running');
  const all = [
    ...missing(known.processes),
    ...known.processes.filter(({ state }) => state === 'silent').map(silent),
    ...running.flatMap(failedChecks),
    ...running.flatMap((one) => ownLevels(one)),
    ...refusals(known),
    ...sharedLevels(running),
    ...counted(known),
    ...known.processes.flatMap((one) => quarantined(one, known.now * 1_000)),
    ...failingWebhooks(known.webhooks),
  ];
  return [
    ...all.filter(({ severity }) => severity === 'fail'),
    ...all.filter(({ severity }) => severity === 'warn'),
  ];
}

/** The worst of all that is known. */
export function statusOf(problems: readonly OperationsProblem[]): HealthStatus {
  return problems[0]?.severity ?? 'pass';
}

const kindWords = { edge: 'Edge', api: 'API', workers: 'Workers' } as const;
const nameOf = ({ kind, name }: Pick<OperationsProcess, 'kind' | 'name'>) =>
  `${kindWords[kind]} ${name}`;

function problem(
  kind: ProblemKind,
  severity: OperationsProblem['severity'],
  text: string,
): OperationsProblem {
  return { kind, severity, text, ...problemKinds[kind] };
}

function missing(processes: readonly ProcessRow[]): OperationsProblem[] {
  return (['edge', 'api', 'workers'] as const)
    .filter((kind) => processes.every((one) => one.kind !== kind || one.state === 'stopped'))
    .map((kind) => problem('process_missing', 'fail', `${kindWords[kind]}: none has reported.`));
}

const silent = (process: ProcessRow) =>
  problem('process_silent', 'fail', `${nameOf(process)} is silent.`);

function failedChecks(process: ProcessRow): OperationsProblem[] {
  return Object.entries(process.checks).flatMap(([part, check]) => {
    if (check.status === 'pass') return [];
    const found = problem('check_failed', check.status, textOfCheck(process, part, check));
    return { ...found, runbook: runbooksOfChecks[part] ?? found.runbook };
  });
}

function textOfCheck(process: ProcessRow, part: string, { status, output }: HealthCheck): string {
  return `${nameOf(process)}, ${part}: ${output ?? (status === 'fail' ? 'away' : 'not well')}.`;
}

/** Problems that a process measured of its own log, disk and sinks in its last interval. */
function ownLevels(process: ProcessRow): OperationsProblem[] {
  const name = nameOf(process);
  const level = (figure: string) => process.figures[figure] ?? 0;
  const found: OperationsProblem[] = [];
  const share = level('log_bytes') / (level('log_max_bytes') || 1);
  if (share > from.logShareWarn) {
    const severity = share > from.logShareFail ? 'fail' : 'warn';
    const text = `The log of ${name} is ${Math.round(share * 100)} % full.`;
    found.push(problem('log_filling', severity, text));
  }
  const free = process.figures['disk_free_bytes'];
  if (level('disk_short') > 0) {
    const text = `Too little of the disk of ${name} is free for more of its log.`;
    found.push(problem('disk_short', 'fail', text));
  } else if (free !== undefined && free < from.diskFreeBytes) {
    const text = `${(free / 2 ** 30).toFixed(1)} GiB are free on the disk of ${name}.`;
    found.push(problem('disk_filling', 'warn', text));
  }
  if (level('lost_frames') > 0) {
    const text = `${level('lost_frames')} acknowledged messages or more of ${name} can not be read back from its disk.`;
    found.push(problem('frames_lost', 'fail', text));
  }
  if (level('log_identities') > 0) {
    const text = `The log of ${name} was restored from an older copy, or copied.`;
    found.push(problem('log_renewed', 'warn', text));
  }
  return [...found, ...lateSinks(name, level)];
}

function lateSinks(name: string, level: (figure: string) => number): OperationsProblem[] {
  const found: OperationsProblem[] = [];
  const late = Math.max(level('unsent_seconds:senml'), level('unsent_seconds:json'));
  if (late > from.storeLateWarnSeconds) {
    const severity = late > from.storeLateFailSeconds ? 'fail' : 'warn';
    const text = `${name} has acknowledged messages that are not in the store after ${lasting(late)}.`;
    found.push(problem('store_late', severity, text));
  }
  const copies = level('unsent_seconds:webhook');
  if (copies > from.webhookSinkLateSeconds) {
    const text = `Messages for webhooks have waited for ${lasting(copies)} in the log of ${name}.`;
    found.push(problem('webhook_sink_late', 'warn', text));
  }
  return found;
}

/** Problems of the queue that all workers measure. */
function sharedLevels(running: readonly ProcessRow[]): OperationsProblem[] {
  const most = (figure: string) =>
    Math.max(0, ...running.map(({ figures }) => figures[figure] ?? 0));
  const found: OperationsProblem[] = [];
  const old = most('queue_seconds');
  if (old > from.queueOldSeconds) {
    const text = `The next message in the queue of webhooks has waited for ${lasting(old)}.`;
    found.push(problem('webhook_queue_old', 'warn', text));
  }
  const failed = most('queue_jobs:failed');
  if (failed > 0) {
    const text = `${many(failed, 'delivery was', 'deliveries were')} given up.`;
    found.push(problem('deliveries_given_up', 'warn', text));
  }
  return found;
}

/** Sums up what was counted since then; a figure apart by its label as `figure:label`. */
function countsSince(history: readonly HistoryRow[], since: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { at, figures } of history) {
    if (at <= since) continue;
    for (const [figure, value] of Object.entries(figures)) {
      counts.set(figure, (counts.get(figure) ?? 0) + value);
    }
  }
  return counts;
}

/** Messages refused within the last quarter of an hour: by our fault, and by their senders'. */
function refusals({ history, now }: Known): OperationsProblem[] {
  const counts = countsSince(history, now - recentSeconds);
  const refused = labelled(counts, 'refused');
  const inAll = (counts.get('messages') ?? 0) + sum(refused.values());
  const over = (some: number) => some > from.refusedShare * inAll;
  const found: OperationsProblem[] = [];
  const ours = refused.get('unavailable') ?? 0;
  if (over(ours)) {
    const text = `${many(ours, 'message was', 'messages were')} answered 503 in the last 15 minutes.`;
    found.push(problem('messages_refused', 'fail', text));
  }
  // Strangers who guess keys come to every public edge: the tile of refusals shows them.
  const theirs = new Map(
    [...refused].filter(([code]) => code !== 'unavailable' && !code.startsWith('credential_')),
  );
  if (over(sum(theirs.values()))) {
    const reasons = [...theirs]
      .toSorted(([, one], [, other]) => other - one)
      .map(([reason, count]) => `${reason} ${count}`);
    const text = `${many(sum(theirs.values()), 'message was', 'messages were')} refused in the last 15 minutes: ${reasons.join(', ')}.`;
    found.push(problem('senders_refused', 'warn', text));
  }
  return found;
}

/** Problems that were counted within the last hour and should never occur; and errors of the API. */
function counted({ history, now }: Known): OperationsProblem[] {
  const [hour, recent] = [countsSince(history, 0), countsSince(history, now - recentSeconds)];
  const found: OperationsProblem[] = [];
  const missed = hour.get('missed_deliveries') ?? 0;
  if (missed > 0) {
    const text = `${many(missed, 'delivery was', 'deliveries were')} not kept in the last hour.`;
    found.push(problem('deliveries_missed', 'fail', text));
  }
  const writes = recent.get('failed_writes') ?? 0;
  if (writes > 0) {
    const text = `A disk refused ${many(writes, 'write', 'writes')} to a log in the last 15 minutes.`;
    found.push(problem('disk_refuses_writes', 'fail', text));
  }
  if ((recent.get('mails_failed') ?? 0) > 0 && (recent.get('mails_sent') ?? 0) === 0) {
    const text = 'No mail was sent in the last 15 minutes, and attempts failed.';
    found.push(problem('mails_failing', 'warn', text));
  }
  const mails = hour.get('mails_given_up') ?? 0;
  if (mails > 0) {
    const text = `${many(mails, 'mail was', 'mails were')} given up in the last hour.`;
    found.push(problem('mails_given_up', 'warn', text));
  }
  const answers = labelled(recent, 'answers');
  const errors = sum([...answers].filter(([status]) => status >= '500').map(([, count]) => count));
  if (errors > from.apiErrorShare * sum(answers.values())) {
    const text = `${many(errors, 'request', 'requests')} to the API failed in the last 15 minutes.`;
    found.push(problem('api_errors', 'fail', text));
  }
  return found;
}

function quarantined(process: ProcessRow, nowMs: number): OperationsProblem[] {
  const lately = process.quarantine.filter(({ at }) => nowMs - Date.parse(at) < quarantinedMs);
  const [last] = lately;
  if (last === undefined) return [];
  const kept = many(lately.length, 'message was', 'messages were');
  const text = `${kept} quarantined at ${nameOf(process)} in the last day: code ${last.code}.`;
  return [problem('quarantined', 'warn', text)];
}

function failingWebhooks(webhooks: readonly FailingWebhook[]): OperationsProblem[] {
  const found = webhooks.map((one) => {
    const since = `since ${one.since.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const text = one.isDisabled
      ? `Webhook ${one.name} of ${one.place} has been disabled ${since}, as its receiver took nothing.`
      : `Webhook ${one.name} of ${one.place}: every attempt has failed ${since}.`;
    const kind = one.isDisabled ? 'webhook_disabled' : 'webhook_failing';
    return { ...problem(kind, 'warn', text), webhook_id: one.id };
  });
  const others = (webhooks[0]?.total ?? 0) - webhooks.length;
  if (others === 0) return found;
  const text = `${many(others, 'more webhook fails', 'more webhooks fail')}.`;
  return [...found, problem('webhook_failing', 'warn', text)];
}

function labelled(counts: ReadonlyMap<string, number>, figure: string): Map<string, number> {
  return new Map(
    [...counts]
      .filter(([key]) => key.startsWith(`${figure}:`))
      .map(([key, count]) => [key.slice(figure.length + 1), count]),
  );
}

const sum = (values: Iterable<number>): number =>
  [...values].reduce((total, value) => total + value, 0);

const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`;

const lasting = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
