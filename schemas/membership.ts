import { type Static, Type } from 'typebox';
import { Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope } from './page.ts';
import { AssignableRole, Role } from './roles.ts';

/** A member of an org or a group. */
export const Membership = Type.Object({ member_id: Uuid, email: Type.String(), role: Role });
export type Membership = Static<typeof Membership>;

/** An e-mail that is no address is nobody's: as absent as any other. */
const MemberByEmail = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  role: AssignableRole,
});

const MemberById = Type.Object({ member_id: Uuid, role: AssignableRole });

export const OrgMembershipsToSet = Type.Object({
  org_memberships: Type.Array(MemberByEmail, { minItems: 1 }),
});

export const GroupMembershipsToSet = Type.Object({
  group_memberships: Type.Array(MemberById, { minItems: 1 }),
});

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
  org_memberships: Type.Array(Membership),
});
export const GroupMemberships = Type.Object({
  ...pageEnvelope,
  group_memberships: Type.Array(Membership),
});
