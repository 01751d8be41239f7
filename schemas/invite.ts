import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope } from './page.ts';
import { AssignableRole } from './roles.ts';
import { Email, Password } from './user.ts';

const InviteState = Type.Enum(['pending', 'accepted', 'declined', 'revoked', 'expired']);

export const PlatformInvite = Type.Object({
  id: Uuid,
  invitee_email: Type.String(),
  state: InviteState,
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type PlatformInvite = Static<typeof PlatformInvite>;

export const OrgInvite = Type.Object({
  ...PlatformInvite.properties,
  invitee_id: Uuid,
  inviter_id: Uuid,
  inviter_email: Type.String(),
  org_id: Uuid,
  org_name: Type.String(),
  invitee_role: AssignableRole,
});
export type OrgInvite = Static<typeof OrgInvite>;

/** Of either kind: what only invites to an org have is absent from one to the platform. */
export const Invite = Type.Object({
  ...Type.Partial(OrgInvite).properties,
  ...PlatformInvite.properties,
});

/** A group that is joined along with the org. */
const GroupInvite = Type.Object({ group_id: Uuid, member_role: AssignableRole });
export type GroupInvite = Static<typeof GroupInvite>;

const GroupInvites = Type.Array(GroupInvite, { maxItems: 1_000 });

/** Stands in the mail's link, between the host and the invite's id. */
const RedirectPath = Type.String({ maxLength: 1_024, pattern: '^[^\\s\\p{Cc}]*$' });

/** An e-mail that is no address is nobody's: as absent as any other. */
export const NewOrgInvite = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  role: AssignableRole,
  redirect_path: Type.Optional(RedirectPath),
  group_invites: Type.Optional(GroupInvites),
});
export type NewOrgInvite = Static<typeof NewOrgInvite>;

export const NewPlatformInvite = Type.Object({
  invitee_email: Email,
  org_id: Type.Optional(Uuid),
  role: Type.Optional(AssignableRole),
  redirect_path: Type.Optional(RedirectPath),
  group_invites: Type.Optional(GroupInvites),
});
export type NewPlatformInvite = Static<typeof NewPlatformInvite>;

/** Who registers by an invite. */
export const Registration = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Password,
});
export type Registration = Static<typeof Registration>;

/** `email` is the other side's: the invitee's, or in what one has received the inviter's. */
const taken = { email: filters.email, state: filters.state };

export const inviteOrders = ['id', 'created_at', 'expires_at'] as const;
export const OrgInvitesQuery = Type.Omit(
  listQuery(inviteOrders, { ...taken, role: filters.role }),
  ['metadata'],
);
export const PlatformInvitesQuery = Type.Omit(listQuery(inviteOrders, taken), ['metadata']);

export const OrgInvites = Type.Object({ ...pageEnvelope, invites: Type.Array(OrgInvite) });
export const InvitesOfUser = Type.Object({
  ...pageEnvelope,
  invites: Type.Array(Type.Omit(OrgInvite, ['inviter_id'])),
});
export const PlatformInvites = Type.Object({
  ...pageEnvelope,
  invites: Type.Array(PlatformInvite),
});
