import { describe, expect, it } from 'vitest';
import type { TreeGroup } from '../../../schemas/resources/tree.ts';
import { nest } from './routes.ts';

function group(id: string, parent?: string): TreeGroup {
  return {
    id,
    name: id,
    description: '',
    ...(parent === undefined ? {} : { parent_id: parent }),
    metadata: {},
    owner_id: 'owner',
    level: 1,
    path: id,
    created_at: '',
    updated_at: '',
  };
}

/** The ids of a tree, children in brackets. */
function shape(groups: readonly TreeGroup[]): string {
  return groups.map(({ id, children = [] }) => `${id}(${shape(children)})`).join('');
}

describe('a tree of groups', () => {
  it('has each group under its parent, in the order given', () => {
    const groups = [group('a'), group('b', 'a'), group('c', 'a'), group('d', 'b')];
    expect(shape(nest(groups))).toBe('a(b(d())c())');
  });

  it('has at its top what has no parent among them', () => {
    expect(shape(nest([group('b', 'a'), group('c', 'b'), group('e', 'd')]))).toBe('b(c())e()');
    expect(nest([])).toEqual([]);
  });

  it('does not care which comes first, the child or the parent', () => {
    expect(shape(nest([group('c', 'b'), group('b', 'a'), group('a')]))).toBe('a(b(c()))');
  });
});
