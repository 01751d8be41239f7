import type { Role } from '../../../schemas/roles.ts';

/** With what a caller comes. All but the first five are told apart by the roles of who comes. */
type Credential = 'none' | 'rubbish' | 'expired' | 'revoked' | 'thing' | 'token' | 'apiKey';

type CallerKind = {
  credential: Credential;
  /** The role in the org `own`. */
  org?: Role;
  /** The role in the group `own`. */
  group?: Role;
  platformAdmin?: true;
};

export const callerNames = [
  'nobody',
  'a rubbish credential',
  'an expired token',
  'a revoked API key',
  'a thing',
  'outsider',
  'invitee',
  'org viewer',
  'org editor',
  'org admin',
  'org owner',
  'group viewer',
  'group editor',
  'group admin',
  'group owner',
  'an API key of the org owner',
  'platform admin',
] as const;
export type CallerName = (typeof callerNames)[number];

/** Who calls. */
const callers: Readonly<Record<CallerName, CallerKind>> = {
  nobody: { credential: 'none' },
  'a rubbish credential': { credential: 'rubbish' },
  'an expired token': { credential: 'expired' },
  'a revoked API key': { credential: 'revoked' },
  'a thing': { credential: 'thing' },
  outsider: { credential: 'token' },
  invitee: { credential: 'token' },
  'org viewer': { credential: 'token', org: 'viewer' },
  'org editor': { credential: 'token', org: 'editor' },
  'org admin': { credential: 'token', org: 'admin' },
  'org owner': { credential: 'token', org: 'owner', group: 'owner' },
  'group viewer': { credential: 'token', group: 'viewer' },
  'group editor': { credential: 'token', group: 'editor' },
  'group admin': { credential: 'token', group: 'admin' },
  'group owner': { credential: 'token', group: 'owner' },
  'an API key of the org owner': { credential: 'apiKey', org: 'owner', group: 'owner' },
  'platform admin': { credential: 'token', platformAdmin: true },
};

/**
 * What is asked for: `own` is where the callers have their roles, `sibling` another group of that org,
 * `foreign` another org's, `absent` is nowhere.
 */
const placeNames = ['own', 'sibling', 'foreign', 'absent'] as const;
export type PlaceName = (typeof placeNames)[number];

export function callerKind(name: CallerName): CallerKind {
  return callers[name];
}

/** The role that counts at a place. The owner of an org owns its groups. */
export function roleAt(
  name: CallerName,
  place: PlaceName,
  where: 'org' | 'group',
): Role | undefined {
  const { org, group } = callerKind(name);
  if (place === 'own') return where === 'org' ? org : group;
  if (place !== 'sibling') return undefined;
  if (where === 'org') return org;
  return org === 'owner' ? 'owner' : undefined;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, admin: 3, owner: 4 };

export function reaches(role: Role | undefined, least: Role): boolean {
  return role !== undefined && ranks[role] >= ranks[least];
}
