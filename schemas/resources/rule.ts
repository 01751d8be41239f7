import { type Static, Type } from 'typebox';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { CreatedAt, Metadata, MetadataChange, NewMetadata, UpdatedAt } from '../http/fields.ts';
import { filters, listQuery, pageEnvelope } from '../http/page.ts';
import { Email } from './user.ts';

/** Thirty days: who waits longer asks the store. */
const secondsMax = 2_592_000;

const comparisons = ['>', '>=', '<', '<=', '==', '!=', 'between', 'outside'] as const;

const Value = Type.Union([Type.Number(), Type.String({ maxLength: 1_024 }), Type.Boolean()]);
const Bound = (says: string) => Type.Optional(about(Type.Number(), says));

const comparisonWords =
  'How the value is compared. `>`, `>=`, `<`, `<=`: numbers with `value`. `==`, `!=`: with `value`, a number, a text or a boolean. `between`, `outside`: numbers with `low` and `high`, which belong to the range.';

/** When a firing condition is over, where that is not its opposite: hysteresis. */
export const ClearCondition = Type.Object(
  {
    when: about(Type.Enum([...comparisons]), comparisonWords, '<'),
    value: Type.Optional(about(Value, 'Value to compare with.', 6)),
    low: Bound('Least value of the range.'),
    high: Bound('Largest value of the range.'),
  },
  { additionalProperties: false },
);
export type ClearCondition = Static<typeof ClearCondition>;

/** A condition about the newest value of a series, or about silence. */
export const Condition = Type.Object(
  {
    name: Type.Optional(
      about(
        Type.String({ minLength: 1, maxLength: 1_024 }),
        'SenML: name of the series, its base name included.',
        'temperature',
      ),
    ),
    path: Type.Optional(
      about(
        Type.String({ minLength: 1, maxLength: 1_024 }),
        'JSON: path of the member in the payload, its parts joined by dots.',
        'room.temperature',
      ),
    ),
    subtopic: Type.Optional(
      about(
        Type.String({ maxLength: 254 }),
        'Only messages of this subtopic. Absent: those of all, as one series.',
        'north',
      ),
    ),
    when: about(
      Type.Enum([...comparisons, 'silent']),
      `${comparisonWords} \`silent\`: nothing was heard of the thing for as long as the rule's \`for\`; it stands alone, without a series.`,
      '>',
    ),
    value: Type.Optional(about(Value, 'Value to compare with.', 8)),
    low: Bound('Least value of the range.'),
    high: Bound('Largest value of the range.'),
    clear: Type.Optional(
      about(
        ClearCondition,
        'When it is over, for hysteresis. Absent: as soon as it no longer holds.',
        { when: '<', value: 6 },
      ),
    ),
  },
  { additionalProperties: false },
);
export type Condition = Static<typeof Condition>;

export const severities = ['info', 'warning', 'critical'] as const;
const Severity = Type.Enum([...severities]);

/** Who hears of alarms. */
export const Receivers = Type.Object(
  {
    webhook_ids: Type.Optional(
      about(
        Type.Array(Uuid, { maxItems: 20 }),
        'Ids of webhooks of the group, or of its org, that get the notices. At most 20.',
        ['f7a8b9c0-1d2e-4f3a-9b4c-5d6e7f8a9b0c'],
      ),
    ),
    mails: Type.Optional(
      about(
        Type.Array(Email, { maxItems: 20 }),
        'Addresses that get the notices by mail. At most 20.',
        ['night.shift@example.com'],
      ),
    ),
  },
  { additionalProperties: false },
);
export type Receivers = Static<typeof Receivers>;

const words = {
  for: 'Seconds for which the conditions must hold before the alarm fires, by the times of the records. Of `silent`: seconds without a message, 10 at least.',
  clearFor: 'Seconds for which they must be over before the alarm ends.',
  gap: 'Seconds: after a longer hole between records, `for` begins anew.',
  repeat:
    'Seconds after which receivers are told again while the alarm is firing and nobody has acknowledged it.',
};

const ruleMembers = {
  name: about(Type.String({ minLength: 1, maxLength: 254 }), 'Label of the rule.', 'cold room'),
  enabled: about(
    Type.Boolean(),
    'Whether it counts. `false`: its alarms end, and none begins.',
    true,
  ),
  profile_id: about(Uuid, 'Only things of this profile.', 'c3d4e5f6-7a8b-4c9d-8e0f-1a2b3c4d5e6f'),
  thing_ids: about(
    Type.Array(Uuid, { minItems: 1, maxItems: 1_000, uniqueItems: true }),
    'Only these things of the group: at most 1,000.',
    ['e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'],
  ),
  match: about(
    Type.Enum(['all', 'any']),
    'Whether all conditions must hold at once, or any of them.',
    'all',
  ),
  conditions: about(
    Type.Array(Condition, { minItems: 1, maxItems: 5 }),
    'Conditions: one to five, each on the newest value of its series.',
    [{ name: 'temperature', when: '>', value: 8, clear: { when: '<', value: 6 } }],
  ),
  for: about(Type.Integer({ minimum: 0, maximum: secondsMax }), words.for, 300),
  clear_for: about(Type.Integer({ minimum: 0, maximum: secondsMax }), words.clearFor, 60),
  gap: about(Type.Integer({ minimum: 1, maximum: secondsMax }), words.gap, 900),
  severity: about(Severity, 'How bad it is.', 'critical'),
  repeat_every: about(Type.Integer({ minimum: 60, maximum: secondsMax }), words.repeat, 3_600),
  receivers: about(Receivers, 'Who hears of its alarms.', {
    mails: ['night.shift@example.com'],
  }),
};

const {
  name,
  enabled,
  profile_id,
  thing_ids,
  match,
  conditions,
  clear_for,
  gap,
  severity,
  repeat_every,
  receivers,
} = ruleMembers;

/** A rule: of a group, about its things. */
export const Rule = Type.Object({
  id: about(Uuid, 'Id of the rule: a UUID.', '0b8f2f0e-6a55-4f0b-9f0a-2f0c6d1f7a10'),
  group_id: about(Uuid, 'Id of its group.', 'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b'),
  name,
  enabled,
  profile_id: Type.Optional(about(profile_id, 'Only things of this profile. Absent: of any.')),
  thing_ids: Type.Optional(about(thing_ids, 'Only these things. Absent: all of the group.')),
  match,
  conditions,
  for: ruleMembers.for,
  clear_for,
  gap: Type.Optional(
    about(
      gap,
      'Seconds: after a longer hole between records, `for` begins anew. Absent: the larger of `for` and three times the usual interval of the series.',
    ),
  ),
  severity,
  repeat_every: Type.Optional(
    about(repeat_every, 'Seconds after which receivers are told again. Absent: never.'),
  ),
  receivers: Type.Optional(
    about(receivers, 'Who hears of its alarms. Absent: those of its group, else of its org.'),
  ),
  metadata: Metadata,
  firing: about(Type.Integer(), 'Things for which it is firing now.', 1),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});
export type Rule = Static<typeof Rule>;

const optional = {
  enabled: Type.Optional(about(enabled, 'Whether it counts. Default `true`.')),
  profile_id: Type.Optional(
    about(Type.Union([profile_id, Type.Null()]), 'Only things of this profile. Default: of any.'),
  ),
  thing_ids: Type.Optional(
    about(
      Type.Union([thing_ids, Type.Null()]),
      'Only these things of the group, at most 1,000. Default: all.',
    ),
  ),
  match: Type.Optional(
    about(match, 'Whether all conditions must hold at once, or any of them. Default `all`.'),
  ),
  for: Type.Optional(about(ruleMembers.for, `${words.for} Default 0.`)),
  clear_for: Type.Optional(about(clear_for, `${words.clearFor} Default 0.`)),
  gap: Type.Optional(
    about(
      Type.Union([gap, Type.Null()]),
      `${words.gap} Default: the larger of \`for\` and three times the usual interval of the series.`,
    ),
  ),
  repeat_every: Type.Optional(
    about(Type.Union([repeat_every, Type.Null()]), `${words.repeat} Default: never.`),
  ),
  receivers: Type.Optional(
    about(
      Type.Union([receivers, Type.Null()]),
      'Who hears of its alarms. Default: those of its group, else of its org. An empty object: nobody.',
    ),
  ),
};

/** These decide whether an alarm fires. */
const { enabled: _, repeat_every: __, receivers: ___, ...deciding } = optional;

export const NewRule = Type.Object({
  name,
  conditions,
  severity: Type.Optional(about(severity, 'How bad it is. Default `warning`.')),
  ...optional,
  metadata: NewMetadata,
});
export type NewRule = Static<typeof NewRule>;

/** Absent: it stays; `null` clears an optional one. */
export const RuleChange = Type.Object({
  ...Type.Partial(NewRule).properties,
  metadata: MetadataChange,
});
export type RuleChange = Static<typeof RuleChange>;

export const ruleOrders = ['id', 'name', 'severity', 'created_at', 'updated_at'] as const;
export const RulesQuery = listQuery(ruleOrders, { name: filters.name });
export const Rules = Type.Object({
  ...pageEnvelope,
  rules: about(Type.Array(Rule), 'Rules of the page.'),
});

/** A rule that is not saved, and over how much of the past it is to be tried. */
export const RulePreview = Type.Object({
  conditions,
  ...deciding,
  days: Type.Optional(
    about(
      Type.Integer({ minimum: 1, maximum: 30 }),
      'How many days back from now. Default 30.',
      30,
    ),
  ),
});
export type RulePreview = Static<typeof RulePreview>;

/** An alarm that a rule would have raised. */
export const PreviewedAlarm = Type.Object({
  began_at: about(Timestamp, 'When the breach began: ISO 8601, UTC.', '2026-11-21T10:00:00.000Z'),
  fired_at: about(Timestamp, 'When it would have fired.', '2026-11-21T10:05:00.000Z'),
  ended_at: Type.Optional(
    about(
      Timestamp,
      'When it would have ended. Absent: it would be firing now.',
      '2026-11-21T10:20:00.000Z',
    ),
  ),
});
export type PreviewedAlarm = Static<typeof PreviewedAlarm>;

export const PreviewedRule = Type.Object({
  from: about(
    Timestamp,
    'Begin of the range: ISO 8601, UTC. It is later than asked where the first thing has too many records.',
    '2026-10-22T10:00:00.000Z',
  ),
  to: about(Timestamp, 'End of the range.', '2026-11-21T10:00:00.000Z'),
  things: about(
    Type.Array(
      Type.Object({
        thing_id: about(Uuid, 'Id of the thing.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
        total: about(Type.Integer(), 'Alarms that it would have had.', 1),
        alarms: about(
          Type.Array(PreviewedAlarm),
          'These alarms, the oldest first: at most the last 1,000 of them.',
        ),
      }),
    ),
    'Things that would have had alarms, and what these would have been.',
  ),
  looked_at: about(Type.Integer(), 'Things whose records were looked at.', 12),
  left_out: about(
    Type.Integer(),
    'Things that the rule is about and that were not looked at, because they are too many.',
    0,
  ),
});
export type PreviewedRule = Static<typeof PreviewedRule>;
