import { type Static, Type } from 'typebox';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { listQuery, pageEnvelope } from '../http/page.ts';
import { Time, UntilTime } from '../http/time.ts';
import { exportParameters } from '../messages/query.ts';
import { Receivers, severities } from './rule.ts';

const Instant = Type.Unsafe<string | number>(Time);
const Severity = Type.Enum([...severities]);

const SeriesValue = Type.Object({
  name: about(Type.String(), 'Name of the series, or path in the payload.', 'temperature'),
  value: about(
    Type.Union([Type.Number(), Type.String(), Type.Boolean()]),
    'Its newest value then.',
    8.4,
  ),
  unit: Type.Optional(
    about(
      Type.String(),
      'Unit of its record, as SenML writes it. Absent: the record has none, or came before the one that fired or ended the alarm.',
      'Cel',
    ),
  ),
});

const State = Type.Enum(['firing', 'clearing', 'ended']);
const stateWords =
  '`firing`: it goes on; `clearing`: its conditions are over, and not for as long as `clear_for` yet; `ended`.';

const endings = [
  'cleared',
  'rule_changed',
  'rule_disabled',
  'rule_deleted',
  'thing_moved',
] as const;
export type AlarmEnding = (typeof endings)[number];

/** One episode of a thing under a rule. */
export const Alarm = Type.Object({
  id: about(
    Uuid,
    'Id of the alarm: later ones are larger.',
    '019ac0de-7b2c-7f3a-9b4c-5d6e7f8a9b0c',
  ),
  rule_id: about(
    Uuid,
    'Id of its rule, which may be gone.',
    '0b8f2f0e-6a55-4f0b-9f0a-2f0c6d1f7a10',
  ),
  rule_name: about(Type.String(), 'Label of the rule, as it was then.', 'cold room'),
  severity: about(Severity, 'How bad it is, as the rule said then.', 'critical'),
  thing_id: about(Uuid, 'Id of the thing.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
  thing_name: about(Type.String(), 'Name of the thing.', 'freezer 2'),
  group_id: about(Uuid, 'Id of the group that it was in.', 'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b'),
  episode: about(Type.Integer(), 'Number of the alarm among those of its rule and thing.', 3),
  state: about(State, stateWords, 'firing'),
  clock: about(
    Type.Enum(['record', 'receipt']),
    'Whose times these are: `record`, those in the messages; `receipt`, those at which the edge heard of the thing (`silent`).',
    'record',
  ),
  began_at: about(Timestamp, 'When the breach began: ISO 8601, UTC.', '2026-11-21T10:00:00.000Z'),
  fired_at: about(
    Timestamp,
    'When it had lasted for as long as `for`.',
    '2026-11-21T10:05:00.000Z',
  ),
  ended_at: Type.Optional(
    about(Timestamp, 'When it ended. Absent: it goes on.', '2026-11-21T10:20:00.000Z'),
  ),
  ended_why: Type.Optional(
    about(
      Type.Enum([...endings]),
      'Why it ended: `cleared`, or because its rule was changed, disabled or deleted, or its thing moved.',
      'cleared',
    ),
  ),
  began_values: about(Type.Array(SeriesValue), 'Values when it fired.'),
  ended_values: Type.Optional(about(Type.Array(SeriesValue), 'Values when it ended.')),
  history: about(
    Type.Boolean(),
    'Whether it was found in records that came late: then nobody was told of it.',
    false,
  ),
  acknowledged_at: Type.Optional(
    about(Timestamp, 'When somebody acknowledged it. Absent: nobody has.'),
  ),
  acknowledged_by: Type.Optional(about(Uuid, 'Id of the user who acknowledged it.')),
  acknowledged_by_email: Type.Optional(
    about(Type.String(), 'E-mail of the user who acknowledged it.', 'ana@example.com'),
  ),
  note: Type.Optional(about(Type.String(), 'Note of the acknowledgement.', 'door was open')),
});
export type Alarm = Static<typeof Alarm>;

/** Acknowledging again replaces the note. */
export const Acknowledgement = Type.Object({
  note: Type.Optional(
    about(Type.String({ maxLength: 1_024 }), 'Note, at most 1,024 characters.', 'door was open'),
  ),
});
export type Acknowledgement = Static<typeof Acknowledgement>;

export const alarmOrders = ['fired_at', 'id', 'severity'] as const;
const { metadata: _, ...page } = listQuery(alarmOrders, {}).properties;
const alarmFilters = {
  state: Type.Optional(
    about(
      Type.Enum(['open', 'firing', 'clearing', 'ended']),
      'State that the alarm must have. `open`: it is firing or clearing.',
    ),
  ),
  severity: Type.Optional(about(Severity, 'Severity that it must have.')),
  rule_id: Type.Optional(about(Uuid, 'Id of its rule.')),
  acknowledged: Type.Optional(about(Type.Boolean(), 'Whether somebody has acknowledged it.')),
  from: Type.Optional(about(Instant, `Only those that went on then or later. ${Time.description}`)),
  to: Type.Optional(about(Instant, `Only those that had fired by then. ${UntilTime.description}`)),
};
const AlarmFilters = Type.Object(alarmFilters);
export type AlarmFilters = Static<typeof AlarmFilters>;
export const AlarmsQuery = Type.Object({
  ...page,
  order: Type.Optional(
    about(Type.Enum([...alarmOrders]), 'Member to sort by. Default `fired_at`.'),
  ),
  ...alarmFilters,
});
export type AlarmsQuery = Static<typeof AlarmsQuery>;

export const AlarmsFileQuery = Type.Object({
  ...alarmFilters,
  convert: Type.Optional(
    about(Type.Enum(['csv', 'ndjson']), 'Type of the file: `csv` or `ndjson`. Default `ndjson`.'),
  ),
  bom: Type.Optional(about(Type.Boolean(), exportParameters.bom.description)),
});
export type AlarmsFileQuery = Static<typeof AlarmsFileQuery>;

const { total, offset, limit, order, dir } = pageEnvelope;
export const Alarms = Type.Object({
  total,
  offset,
  limit,
  order,
  dir,
  ...alarmFilters,
  alarms: about(Type.Array(Alarm), 'Alarms of the page.'),
});

/** Until its end, nobody is told of some alarms. */
export const Silence = Type.Object({
  id: about(Uuid, 'Id of the silence: a UUID.', '9d1f2f0e-6a55-4f0b-9f0a-2f0c6d1f7a10'),
  group_id: about(Uuid, 'Id of its group.', 'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b'),
  rule_id: Type.Optional(about(Uuid, 'Only alarms of this rule. Absent: of all.')),
  thing_id: Type.Optional(about(Uuid, 'Only alarms of this thing. Absent: of all.')),
  reason: about(Type.String(), 'Why.', 'maintenance'),
  until: about(Timestamp, 'When it ends: ISO 8601, UTC.', '2026-11-21T12:00:00.000Z'),
  made_by_email: Type.Optional(about(Type.String(), 'E-mail of who made it.', 'ana@example.com')),
  created_at: about(Timestamp, 'When it was made: ISO 8601, UTC.', '2026-11-21T10:00:00.000Z'),
});
export type Silence = Static<typeof Silence>;

export const NewSilence = Type.Object({
  rule_id: Type.Optional(about(Uuid, 'Only alarms of this rule of the group. Default: of all.')),
  thing_id: Type.Optional(about(Uuid, 'Only alarms of this thing of the group. Default: of all.')),
  reason: about(Type.String({ minLength: 1, maxLength: 1_024 }), 'Why.', 'maintenance'),
  until: about(
    Instant,
    `When it ends, a year from now at most. ${Time.description}`,
    '2026-11-21T12:00:00.000Z',
  ),
});
export type NewSilence = Static<typeof NewSilence>;

const silenceOrders = ['id', 'until', 'created_at'] as const;
const { metadata: __, ...silencePage } = listQuery(silenceOrders, {}).properties;
const silenceFilters = {
  state: Type.Optional(
    about(Type.Enum(['live', 'ended']), 'State that the silence must have.', 'live'),
  ),
  rule_id: Type.Optional(about(Uuid, 'Id of its rule.')),
  thing_id: Type.Optional(about(Uuid, 'Id of its thing.')),
};
export const SilencesQuery = Type.Object({ ...silencePage, ...silenceFilters });
export type SilencesQuery = Static<typeof SilencesQuery>;

export const Silences = Type.Object({
  total,
  offset,
  limit,
  order,
  dir,
  ...silenceFilters,
  silences: about(Type.Array(Silence), 'Silences of the page.'),
});

const receiversExample = { mails: ['night.shift@example.com'] };

/** Who hears of alarms whose rule names nobody. */
export const DefaultReceivers = Type.Object({
  receivers: Type.Optional(
    about(
      Receivers,
      'Who hears of alarms whose rule names nobody. Empty: nobody. Absent: of a group those of its org, of an org nobody.',
      receiversExample,
    ),
  ),
});
export type DefaultReceivers = Static<typeof DefaultReceivers>;

export const DefaultReceiversChange = Type.Object({
  receivers: about(
    Type.Union([Receivers, Type.Null()]),
    'Who hears of alarms whose rule names nobody. Empty: nobody. `null`: of a group those of its org, of an org nobody.',
    receiversExample,
  ),
});
export type DefaultReceiversChange = Static<typeof DefaultReceiversChange>;
