/** Roles that one may give to others, the least first. */
export const givenRoles = ['viewer', 'editor', 'admin'] as const;

export type GivenRole = (typeof givenRoles)[number];

export const isGiven = (role: string): role is GivenRole =>
  givenRoles.some((given) => given === role);
