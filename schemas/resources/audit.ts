import { type Static, type TProperties, Type } from 'typebox';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { listQuery, pageEnvelope } from '../http/page.ts';
import { exportParameters } from '../messages/query.ts';
import { Time, UntilTime } from '../http/time.ts';

/** Kinds that an entry of the audit log may tell of. */
export const auditKinds = [
  'user',
  'api_key',
  'session',
  'org',
  'quota',
  'org_member',
  'invite',
  'group',
  'group_member',
  'profile',
  'thing',
  'certificate',
  'webhook',
  'command',
  'rule',
  'alarm',
  'silence',
  'alarm_receivers',
  'dashboard',
  'dashboard_share',
  'annotation',
  'tree_group',
  'tree_member',
  'messages',
  'queue',
] as const;
export type AuditKind = (typeof auditKinds)[number];

const actions = [
  'create',
  'update',
  'delete',
  'restore',
  'backup',
  'export',
  'replay',
  'failed_login',
] as const;
const actorTypes = ['user', 'thing', 'guest', 'system'] as const;

/** A member before and after, as text. Neither: it is not told. */
const MemberChange = Type.Object({
  from: Type.Optional(about(Type.String(), 'Value before, as text. Absent: none.', 'viewer')),
  to: Type.Optional(about(Type.String(), 'Value after, as text. Absent: none.', 'editor')),
});

const AuditChanges = Type.Unsafe<Record<string, Static<typeof MemberChange>>>({
  type: 'object',
  additionalProperties: MemberChange,
});

export const AuditEntry = Type.Object({
  id: about(Type.Integer(), 'Number of the entry: later ones are larger.', 4711),
  at: about(
    Timestamp,
    'When the change was made: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
  org_id: Type.Optional(
    about(
      Uuid,
      'Id of the org that it was made in. Absent: of no org, such as of a user.',
      '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21',
    ),
  ),
  group_id: Type.Optional(
    about(
      Uuid,
      'Id of the group that it was made in. Absent: of no group.',
      '7c2b9d34-1d0f-4a53-9d0c-3e5b7a9c1d24',
    ),
  ),
  actor_type: about(
    Type.Enum([...actorTypes]),
    'Who made it: a user, a thing, a guest without a credential, or the system by itself.',
    'user',
  ),
  actor_id: Type.Optional(
    about(
      Uuid,
      'Id of the user or the thing. Absent: neither.',
      '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10',
    ),
  ),
  actor_email: Type.Optional(
    about(Type.String(), 'E-mail that the user had. Absent: no user.', 'ada@example.com'),
  ),
  api_key_id: Type.Optional(
    about(
      Uuid,
      'Id of the API key that the user sent. Absent: they sent a token.',
      '9a1d2c3b-4e5f-4a6b-8c7d-0e1f2a3b4c5d',
    ),
  ),
  address: Type.Optional(
    about(Type.String(), 'Network address of the request. Absent: of the system.', '192.0.2.7'),
  ),
  request_id: Type.Optional(
    about(
      Type.String(),
      '`X-Request-Id` of the request. Absent: of the system.',
      '018f4e2a-7c1b-7def-9a3e-2f6f1c1f7a10',
    ),
  ),
  operation: Type.Optional(
    about(
      Type.String(),
      'Operation of the API, as this document names it. Absent: of the system.',
      'changeGroupRoles',
    ),
  ),
  action: about(
    Type.Enum([...actions]),
    'What was done. Of a `failed_login`, `changes` has the number of `failures` within an hour: of one account, or of all e-mails that have none.',
    'update',
  ),
  kind: about(Type.Enum([...auditKinds]), 'Kind of what was changed.', 'group_member'),
  entity_id: Type.Optional(
    about(
      Type.String(),
      'Id of what was changed; of a member that of the user, of a certificate its serial, of messages the thing. Absent: of several things.',
      '3f1c7a10-0b0a-4f0e-8b1a-9c569a3e2f6f',
    ),
  ),
  entity_name: Type.Optional(
    about(
      Type.String(),
      'Name that it had then; of a user, a member or an invite the e-mail, of an annotation its text, of a silence its reason, of receivers of alarms their group or org. Absent: none.',
      'ben@example.com',
    ),
  ),
  changes: about(
    AuditChanges,
    'Members that were changed, each with its value before and after. Of secrets, addresses of webhooks, `metadata` and `config` the name alone. Values of more than 1,024 characters are cut.',
    { role: { from: 'viewer', to: 'editor' } },
  ),
  entries: Type.Optional(
    about(
      Type.Integer(),
      'Of how many entries this is the last, with `grouped`. Absent: of one.',
      350,
    ),
  ),
});
export type AuditEntry = Static<typeof AuditEntry>;

const Instant = Type.Unsafe<string | number>(Time);

const auditFilters = {
  actor: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 254 }),
      'Id or e-mail of who made the change.',
      'ada@example.com',
    ),
  ),
  action: Type.Optional(about(Type.Enum([...actions]), 'What was done.', 'update')),
  operation: Type.Optional(
    about(Type.String({ minLength: 1, maxLength: 64 }), 'Operation of the API.', 'updateThing'),
  ),
  kind: Type.Optional(about(Type.Enum([...auditKinds]), 'Kind of what was changed.', 'thing')),
  entity_id: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 254 }),
      'Id of what was changed.',
      '3f1c7a10-0b0a-4f0e-8b1a-9c569a3e2f6f',
    ),
  ),
  request_id: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 128 }),
      '`X-Request-Id` of the request that made the change.',
      '018f4e2a-7c1b-7def-9a3e-2f6f1c1f7a10',
    ),
  ),
  from: Type.Optional(about(Instant, `Earliest time, inclusive. ${Time.description}`)),
  to: Type.Optional(about(Instant, `Latest time, inclusive. ${UntilTime.description}`)),
} satisfies TProperties;

/** Of what is changed in an org, or of all. */
const ofAnyOrg = {
  org_id: Type.Optional(
    about(Uuid, 'Id of the org, which may be gone.', '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21'),
  ),
};

const file = {
  convert: Type.Optional(
    about(Type.Enum(['csv', 'ndjson']), 'Type of the file: `csv` or `ndjson`. Default `ndjson`.'),
  ),
  bom: Type.Optional(about(Type.Boolean(), exportParameters.bom.description)),
};

const grouping = {
  grouped: Type.Optional(
    about(
      Type.Boolean(),
      'Whether entries of one request, with one action and kind in one org, are told as one: by the last of them. Not with `entity_id`. Default `false`.',
      true,
    ),
  ),
};

export const OrgAuditQuery = Type.Omit(listQuery(['id'], { ...auditFilters, ...grouping }), [
  'metadata',
]);
export const AuditQuery = Type.Omit(
  listQuery(['id'], { ...auditFilters, ...ofAnyOrg, ...grouping }),
  ['metadata'],
);
export type AuditQuery = Static<typeof AuditQuery>;

export const OrgAuditFileQuery = Type.Object({ ...auditFilters, ...file });
export const AuditFileQuery = Type.Object({ ...auditFilters, ...ofAnyOrg, ...file });
export type AuditFileQuery = Static<typeof AuditFileQuery>;

const { total, offset, limit, order, dir } = pageEnvelope;
export const AuditEntries = Type.Object({
  total,
  offset,
  limit,
  order,
  dir,
  ...auditFilters,
  ...ofAnyOrg,
  ...grouping,
  entries: about(Type.Array(AuditEntry), 'Entries of the page, the latest first.'),
});
