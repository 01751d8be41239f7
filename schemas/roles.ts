import { Type } from 'typebox';
import { type Role as RoleName, roles } from './role-order.ts';

export { includesRole } from './role-order.ts';

export type Role = RoleName;

export const Role = Type.Enum([...roles]);

/** The roles a member can be given: who owns an org or a group does not change. */
export const AssignableRole = Type.Enum(['admin', 'editor', 'viewer']);
export type AssignableRole = Exclude<Role, 'owner'>;
