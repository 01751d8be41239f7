import { describe, expect, it } from 'vitest';
import { credentialsFor, type Requirement, schemesOf } from './requirement.ts';

describe('what credentials do for an operation', () => {
  it.each<[Requirement['kind'], readonly string[], readonly string[]]>([
    ['anyone', [], ['Bearer']],
    ['user', ['token', 'session', 'apiKey'], ['Bearer']],
    ['loggedIn', ['token', 'session'], ['Bearer']],
    ['platformAdmin', ['token', 'session', 'apiKey'], ['Bearer']],
    ['thing', ['thingKey'], ['Thing', 'External']],
    ['userOrThing', ['token', 'session', 'apiKey', 'thingKey'], ['Bearer', 'Thing', 'External']],
  ])('that needs %s: %j, sent as %j', (kind, kinds, schemes) => {
    const requirement: Requirement =
      kind === 'member' ? { kind, role: 'viewer', of: 'org' } : { kind };
    expect(credentialsFor(requirement)).toEqual(kinds);
    expect(schemesOf(requirement, false)).toEqual(schemes);
    const basic = kinds.includes('token') ? ['Basic'] : [];
    expect(schemesOf(requirement, true)).toEqual([...schemes, ...basic]);
  });
});
