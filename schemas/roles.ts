import { Type } from 'typebox';

/** The roles of members of orgs and groups, each including the next. */
export const roles = ['owner', 'admin', 'editor', 'viewer'] as const;

export type Role = (typeof roles)[number];

export const Role = Type.Enum([...roles]);

/** The roles a member can be given: who owns an org or a group does not change. */
export const AssignableRole = Type.Enum(['admin', 'editor', 'viewer']);
export type AssignableRole = Exclude<Role, 'owner'>;

/** Whether a member with `role` may do what needs the role `needed`. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}
