import { type Static, type TSchema, Type } from 'typebox';
import { about, listOr, Timestamp, Uuid } from '../http/common.ts';
import { filters, listQuery, pageEnvelope } from '../http/page.ts';
import { AssignableRole, Role } from '../roles.ts';

const ofMember = {
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
  created_at: about(
    Timestamp,
    'When they became a member: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
  updated_at: about(
    Timestamp,
    'When their role was last changed: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
};

/** A member of an org. */
export const OrgMembership = Type.Object({
  ...ofMember,
  org_id: about(Uuid, 'Id of the org.', '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21'),
});
export type OrgMembership = Static<typeof OrgMembership>;

/** A member of a group. */
export const GroupMembership = Type.Object({
  ...ofMember,
  group_id: about(Uuid, 'Id of the group.', 'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b'),
});
export type GroupMembership = Static<typeof GroupMembership>;

const NewRole = Type.Optional(
  about(
    Type.Enum(['admin', 'editor', 'viewer', '']),
    'Role to give: an `owner` can not be made. Absent or empty: `viewer`.',
    'editor',
  ),
);
const RoleToGive = about(AssignableRole, 'Role to give: an `owner` can not be made.', 'editor');

/** It need not look like an address: if it is none, no user has it. */
const MemberEmail = about(
  Type.String({ minLength: 1, maxLength: 254 }),
  'E-mail of a registered user.',
  'ada@example.com',
);
const MemberId = about(Uuid, 'Id of a registered user.', '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10');

export const NewOrgMemberships = Type.Object({
  org_memberships: about(
    Type.Array(Type.Object({ email: MemberEmail, role: NewRole }), { minItems: 1 }),
    'Members, with their roles.',
  ),
});

/** If a member has both, as in lists, the e-mail counts. */
const OrgMemberToChange = Type.Object({
  email: Type.Optional(
    about(MemberEmail, 'E-mail of the member. Absent: `member_id` says who.', 'ada@example.com'),
  ),
  member_id: Type.Optional(about(Uuid, 'Id of the member, where there is no `email`.')),
  role: RoleToGive,
});
export type OrgMemberToChange = Static<typeof OrgMemberToChange>;

export const OrgMembershipsToChange = Type.Object({
  org_memberships: about(
    Type.Array(OrgMemberToChange, { minItems: 1 }),
    'Members, with their new roles.',
  ),
});

const NewGroupMember = Type.Object({ member_id: MemberId, role: NewRole });
const GroupMemberToChange = Type.Object({ member_id: MemberId, role: RoleToGive });
type GroupMemberToChange = Static<typeof GroupMemberToChange>;

/** The platform's clients send a list, or an object with the list. */
function listOrWrapped<Member extends TSchema>(member: Member) {
  const List = Type.Array(member, { minItems: 1 });
  return listOr(
    List,
    Type.Object({ group_memberships: about(List, 'Members, with their roles.') }),
  );
}

export const NewGroupMemberships = listOrWrapped(NewGroupMember);
export const GroupMembershipsToChange = listOrWrapped(GroupMemberToChange);

/** No other member is allowed: a filter that is not known would be ignored, and too much removed. */
export const MembershipsToRemove = Type.Object(
  {
    member_ids: about(Type.Array(Uuid, { minItems: 1 }), 'Ids of the members to remove.', [
      '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10',
    ]),
  },
  { additionalProperties: false },
);

export const membershipOrders = ['id', 'email', 'role', 'created_at', 'updated_at'] as const;
export const MembershipsQuery = Type.Omit(
  listQuery(membershipOrders, { email: filters.email, role: filters.role }),
  ['metadata'],
);
export const OrgMemberships = Type.Object({
  ...pageEnvelope,
  org_memberships: about(Type.Array(OrgMembership), 'Members of the page.'),
});
export const GroupMemberships = Type.Object({
  ...pageEnvelope,
  group_memberships: about(Type.Array(GroupMembership), 'Members of the page.'),
});
