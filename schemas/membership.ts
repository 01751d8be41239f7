import { type Static, type TSchema, Type } from 'typebox';
import { Timestamp, Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope } from './page.ts';
import { AssignableRole, Role } from './roles.ts';

const ofMember = {
  member_id: Uuid,
  email: Type.String(),
  role: Role,
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** A member of an org. */
export const OrgMembership = Type.Object({ ...ofMember, org_id: Uuid });
export type OrgMembership = Static<typeof OrgMembership>;

/** A member of a group. */
export const GroupMembership = Type.Object({ ...ofMember, group_id: Uuid });
export type GroupMembership = Static<typeof GroupMembership>;

/** The role of a new member. Absent or empty: a viewer. */
const NewRole = Type.Optional(Type.Enum(['admin', 'editor', 'viewer', '']));

/** An e-mail that is no address is nobody's: as absent as any other. */
const MemberEmail = Type.String({ minLength: 1, maxLength: 254 });

export const NewOrgMemberships = Type.Object({
  org_memberships: Type.Array(Type.Object({ email: MemberEmail, role: NewRole }), { minItems: 1 }),
});

export const OrgMembershipsToChange = Type.Object({
  org_memberships: Type.Array(Type.Object({ email: MemberEmail, role: AssignableRole }), {
    minItems: 1,
  }),
});

const NewGroupMember = Type.Object({ member_id: Uuid, role: NewRole });
const GroupMemberToChange = Type.Object({ member_id: Uuid, role: AssignableRole });
export type GroupMemberToChange = Static<typeof GroupMemberToChange>;

/** The platform's clients send a list, or wrap it. Not a union: its errors would tell of both. */
function listOrWrapped<Member extends TSchema>(member: Member) {
  const List = Type.Array(member, { minItems: 1 });
  return Type.Unsafe<Static<Member>[] | { group_memberships: Static<Member>[] }>({
    if: { type: 'array' },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: List,
    else: Type.Object({ group_memberships: List }),
  });
}

export const NewGroupMemberships = listOrWrapped(NewGroupMember);
export const GroupMembershipsToChange = listOrWrapped(GroupMemberToChange);

export const MembershipsToRemove = Type.Object({
  member_ids: Type.Array(Uuid, { minItems: 1 }),
});

export const membershipOrders = ['id', 'email', 'role', 'created_at', 'updated_at'] as const;
export const MembershipsQuery = Type.Omit(
  listQuery(membershipOrders, { email: filters.email, role: filters.role }),
  ['metadata'],
);
export const OrgMemberships = Type.Object({
  ...pageEnvelope,
  org_memberships: Type.Array(OrgMembership),
});
export const GroupMemberships = Type.Object({
  ...pageEnvelope,
  group_memberships: Type.Array(GroupMembership),
});
