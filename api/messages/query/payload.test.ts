import { describe, expect, it } from 'vitest';
import { jsonPaths, namesAlong, pathBinder } from './payload.ts';
import { Where } from './where.ts';

describe('where a dotted path may lead', () => {
  it('down by each dot, where no name has a dot', () => {
    expect(namesAlong('a.b.c', false)).toEqual([['a', 'b', 'c']]);
  });

  it('else also to a name that has the rest of the dots', () => {
    expect(namesAlong('a.b', true)).toEqual([['a.b'], ['a', 'b']]);
  });

  it('and to names that have some of the dots, wherever they stand', () => {
    expect(namesAlong('a.b.c', true)).toEqual([
      ['a.b.c'],
      ['a', 'b.c'],
      ['a', 'b', 'c'],
      ['a.b', 'c'],
    ]);
    const ways = namesAlong('a.b.c.d.e.f', true).map((names) => JSON.stringify(names));
    expect([ways.length, new Set(ways).size]).toEqual([32, 32]);
  });

  it('no deeper than a message may be', () => {
    expect(namesAlong(Array(100).fill('x').join('.'), true)).toHaveLength(32);
  });
});

it('each name of paths is bound once', () => {
  const where = new Where();
  expect(jsonPaths(where, 'a.a')).toEqual({
    usual: ['{p0:String}', '{p1:String}, {p1:String}'],
    rare: [],
  });
  expect(where.bound).toEqual({ p0: 'a.a', p1: 'a' });
  const write = pathBinder(where);
  expect([write([['b']]), write([['b', 'c']])]).toEqual([
    ['{p2:String}'],
    ['{p2:String}, {p3:String}'],
  ]);
});
