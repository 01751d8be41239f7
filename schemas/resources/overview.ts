import { type Static, Type } from 'typebox';
import { activeMs, silentMs } from '../fleet-states.ts';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { Alarm } from './alarm.ts';

const Count = Type.Integer({ minimum: 0 });
const minutes = activeMs / 60_000;
const hours = silentMs / 3_600_000;

const { id, severity, rule_name, thing_id, thing_name, group_id, fired_at } = Alarm.properties;
const OpenAlarm = Type.Object({
  id,
  severity,
  rule_name,
  thing_id,
  thing_name,
  group_id,
  fired_at,
});

const FailingWebhook = Type.Object({
  id: about(Uuid, 'Id of the webhook.', 'f6a7b8c9-0d1e-4f2a-8b3c-4d5e6f7a8b9c'),
  name: about(Type.String(), 'Label of the webhook.', 'Pager'),
  failing_since: Type.Optional(
    about(Timestamp, 'Since when every attempt has failed. Absent: the last one did not.'),
  ),
  disabled_at: Type.Optional(
    about(
      Timestamp,
      'When Millrace disabled it, as its receiver took nothing. Absent: it did not.',
    ),
  ),
});

const OrgOverQuota = Type.Object({
  id: about(Uuid, 'Id of the org.', '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21'),
  name: about(Type.String(), 'Name of the org.', 'Acme'),
});

/** How things are, and what is wrong with them now. All of it is of one moment. */
export const Overview = Type.Object({
  at: about(
    Timestamp,
    'The moment that all of this is of: ISO 8601, UTC.',
    '2026-11-21T10:00:00.000Z',
  ),
  active_since: about(
    Timestamp,
    `${minutes} minutes before that moment.`,
    '2026-11-21T09:45:00.000Z',
  ),
  silent_since: about(Timestamp, `${hours} hours before it.`, '2026-11-20T10:00:00.000Z'),
  things: about(
    Type.Object({
      total: about(Count, 'All of them.', 240),
      active: about(Count, 'Heard at `active_since` or later.', 200),
      quiet: about(Count, 'Heard at `silent_since` or later, and not since `active_since`.', 20),
      silent: about(Count, 'Heard, and not since `silent_since`.', 15),
      never: about(Count, 'Never heard.', 5),
    }),
    'How many things are in which state.',
  ),
  refused: about(
    Type.Object({
      things: about(Count, 'Things of which messages were refused.', 1),
      messages: about(Count, 'How many messages.', 41),
    }),
    'Messages over MQTT that were refused without a word to their things, as each of these tells.',
  ),
  over_quota: about(
    Type.Object({
      total: about(Count, 'All of them.', 0),
      orgs: about(Type.Array(OrgOverQuota), 'The first five by name.'),
    }),
    'Orgs of the caller that have sent all messages of this month that their quota allows: edges refuse every message of their things.',
  ),
  alarms: about(
    Type.Object({
      critical: about(Count, 'Open alarms that are critical.', 1),
      warning: about(Count, 'Those that are warnings.', 2),
      info: about(Count, 'All others.', 0),
      worst: about(Type.Array(OpenAlarm), 'The worst five, the latest of equal ones first.'),
    }),
    'Alarms that are open: they fire, or are clearing.',
  ),
  webhooks: about(
    Type.Object({
      failing: about(Count, 'All of them.', 1),
      longest: about(Type.Array(FailingWebhook), 'The five that have failed for longest.'),
    }),
    'Webhooks that the caller may see and whose receivers take nothing: every attempt fails, or Millrace disabled them for that.',
  ),
  lag_seconds: about(
    Type.Number({ minimum: 0 }),
    'How long the oldest message that was acknowledged and can’t be read yet has waited, in any edge of the installation.',
    0,
  ),
});
export type Overview = Static<typeof Overview>;
