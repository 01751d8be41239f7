import type { Role } from '../schemas/roles.ts';

/** What the `:id` of a path may name. The role that counts is the one in its org, or in its group. */
export type EntityKind = 'org' | 'group' | 'profile' | 'thing';

/** What it takes to do an operation. */
export type Requirement =
  /** No credential is looked at. */
  | { who: 'anyone' }
  /** Any user; what they get is bounded in the query itself. */
  | { who: 'user' }
  /** A user with at least this role where the entity named by the path's `:id` is; the platform admin. */
  | { who: 'member'; role: Role; of: EntityKind }
  /** A thing, by its key or its external key. */
  | { who: 'thing' }
  /** A user or a thing; what they get is bounded in the query itself. */
  | { who: 'userOrThing' };

/**
 * The permission table: every operation of the API and what it takes. A route names its operation in
 * its `config`; the server does not start with a route that has none.
 */
export const permissions = {
  issueToken: { who: 'anyone' },

  createOrg: { who: 'user' },
  viewOrg: { who: 'member', role: 'viewer', of: 'org' },

  createGroups: { who: 'member', role: 'editor', of: 'org' },
  viewGroup: { who: 'member', role: 'viewer', of: 'group' },

  createProfiles: { who: 'member', role: 'editor', of: 'group' },
  viewProfile: { who: 'member', role: 'viewer', of: 'profile' },
  updateProfile: { who: 'member', role: 'editor', of: 'profile' },

  createThings: { who: 'member', role: 'editor', of: 'profile' },
  viewThing: { who: 'member', role: 'viewer', of: 'thing' },
  updateThing: { who: 'member', role: 'editor', of: 'thing' },
  deleteThing: { who: 'member', role: 'admin', of: 'thing' },
  setExternalKey: { who: 'member', role: 'editor', of: 'thing' },
  removeExternalKey: { who: 'member', role: 'editor', of: 'thing' },
  viewOwnMetadata: { who: 'thing' },
  identifyThing: { who: 'anyone' },

  readMessages: { who: 'userOrThing' },
  /** The edge decides. */
  passToEdge: { who: 'anyone' },

  viewHealth: { who: 'anyone' },
  viewMetrics: { who: 'anyone' },
} as const satisfies Record<string, Requirement>;

export type Operation = keyof typeof permissions;

/** The role from which a thing's keys show. */
export const keysShowFrom: Role = 'editor';

export function requirementOf(operation: Operation): Requirement {
  return permissions[operation];
}
