import { type Static, Type } from 'typebox';
import { about, Timestamp } from './http/common.ts';

const names = {
  ranges: ['1h', '6h', '24h', '7d'],
  kinds: ['edge', 'api', 'workers'],
  statuses: ['pass', 'warn', 'fail'],
  states: ['running', 'silent', 'stopped'],
} as const;

/** The figures of operations, and what each means. */
const figureWords = {
  messages_per_second: 'messages acknowledged a second',
  records_per_second: 'records in them a second',
  refused_per_second: 'messages refused a second; `of`: the error code',
  ack_p50_ms: 'half of the acks took no longer, in milliseconds',
  ack_p99_ms: '99 of 100 acks took no longer, in milliseconds',
  unsent_seconds: 'age of the oldest message that a sink has not delivered; `of`: the sink',
  log_bytes: 'bytes of the logs of all edges',
  log_max_bytes: 'bytes that they may have',
  disk_free_bytes: 'free bytes of the disk that has the least',
  store_bytes: 'bytes of the store on disks',
  store_parts: 'parts of the store',
  store_merges: 'merges that run in the store',
  queue_jobs: 'jobs in the queue of webhooks; `of`: their state',
  queue_seconds: 'how long the next job has been in the queue, in seconds',
  queue_waiting: 'deliveries that wait for room in the queue',
  attempts_per_second: 'attempts at deliveries a second; `of`: how they ended',
  answers_per_second: 'requests that the API answered a second; `of`: the status',
  answer_p50_ms: 'half of the answers of the API took no longer, in milliseconds',
  answer_p99_ms: '99 of 100 answers of the API took no longer, in milliseconds',
} as const;
export type FigureName = keyof typeof figureWords;

/** The name of a figure. */
export const isFigure = (name: string): name is FigureName => Object.hasOwn(figureWords, name);

/** Kinds of problems, with the section of infra/guide/operating/runbooks.md that helps, and its advice in a sentence. */
export const problemKinds = {
  process_missing: {
    runbook: 'MillraceProcessDown',
    advice: 'Start one. If one runs, its log says why it can not write to PostgreSQL.',
  },
  process_silent: {
    runbook: 'MillraceProcessDown',
    advice:
      'It was killed, or can not reach PostgreSQL: its last lines tell which. Start it again.',
  },
  check_failed: {
    runbook: 'MillraceNeighbourFails',
    advice: 'Bring back what is away. The rest catches up by itself.',
  },
  messages_refused: {
    runbook: 'MillraceEdgeRefusesMessages',
    advice: 'Devices keep these messages and try again. Look at the log, its disk and PostgreSQL.',
  },
  senders_refused: {
    runbook: 'MillraceSendersRefused',
    advice: 'Their senders have to change. The answers that they got name the place and the cause.',
  },
  log_filling: {
    runbook: 'MillraceLogFilling',
    advice: 'The store takes less than comes in. Bring it back, or make the log larger.',
  },
  disk_filling: {
    runbook: 'MillraceDiskFilling',
    advice: 'Free some of the disk, or take a larger one. Never delete files of the log.',
  },
  disk_short: {
    runbook: 'MillraceDiskShort',
    advice: 'Free some of the disk, or take a larger one. Never delete files of the log.',
  },
  disk_refuses_writes: {
    runbook: 'MillraceDiskRefusesWrites',
    advice: "Look at the kernel's log and the disk's own report.",
  },
  frames_lost: {
    runbook: 'MillraceFramesLost',
    advice: 'Replace the disk. damaged.ndjson tells which messages are lost.',
  },
  log_renewed: {
    runbook: 'MillraceLogRenewed',
    advice: 'Give each edge a directory of its own.',
  },
  store_late: {
    runbook: 'MillraceStoreBehind',
    advice: 'Nothing is lost. Bring ClickHouse back, or give it more cores or faster disks.',
  },
  quarantined: {
    runbook: 'MillraceRecordsQuarantined',
    advice: 'The reason stands in the table below, the message in quarantine.ndjson of the edge.',
  },
  webhook_sink_late: {
    runbook: 'MillraceWebhookSinkBehind',
    advice: 'Bring Redis or PostgreSQL back. The store is not affected.',
  },
  webhook_queue_old: {
    runbook: 'MillraceWebhookQueueOld',
    advice: 'Start more workers, or restart those that stand still.',
  },
  webhook_failing: {
    runbook: 'MillraceWebhookAttemptsFail',
    advice: 'Its page shows the attempts and the answers. A dead receiver is its owner’s to mend.',
  },
  webhook_disabled: {
    runbook: 'MillraceWebhookAttemptsFail',
    advice: 'Mend its receiver, enable it, and deliver again what it missed.',
  },
  deliveries_given_up: {
    runbook: 'MillraceDeliveriesGivenUp',
    advice: 'They stand in the failed set of the queue. Deliver them again, or delete them there.',
  },
  deliveries_missed: {
    runbook: 'MillraceWebhookDeliveriesMissed',
    advice: 'Its org keeps too much for dead receivers: mend or delete these.',
  },
  mails_failing: {
    runbook: 'MillraceMailsFail',
    advice: 'Check SMTP_URL, the account, and whether MAIL_FROM is allowed there.',
  },
  mails_given_up: {
    runbook: 'MillraceMailsGivenUp',
    advice: 'They stand in the failed set of the queue `mail`, with the reasons.',
  },
  api_errors: {
    runbook: 'MillraceApiErrors',
    advice: '503: a database is away, or a budget is used up. 500: keep the error line of the log.',
  },
} as const;
export type ProblemKind = keyof typeof problemKinds;

const Value = Type.Union([Type.Number(), Type.Null()]);

export const OperationsQuery = Type.Object({
  range: Type.Optional(
    about(
      Type.Enum([...names.ranges]),
      'How far back the history goes. Absent: no history, only what is now.',
      '1h',
    ),
  ),
});
export type OperationsQuery = Static<typeof OperationsQuery>;

export const OperationsSeries = Type.Object({
  figure: about(
    Type.Unsafe<FigureName>(Type.Enum(Object.keys(figureWords))),
    `What it is, with its unit:\n${Object.entries(figureWords)
      .map(([name, words]) => `- \`${name}\`: ${words}`)
      .join('\n')}`,
    'ack_p99_ms',
  ),
  of: Type.Optional(about(Type.String(), 'Which of several. Absent: there is one.', 'senml')),
  now: about(Value, 'Value of the last 15 seconds. `null`: nothing tells.', 4.2),
  values: Type.Optional(
    about(
      Type.Array(Value),
      'Value of each interval: the earliest first, `null` where nothing tells. Absent: no `range` was asked for.',
      [3.9, 4.2],
    ),
  ),
});
export type OperationsSeries = Static<typeof OperationsSeries>;

const Check = Type.Object({
  part: about(Type.String(), 'What was checked.', 'clickhouse'),
  status: about(Type.Enum([...names.statuses]), 'How it is.', 'warn'),
  output: Type.Optional(
    about(Type.String(), 'What is wrong. Absent: nothing.', 'the store takes no batches'),
  ),
});

export const OperationsProcess = Type.Object({
  id: about(Type.String(), 'Id, which it keeps when it is started again.', 'api mill-1:8080'),
  kind: about(Type.Enum([...names.kinds]), 'What it does.', 'api'),
  name: about(Type.String(), 'Machine and port.', 'mill-1:8080'),
  version: about(Type.String(), 'Version that runs.', '0.1.0'),
  state: about(
    Type.Enum([...names.states]),
    '`running`; `silent`: nothing was heard of it for 45 seconds; `stopped`: it was told to.',
    'running',
  ),
  status: about(
    Type.Enum([...names.statuses]),
    'Its worst check: `pass`, `warn` (it does its job) or `fail` (it can not).',
    'pass',
  ),
  checks: about(Type.Array(Check), 'Its checks, as its `/health` has them.'),
  started_at: about(Timestamp, 'When it was started.', '2026-11-21T10:00:00.000Z'),
  seen_at: about(Timestamp, 'When it last reported.', '2026-11-23T09:12:15.000Z'),
  cpu_cores: about(Value, 'Cores that it used in its last interval.', 0.03),
  memory_bytes: about(Value, 'Memory that it held.', 187_000_000),
  health: Type.Optional(
    about(
      Type.Array(Type.Union([Type.Enum([...names.statuses]), Type.Null()])),
      'Its worst status in each interval: `null` where it did not report. Absent: no `range` was asked for.',
      ['pass', 'pass'],
    ),
  ),
});
export type OperationsProcess = Static<typeof OperationsProcess>;

export const OperationsQuarantined = Type.Object({
  at: about(Timestamp, 'When it was quarantined.', '2026-11-21T10:00:00.000Z'),
  process: about(Type.String(), 'Name of the edge whose log has it.', 'mill-1:8081'),
  sink: about(Type.String(), 'Sink whose target refused it.', 'senml'),
  records: Type.Optional(about(Type.Integer(), 'Records in it. Absent: not known.', 2)),
  code: about(Type.String(), 'Code of the refusal.', '469'),
  reason: about(
    Type.String(),
    'Reason of the refusal, in the words of the target.',
    'Constraint …',
  ),
  segment: about(Type.Integer(), 'Segment of the log.', 12),
  offset: about(Type.Integer(), 'Offset in the segment.', 4096),
});
export type OperationsQuarantined = Static<typeof OperationsQuarantined>;

export const OperationsProblem = Type.Object({
  kind: about(
    Type.Unsafe<ProblemKind>(Type.Enum(Object.keys(problemKinds))),
    'What kind of problem it is.',
    'webhook_failing',
  ),
  severity: about(
    Type.Enum(['warn', 'fail']),
    '`fail`: devices or people are refused, or something is lost; `warn`: somebody should look today.',
    'warn',
  ),
  text: about(Type.String(), 'What is wrong, in a sentence.', 'Edge mill-1:8081 is silent.'),
  advice: about(Type.String(), 'What to do, in short.', 'Start it again.'),
  runbook: about(
    Type.String(),
    'Section of `infra/guide/operating/runbooks.md` that tells what it means and what to do.',
    'MillraceProcessDown',
  ),
  webhook_id: Type.Optional(about(Type.String(), 'Id of the webhook. Absent: it is of none.')),
});
export type OperationsProblem = Static<typeof OperationsProblem>;

export const Operations = Type.Object({
  at: about(Timestamp, 'When this was put together.', '2026-11-23T09:12:20.000Z'),
  status: about(
    Type.Enum([...names.statuses]),
    'The worst of all that is known: `pass` where there is no problem.',
    'warn',
  ),
  problems: about(Type.Array(OperationsProblem), 'What is wrong now, the worst first.'),
  times: Type.Optional(
    about(
      Type.Array(Type.Integer()),
      'Ends of the intervals, in seconds since 1970. Absent: no `range` was asked for.',
      [1_795_425_120, 1_795_425_135],
    ),
  ),
  series: about(Type.Array(OperationsSeries), 'Figures of all processes together.'),
  processes: about(
    Type.Array(OperationsProcess),
    'Processes that reported: silent ones for a day, stopped ones for an hour.',
  ),
  quarantine: about(
    Type.Array(OperationsQuarantined),
    'What was quarantined because a target refused it for good, the newest first: up to 20 of each edge.',
  ),
});
export type Operations = Static<typeof Operations>;
