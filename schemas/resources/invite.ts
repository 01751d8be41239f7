import { type Static, Type } from 'typebox';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { filters, listQuery, pageEnvelope } from '../http/page.ts';
import { AssignableRole } from '../roles.ts';
import { Email, Password } from './user.ts';
import { CreatedAt } from '../http/fields.ts';

const InviteState = Type.Enum(['pending', 'accepted', 'declined', 'revoked', 'expired']);

export const PlatformInvite = Type.Object({
  id: about(Uuid, 'Id of the invite: a UUID.', '2e3f4a5b-6c7d-4e8f-90a1-b2c3d4e5f607'),
  invitee_email: about(Type.String(), 'E-mail of who is invited.', 'grace@example.com'),
  state: about(
    InviteState,
    'State of the invite. A pending one whose time is over is `expired`.',
    'pending',
  ),
  created_at: CreatedAt,
  expires_at: about(
    Timestamp,
    'When it ends: 7 days after it was made, unless the operator set something else: ISO 8601, UTC, milliseconds.',
    '2026-11-28T10:00:00.000Z',
  ),
});
export type PlatformInvite = Static<typeof PlatformInvite>;

export const OrgInvite = Type.Object({
  ...PlatformInvite.properties,
  invitee_id: about(Uuid, 'Id of the user who is invited.', '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10'),
  inviter_id: about(Uuid, 'Id of the user who invited.', '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10'),
  inviter_email: about(Type.String(), 'E-mail of the user who invited.', 'ada@example.com'),
  org_id: about(
    Uuid,
    'Id of the org that the invite is to.',
    '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21',
  ),
  org_name: about(Type.String(), 'Name of that org.', 'Waterworks'),
  invitee_role: about(AssignableRole, 'Role in the org once it is accepted.', 'viewer'),
});
export type OrgInvite = Static<typeof OrgInvite>;

/** An invite of either kind: members that only invites to an org have are absent from one to the platform. */
export const Invite = Type.Object({
  ...Type.Partial(OrgInvite).properties,
  ...PlatformInvite.properties,
});

/** A group that the invitee joins together with the org. */
const GroupInvite = Type.Object({
  group_id: about(Uuid, 'Id of a group of the org.', 'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b'),
  member_role: about(AssignableRole, 'Role in the group once it is accepted.', 'viewer'),
});
export type GroupInvite = Static<typeof GroupInvite>;

const GroupInvites = Type.Array(GroupInvite, { maxItems: 1_000 });

/** The part of the mail's link between the host and the invite's id. */
const RedirectPath = Type.String({ maxLength: 1_024, pattern: '^[^\\s\\p{Cc}]*$' });

/** The e-mail need not look like an address: if it is none, no user has it. */
export const NewOrgInvite = Type.Object({
  email: about(
    Type.String({ minLength: 1, maxLength: 254 }),
    'E-mail of a registered user.',
    'grace@example.com',
  ),
  role: about(
    AssignableRole,
    'Role to give: `admin`, `editor` or `viewer`. An `owner` can not be made.',
    'viewer',
  ),
  redirect_path: Type.Optional(
    about(
      RedirectPath,
      'Path in the link of the mail, between the host and the id of the invite. Default empty.',
      '/join',
    ),
  ),
  group_invites: Type.Optional(
    about(GroupInvites, 'Groups of the org to join along with it. Default none.'),
  ),
});
export type NewOrgInvite = Static<typeof NewOrgInvite>;

export const NewPlatformInvite = Type.Object({
  invitee_email: about(Email, 'E-mail of somebody who is not registered.', 'grace@example.com'),
  org_id: Type.Optional(
    about(
      Uuid,
      'Id of an org to be invited to once registered. Default none.',
      '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21',
    ),
  ),
  role: Type.Optional(about(AssignableRole, 'Role in that org. Default `viewer`.', 'viewer')),
  redirect_path: Type.Optional(
    about(
      RedirectPath,
      'Path in the link of the mail, between the host and the id of the invite. Default empty.',
      '/register',
    ),
  ),
  group_invites: Type.Optional(
    about(GroupInvites, 'Groups of that org to join along with it. Default none.'),
  ),
});
export type NewPlatformInvite = Static<typeof NewPlatformInvite>;

/** A person who registers by an invite. */
export const Registration = Type.Object({
  email: about(
    Type.String({ minLength: 1, maxLength: 254 }),
    'E-mail that the invite was sent to.',
    'grace@example.com',
  ),
  password: about(
    Password,
    'Password to log in with, of 8 characters at least.',
    'a long passphrase',
  ),
});
export type Registration = Static<typeof Registration>;

/** `email` filters by the other side: the invitee, or in the list of received invites the inviter. */
const taken = {
  email: filters.email,
  state: Type.Optional(about(InviteState, 'State that the invite must be in.')),
};

export const inviteOrders = ['id', 'created_at', 'expires_at'] as const;
export const OrgInvitesQuery = Type.Omit(
  listQuery(inviteOrders, { ...taken, role: filters.role }),
  ['metadata'],
);
export const PlatformInvitesQuery = Type.Omit(listQuery(inviteOrders, taken), ['metadata']);

export const OrgInvites = Type.Object({
  ...pageEnvelope,
  invites: about(Type.Array(OrgInvite), 'Invites of the page.'),
});
export const InvitesOfUser = Type.Object({
  ...pageEnvelope,
  invites: about(Type.Array(Type.Omit(OrgInvite, ['inviter_id'])), 'Invites of the page.'),
});
export const PlatformInvites = Type.Object({
  ...pageEnvelope,
  invites: about(Type.Array(PlatformInvite), 'Invites of the page.'),
});
