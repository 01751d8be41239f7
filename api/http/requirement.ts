import type { Scheme } from '../../schemas/http/challenges.ts';
import type { Role } from '../../schemas/roles.ts';

/** Kinds that the `:id` of a path may name, and where the role is that counts: in its org, or in its group. */
export const entityPlaces = {
  org: 'org',
  group: 'group',
  profile: 'group',
  thing: 'group',
  webhook: 'group',
  command: 'group',
  alarm: 'group',
  silence: 'group',
  rule: 'group',
  dashboard: 'group',
  annotation: 'group',
  share: 'group',
} as const;

export type EntityKind = keyof typeof entityPlaces;

/** The kinds of credentials that a request may show. */
type CredentialKind = 'token' | 'session' | 'apiKey' | 'thingKey';

/** Who may do an operation. */
export type Requirement =
  /** No credential is looked at. */
  | { kind: 'anyone' }
  /** Any user; what they may see or do is bounded in the query itself. */
  | { kind: 'user' }
  /** A user who logged in: an API key does not do. */
  | { kind: 'loggedIn' }
  | { kind: 'platformAdmin' }
  /** A user with at least this role where the entity named by the path's `:id` is; the platform admin. */
  | { kind: 'member'; role: Role; of: EntityKind }
  /** A thing, by its key or its external key. */
  | { kind: 'thing' }
  /** A user or a thing; what they get is bounded in the query itself. */
  | { kind: 'userOrThing' };

/** Keys may not make keys: one that leaked must not outlive its revocation. */
const credentialKinds: Readonly<Record<Requirement['kind'], readonly CredentialKind[]>> = {
  anyone: [],
  user: ['token', 'session', 'apiKey'],
  loggedIn: ['token', 'session'],
  platformAdmin: ['token', 'session', 'apiKey'],
  member: ['token', 'session', 'apiKey'],
  thing: ['thingKey'],
  userOrThing: ['token', 'session', 'apiKey', 'thingKey'],
};

/** The kinds of credentials that an operation takes. */
export function credentialsFor({ kind }: Requirement): readonly CredentialKind[] {
  return credentialKinds[kind];
}

/**
 * The schemes of `Authorization` under which such credentials are sent. A browser that has sent Basic once sends it
 * along unasked: so it opens only what changes nothing.
 */
export function schemesOf(requirement: Requirement, readsOnly: boolean): readonly Scheme[] {
  const kinds = credentialsFor(requirement);
  const things: readonly Scheme[] = kinds.includes('thingKey') ? ['Thing', 'External'] : [];
  if (!kinds.includes('token')) return things.length === 0 ? ['Bearer'] : things;
  return ['Bearer', ...things, ...(readsOnly ? (['Basic'] as const) : [])];
}
