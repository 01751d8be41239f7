import { type Static, Type } from 'typebox';
import { about, Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope } from './page.ts';
import { AssignableRole, Role } from './roles.ts';

/** A member of an org or a group. */
export const Membership = Type.Object({
  member_id: about(
    Uuid,
    'Id of the member: that of a user.',
    '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10',
  ),
  email: about(Type.String(), 'E-mail of the member.', 'ada@example.com'),
  role: about(
    Role,
    'Role of the member, each including the next: `owner`, `admin`, `editor`, `viewer`.',
    'editor',
  ),
});
export type Membership = Static<typeof Membership>;

/** An e-mail that is no address is nobody's: as absent as any other. */
const MemberByEmail = Type.Object({
  email: about(
    Type.String({ minLength: 1, maxLength: 254 }),
    'E-mail of a registered user.',
    'ada@example.com',
  ),
  role: about(
    AssignableRole,
    'Role to give: `admin`, `editor` or `viewer`. An `owner` can not be made. Default `viewer`.',
    'editor',
  ),
});

const MemberById = Type.Object({
  member_id: about(Uuid, 'Id of a registered user.', '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10'),
  role: about(
    AssignableRole,
    'Role to give: `admin`, `editor` or `viewer`. An `owner` can not be made. Default `viewer`.',
    'editor',
  ),
});

export const OrgMembershipsToSet = Type.Object({
  org_memberships: about(Type.Array(MemberByEmail, { minItems: 1 }), 'Members, with their roles.'),
});

export const GroupMembershipsToSet = Type.Object({
  group_memberships: about(Type.Array(MemberById, { minItems: 1 }), 'Members, with their roles.'),
});

export const MembershipsToRemove = Type.Object({
  member_ids: about(Type.Array(Uuid, { minItems: 1 }), 'Ids of the members to remove.', [
    '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10',
  ]),
});

export const membershipOrders = ['id', 'email', 'role', 'created_at', 'updated_at'] as const;
export const MembershipsQuery = Type.Omit(
  listQuery(membershipOrders, { email: filters.email, role: filters.role }),
  ['metadata'],
);
export const OrgMemberships = Type.Object({
  ...pageEnvelope,
  org_memberships: about(Type.Array(Membership), 'Members of the page.'),
});
export const GroupMemberships = Type.Object({
  ...pageEnvelope,
  group_memberships: about(Type.Array(Membership), 'Members of the page.'),
});
