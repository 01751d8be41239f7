import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemKinds } from '../../../schemas/operations.ts';
import type { HistoryRow, ProcessRow } from '../history/sql.ts';
import { type Known, problemsOf, statusOf } from './problems.ts';

const now = 1_795_000_000;

const process = (kind: ProcessRow['kind'], other: Partial<ProcessRow> = {}): ProcessRow => ({
  id: kind,
  kind,
  name: 'mill-1:1',
  version: '',
  state: 'running',
  started_at: new Date(0),
  seen_at: new Date(0),
  checks: { postgres: { status: 'pass' } },
  quarantine: [],
  seconds: 15,
  figures: {},
  ...other,
});
const all = [process('edge'), process('api'), process('workers')];
const edgeWith = (figures: ProcessRow['figures']): Partial<Known> => ({
  processes: [process('edge', { figures }), process('api'), process('workers')],
});
const workersWith = (figures: ProcessRow['figures']): Partial<Known> => ({
  processes: [process('edge'), process('api'), process('workers', { figures })],
});
const counted = (figures: HistoryRow['figures'], secondsAgo = 60): Partial<Known> => ({
  history: [{ process_id: 'edge', kind: 'edge', at: now - secondsAgo, seconds: 15, figures }],
});

const found = (known: Partial<Known>) =>
  problemsOf({ processes: all, history: [], webhooks: [], now, ...known });
const textsOf = (known: Partial<Known>) =>
  found(known).map(({ severity, text }) => `${severity} ${text}`);

it('finds nothing where every process reports that all is well', () => {
  expect(textsOf(edgeWith({ log_bytes: 1, log_max_bytes: 10, disk_free_bytes: 1e12 }))).toEqual([]);
  expect(statusOf(found({}))).toBe('pass');
});

it('names what is missing, silent or not well, the worst first', () => {
  const problems = found({
    processes: [
      process('edge', { checks: { clickhouse: { status: 'warn', output: 'away' } } }),
      process('edge', { state: 'silent', name: 'mill-2:1' }),
      process('workers', { state: 'stopped' }),
      process('api', { checks: { postgres: { status: 'fail' } } }),
    ],
  });
  expect(problems.map(({ severity, text }) => `${severity} ${text}`)).toEqual([
    'fail Workers: none has reported.',
    'fail Edge mill-2:1 is silent.',
    'fail API mill-1:1, postgres: away.',
    'warn Edge mill-1:1, clickhouse: away.',
  ]);
  expect(statusOf(problems)).toBe('fail');
});

describe('besides checks, a problem is', () => {
  const webhook = {
    id: 'f7a8b9c0-1d2e-4f3a-9b4c-5d6e7f8a9b0c',
    name: 'alarms',
    place: 'Mill',
    since: new Date('2026-11-26T10:40:00Z'),
    isDisabled: false,
    total: 1,
  };
  const refused = {
    at: new Date((now - 600) * 1_000).toISOString(),
    sink: 'senml',
    code: '469',
    reason: 'x',
    segment: 1,
    offset: 1,
  };
  it.each<[string, Partial<Known>, string[]]>([
    [
      'a log that fills',
      edgeWith({ log_bytes: 6, log_max_bytes: 10 }),
      ['warn The log of Edge mill-1:1 is 60 % full.'],
    ],
    [
      'a log that is nearly full',
      edgeWith({ log_bytes: 9, log_max_bytes: 10 }),
      ['fail The log of Edge mill-1:1 is 90 % full.'],
    ],
    [
      'a disk with little room',
      edgeWith({ disk_free_bytes: 2 * 2 ** 30 }),
      ['warn 2.0 GiB are free on the disk of Edge mill-1:1.'],
    ],
    [
      'a disk too short for the log',
      edgeWith({ disk_short: 1, disk_free_bytes: 1 }),
      ['fail Too little of the disk of Edge mill-1:1 is free for more of its log.'],
    ],
    [
      'frames that were lost',
      edgeWith({ lost_frames: 3 }),
      ['fail 3 acknowledged messages or more of Edge mill-1:1 can not be read back from its disk.'],
    ],
    [
      'a log that was copied',
      edgeWith({ log_identities: 1 }),
      ['warn The log of Edge mill-1:1 was restored from an older copy, or copied.'],
    ],
    [
      'a store that is late',
      edgeWith({ 'unsent_seconds:senml': 90 }),
      ['warn Edge mill-1:1 has acknowledged messages that are not in the store after 90 seconds.'],
    ],
    [
      'a store that is very late',
      edgeWith({ 'unsent_seconds:json': 3_600 }),
      ['fail Edge mill-1:1 has acknowledged messages that are not in the store after 60 minutes.'],
    ],
    [
      'messages for webhooks that wait',
      edgeWith({ 'unsent_seconds:webhook': 90 }),
      ['warn Messages for webhooks have waited for 90 seconds in the log of Edge mill-1:1.'],
    ],
    [
      'a queue that stands still',
      workersWith({ queue_seconds: 600 }),
      ['warn The next message in the queue of webhooks has waited for 10 minutes.'],
    ],
    [
      'deliveries that were given up',
      workersWith({ 'queue_jobs:failed': 2 }),
      ['warn 2 deliveries were given up.'],
    ],
    [
      'messages that the edge could not take',
      counted({ messages: 90, 'refused:unavailable': 10 }),
      ['fail 10 messages were answered 503 in the last 15 minutes.'],
    ],
    [
      'messages that were refused for their senders',
      counted({ messages: 10, 'refused:malformed': 4, 'refused:too_large': 5 }),
      ['warn 9 messages were refused in the last 15 minutes: too_large 5, malformed 4.'],
    ],
    [
      'a few refusals among many messages: no',
      counted({ messages: 10_000, 'refused:malformed': 4 }),
      [],
    ],
    ['guesses at keys: no', counted({ 'refused:credential_unknown': 1_000 }), []],
    ['refusals of an hour ago: no', counted({ 'refused:malformed': 4 }, 1_800), []],
    [
      'deliveries that were not kept',
      counted({ missed_deliveries: 1 }, 1_800),
      ['fail 1 delivery was not kept in the last hour.'],
    ],
    [
      'writes that a disk refused',
      counted({ failed_writes: 2 }),
      ['fail A disk refused 2 writes to a log in the last 15 minutes.'],
    ],
    [
      'mails that nobody takes',
      counted({ mails_failed: 2 }),
      ['warn No mail was sent in the last 15 minutes, and attempts failed.'],
    ],
    ['one mail of several that fails: no', counted({ mails_failed: 1, mails_sent: 1 }), []],
    [
      'mails that were given up',
      counted({ mails_given_up: 1 }),
      ['warn 1 mail was given up in the last hour.'],
    ],
    [
      'errors of the API',
      counted({ 'answers:200': 10, 'answers:500': 1 }),
      ['fail 1 request to the API failed in the last 15 minutes.'],
    ],
    [
      'what was quarantined',
      { processes: [...all, process('edge', { name: 'mill-2:1', quarantine: [refused] })] },
      ['warn 1 message was quarantined at Edge mill-2:1 in the last day: code 469.'],
    ],
    [
      'a webhook whose attempts fail',
      { webhooks: [webhook] },
      ['warn Webhook alarms of Mill: every attempt has failed since 2026-11-26 10:40 UTC.'],
    ],
    [
      'a webhook that was disabled for it',
      { webhooks: [{ ...webhook, isDisabled: true }] },
      [
        'warn Webhook alarms of Mill has been disabled since 2026-11-26 10:40 UTC, as its receiver took nothing.',
      ],
    ],
    [
      'more webhooks than are told',
      { webhooks: [{ ...webhook, total: 9 }] },
      [
        'warn Webhook alarms of Mill: every attempt has failed since 2026-11-26 10:40 UTC.',
        'warn 8 more webhooks fail.',
      ],
    ],
    [
      'one webhook more than is told',
      { webhooks: [{ ...webhook, total: 2 }] },
      [
        'warn Webhook alarms of Mill: every attempt has failed since 2026-11-26 10:40 UTC.',
        'warn 1 more webhook fails.',
      ],
    ],
  ])('%s', (_what, known, expected) => {
    expect(textsOf(known)).toEqual(expected);
  });
});

it('names a section of the runbooks for every kind', () => {
  const text = readFileSync(
    join(import.meta.dirname, '../../../infra/guide/operating/runbooks.md'),
    'utf8',
  );
  const sections = new Set([...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name));
  for (const { runbook } of Object.values(problemKinds)) expect(sections).toContain(runbook);
});
