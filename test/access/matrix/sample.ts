import type { Role } from '../../../schemas/roles.ts';
import type { Method } from '../../support/api/http.ts';
import { type CallerName, callerKind, type PlaceName, reaches, roleAt } from './callers.ts';
import type { Outcome, Rule } from './model.ts';
import type { Fresh, Place, World } from './world.ts';

/** What a list holds. */
export type Listed = 'org' | 'group' | 'profile' | 'thing' | 'webhook' | 'user';

/** One good request of an operation. */
export type Sample = {
  method: Method;
  path: (place: Place, world: World) => string;
  body?: (place: Place, world: World) => unknown;
  /** The status where it is allowed. */
  good: number;
  /** What else may come of it, though it is allowed. */
  orElse?: number;
  places: readonly PlaceName[];
  /** Must be there where the operation itself decides who may. */
  rule?: Rule;
  /** What it changes or ends: made for each allowed request anew. */
  fresh?: Fresh;
  /** What an answer lists, and within what. */
  lists?: { what: Listed; within: 'everything' | 'org' | 'group' };
};

export const everywhere = ['own', 'sibling', 'foreign', 'absent'] as const;
export const orgs = ['own', 'foreign', 'absent'] as const;
export const anywhere = ['own'] as const;

const isAdmin = (caller: CallerName) => callerKind(caller).platformAdmin === true;
export const isOwner = (caller: CallerName) =>
  caller === 'org owner' || caller === 'an API key of the org owner';

/** The operation's `everyone it knows`. */
export const anyone: Rule = () => 'allowed';

/** By some at the place, and by the platform admin if `admins`. */
export function only(may: (caller: CallerName) => boolean, admins: boolean): Rule {
  return (caller, place): Outcome => {
    if (place === 'absent') return 404;
    if (admins && isAdmin(caller)) return 'allowed';
    return place !== 'foreign' && may(caller) ? 'allowed' : 403;
  };
}

/** Keys of others are as absent. */
export const ownKey: Rule = (caller, place) =>
  place === 'own' && isOwner(caller) ? 'allowed' : 404;

/** By who has at least the role where the thing is. */
export const inGroup =
  (least: Role): Rule =>
  (caller, place) => {
    if (place === 'absent') return 404;
    return isAdmin(caller) || reaches(roleAt(caller, place, 'group'), least) ? 'allowed' : 403;
  };

/** A thing has nobody but itself, and is not told who else there is. */
export const ofThing =
  (least: 'viewer' | 'admin'): Rule =>
  (caller, place) => {
    if (caller === 'a thing') return place === 'own' ? 'allowed' : 403;
    return inGroup(least)(caller, place);
  };

/** A thing of the type device commands devices of its group, and the group. */
export const ofCommander: Rule = (caller, place) => {
  if (caller !== 'a thing') return inGroup('editor')(caller, place);
  return place === 'own' ? 'allowed' : place === 'absent' ? 404 : 403;
};

export const exists: Rule = (_, place) => (place === 'absent' ? 404 : 'allowed');
export const ofTreeOwner = only(isOwner, true);
