/** The roles of members of orgs and groups, each including the next. Apart from their schemas, which the console leaves out. */
export const roles = ['owner', 'admin', 'editor', 'viewer'] as const;

export type Role = (typeof roles)[number];

/** Whether a member with `role` may do what needs the role `needed`. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}
