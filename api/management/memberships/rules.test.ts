import { describe, expect, it } from 'vitest';
import { distinct, mustBeChangeable, mustKeepOwners, mustNameOnce, withRoles } from './rules.ts';

describe('the rules of memberships', () => {
  it('make a viewer of a new member without a role', () => {
    const given = [
      { email: 'a' },
      { email: 'b', role: '' as const },
      { email: 'c', role: 'admin' as const },
    ];
    expect(withRoles(given).map(({ role }) => role)).toEqual(['viewer', 'viewer', 'admin']);
  });

  it('count an id once, in upper or lower case', () => {
    expect(distinct(['AB', 'ab', 'cd'])).toEqual(['ab', 'cd']);
    expect(() => mustNameOnce('org_memberships', ['AB', 'ab'])).toThrow(
      expect.objectContaining({
        code: 'malformed',
        detail: 'org_memberships names a member twice',
      }),
    );
    expect(() => mustNameOnce('org_memberships', ['ab', 'cd'])).not.toThrow();
  });

  it('refuse who is no member, before who is an owner', () => {
    const owner = { member_id: 'a', role: 'owner' } as const;
    const editor = { member_id: 'b', role: 'editor' } as const;
    expect(() => mustBeChangeable(['a', 'b'], [owner])).toThrow(
      expect.objectContaining({ code: 'not_found', detail: 'member' }),
    );
    expect(() => mustBeChangeable(['a', 'b'], [owner, editor])).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
    expect(() => mustBeChangeable(['b'], [editor])).not.toThrow();
    expect(() => mustKeepOwners([editor])).not.toThrow();
  });
});
