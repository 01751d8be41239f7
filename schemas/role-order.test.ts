import { describe, expect, it } from 'vitest';
import { includesRole, roles } from './role-order.ts';

describe('a role', () => {
  it('includes itself and those after it, and none before', () => {
    const included = roles.map((role) => roles.filter((needed) => includesRole(role, needed)));
    expect(included).toEqual([
      ['owner', 'admin', 'editor', 'viewer'],
      ['admin', 'editor', 'viewer'],
      ['editor', 'viewer'],
      ['viewer'],
    ]);
  });
});
