import { expect, it } from 'vitest';
import { Where } from './where.ts';

it('a WHERE without conditions matches all', () => {
  expect(new Where().text).toBe('true');
});

it('values are bound, each under a name of its own', () => {
  const where = new Where();
  where.add(`name = ${where.bind('String', "o'ff")}`);
  where.add(`value > ${where.bind('Float64', 2)}`);
  expect(where.text).toBe('name = {p0:String} AND value > {p1:Float64}');
  expect(where.bound).toEqual({ p0: "o'ff", p1: 2 });
});

it('a copy is narrowed without a change of the first', () => {
  const where = new Where();
  where.add(`name = ${where.bind('String', 't')}`);
  const copy = where.copy();
  copy.add(`unit = ${copy.bind('String', 'Cel')}`);
  expect(copy.text).toBe('name = {p0:String} AND unit = {p1:String}');
  expect(where.text).toBe('name = {p0:String}');
  expect(where.bound).toEqual({ p0: 't' });
});
