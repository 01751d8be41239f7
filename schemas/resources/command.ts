import { type Static, Type } from 'typebox';
import { about, JsonObject, JsonObjectOrNull, Timestamp, Uuid } from '../http/common.ts';
import { listQuery, pageEnvelope } from '../http/page.ts';

/** A year: who waits longer for a thing sends again. */
const secondsMax = 31_536_000;

/** A command may have so many bytes as JSON: it fits one packet, whatever a device speaks. */
export const commandBytesMax = 64 * 1024;

const Name = Type.String({ minLength: 1, maxLength: 1_024, pattern: '^\\P{Cc}+$' });
const Params = Type.Unknown();

/** A command as its sender gives it. */
export const NewCommand = Type.Object({
  command: about(Name, 'What is to be done: 1 to 1,024 characters.', 'open'),
  params: Type.Optional(
    about(Params, 'How, as JSON of whatever kind, which the thing gets as it is.', { percent: 40 }),
  ),
  metadata: Type.Optional(
    about(JsonObjectOrNull, 'Free-form members, which the thing gets as they are.', {
      ticket: '4711',
    }),
  ),
  subtopic: Type.Optional(
    about(
      Type.String({ maxLength: 254 }),
      'Subtopic, its parts joined by dots or slashes. It may stand in the path instead, after `commands/`. Default none.',
      'valve.north',
    ),
  ),
  expires_in: Type.Optional(
    about(
      Type.Integer({ minimum: 1, maximum: secondsMax }),
      'Seconds from now until it is of no use any more. Default: a day, or what the operator has set.',
      3_600,
    ),
  ),
});
export type NewCommand = Static<typeof NewCommand>;

const Id = about(
  Uuid,
  'Id of the command: later ones are larger.',
  '019ac0de-7b2c-7f3a-9b4c-5d6e7f8a9b0c',
);
const ExpiresAt = about(
  Timestamp,
  'When it is of no use any more: ISO 8601, UTC.',
  '2026-11-22T10:00:00.000Z',
);

/** A command to a thing waits for it from now on. */
export const MadeCommand = Type.Object({ id: Id, expires_at: ExpiresAt });

/** A command to a group waits for each of its things. */
export const MadeCommands = Type.Object({
  batch_id: about(
    Uuid,
    'Id that the commands share: a filter of their list.',
    '019ac0de-7b2c-7f3a-9b4c-5d6e7f8a9b0c',
  ),
  commands: about(Type.Integer(), 'Things for which it waits.', 12),
  left_out: about(
    Type.Integer(),
    'Things that do not get it, because as many commands wait for them as may.',
    0,
  ),
  expires_at: ExpiresAt,
});

const State = Type.Enum(['queued', 'delivered', 'acknowledged', 'expired']);

const stateWords =
  '`queued`: it waits for the thing; `delivered`: it was sent to the thing, and is sent again until the thing acknowledges it; `acknowledged`: the thing has it; `expired`: its time is over, and the thing has not acknowledged it.';

export const Command = Type.Object({
  id: Id,
  thing_id: about(Uuid, 'Id of the thing that it is for.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
  group_id: about(
    Uuid,
    'Id of the group that the thing was in when it was sent.',
    'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
  ),
  batch_id: Type.Optional(
    about(
      Uuid,
      'Of a command to the whole group: what those of all its things share. Absent: it was for this thing alone.',
      '019ac0de-7b2c-7f3a-9b4c-5d6e7f8a9b0c',
    ),
  ),
  subtopic: Type.Optional(about(Type.String(), 'Subtopic. Absent: none.', 'valve.north')),
  command: about(Type.String(), 'What is to be done.', 'open'),
  params: Type.Optional(about(Params, 'How. Absent: nothing was said.', { percent: 40 })),
  metadata: Type.Optional(
    about(JsonObject, 'Free-form members. Absent: none.', { ticket: '4711' }),
  ),
  state: about(State, stateWords, 'acknowledged'),
  sender_type: about(Type.Enum(['user', 'thing']), 'Who sent it: a user or a thing.', 'user'),
  sender_id: about(Uuid, 'Id of who sent it.', '7c2b9d34-1d0f-4a53-9d0c-3e5b7a9c1d24'),
  created_at: about(Timestamp, 'When it was sent: ISO 8601, UTC.', '2026-11-21T10:00:00.000Z'),
  expires_at: ExpiresAt,
  delivered_at: Type.Optional(
    about(
      Timestamp,
      'When the thing was first sent it. Absent: not yet.',
      '2026-11-21T10:00:00.020Z',
    ),
  ),
  delivered_by: Type.Optional(
    about(Type.String(), 'Protocol by which it was first sent: `mqtt`, `ws` or `http`.', 'mqtt'),
  ),
  deliveries: about(Type.Integer(), 'How often the thing was sent it.', 1),
  acknowledged_at: Type.Optional(
    about(
      Timestamp,
      'When the thing acknowledged it. Absent: not yet.',
      '2026-11-21T10:00:00.050Z',
    ),
  ),
});
export type Command = Static<typeof Command>;

export const commandOrders = ['id', 'created_at', 'expires_at'] as const;
const { metadata: _, ...page } = listQuery(commandOrders, {}).properties;
const commandFilters = {
  state: Type.Optional(about(State, 'State that the command must have.')),
  batch_id: Type.Optional(about(Uuid, 'Only those of one command to the group.')),
};
export const CommandsQuery = Type.Object({ ...page, ...commandFilters });
export type CommandsQuery = Static<typeof CommandsQuery>;

export const Commands = Type.Object({
  ...pageEnvelope,
  batch_id: Type.Optional(about(Uuid, 'Filter, as asked.')),
  commands: about(Type.Array(Command), 'Commands of the page.'),
});

/** A command as its thing gets it, by whatever protocol. */
export const ReceivedCommand = Type.Object({
  id: Id,
  command: about(Type.String(), 'What is to be done.', 'open'),
  params: Type.Optional(about(Params, 'How. Absent: nothing was said.', { percent: 40 })),
  metadata: Type.Optional(
    about(JsonObject, 'Free-form members. Absent: none.', { ticket: '4711' }),
  ),
  subtopic: Type.Optional(about(Type.String(), 'Subtopic. Absent: none.', 'valve.north')),
  group_id: Type.Optional(
    about(
      Uuid,
      'Id of the group, where all its things were meant. Absent: the thing alone was.',
      'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
    ),
  ),
  created_at: about(Timestamp, 'When it was sent: ISO 8601, UTC.', '2026-11-21T10:00:00.000Z'),
  expires_at: ExpiresAt,
});
