import { type Static, Type } from 'typebox';
import { about } from '../http/common.ts';
import { Alarm } from './alarm.ts';

/** The payload of a notice for webhooks has so many transitions at most. */
export const noticeTransitionsMax = 50;

const {
  id,
  rule_id,
  rule_name,
  severity,
  thing_id,
  thing_name,
  group_id,
  episode,
  began_at,
  fired_at,
  ended_at,
  ended_why,
  began_values,
} = Alarm.properties;

/** An alarm fired, ended or goes on. */
const NoticeTransition = Type.Object(
  {
    alarm_id: id,
    episode,
    transition: about(
      Type.Enum(['fired', 'ended', 'repeated']),
      '`repeated`: it is still firing, `repeat_every` after receivers were last told.',
      'fired',
    ),
    thing_id,
    thing_name,
    at: about(
      fired_at,
      'Time of the record that made it fire or end: ISO 8601, UTC. Of `repeated`: now.',
    ),
    began_at,
    fired_at,
    ended_at,
    ended_why,
    values: about(began_values, 'Values when it fired, or when it ended.'),
  },
  { additionalProperties: false },
);
export type NoticeTransition = Static<typeof NoticeTransition>;

/** A notice, as webhooks get it. */
export const AlarmNotice = Type.Object(
  {
    type: Type.Literal('alarm'),
    version: Type.Literal(1),
    id: about(Type.String(), 'Id of the notice.', '4f1f3c0f5d0c2b1a9e8d7c6b5a493827'),
    rule: Type.Object({ id: rule_id, name: rule_name, severity }, { additionalProperties: false }),
    group_id,
    org_id: about(group_id, 'Id of the org.'),
    count: about(Type.Integer(), 'How many transitions the notice is about.', 1),
    transitions: about(
      Type.Array(NoticeTransition, { minItems: 1, maxItems: noticeTransitionsMax }),
      `The first ${noticeTransitionsMax} of them, in the order of their times.`,
    ),
  },
  { additionalProperties: false },
);
export type AlarmNotice = Static<typeof AlarmNotice>;
