import { type CallerName, callerKind, type PlaceName, reaches, roleAt } from './callers.ts';
import type { Right } from './contract.ts';

export type Outcome = 'allowed' | 401 | 403 | 404;

/** What an operation that takes no role makes of who comes. */
export type Rule = (caller: CallerName, place: PlaceName) => Outcome;

/** What the contract says comes of a request. */
export function outcomeOf(
  right: Right,
  rule: Rule | undefined,
  caller: CallerName,
  place: PlaceName,
): Outcome {
  if (!isKnown(right, caller)) return 401;
  const bounded = rule?.(caller, place);
  if (bounded !== undefined) return bounded;
  const { platformAdmin = false } = callerKind(caller);
  const [where, least] = right;
  if (where === 'platform') return platformAdmin ? 'allowed' : 403;
  if (where !== 'org' && where !== 'group') return 'allowed';
  if (place === 'absent') return 404;
  return platformAdmin || reaches(roleAt(caller, place, where), least) ? 'allowed' : 403;
}

function isKnown([where, which]: Right, caller: CallerName): boolean {
  if (where === 'nobody') return true;
  const { credential } = callerKind(caller);
  if (credential === 'thing') return where === 'device' || where === 'user or device';
  if (where === 'device') return false;
  return credential === 'token' || (credential === 'apiKey' && which !== 'logged in');
}
