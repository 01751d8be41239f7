import { expect, it } from 'vitest';
import { metadataOf, objectIn, problemOf, rowsOf } from './draft.ts';

const metadata = { place: 'hall', floor: 2, isOld: false, tags: ['a', 'b'], none: null };

it('metadata becomes rows of a table, and these become it again', () => {
  expect(rowsOf(metadata).map(({ type }) => type)).toEqual([
    'text',
    'number',
    'boolean',
    'json',
    'json',
  ]);
  expect(metadataOf(rowsOf(metadata))).toEqual(metadata);
});

it('a row says what is wrong with it', () => {
  const [row] = rowsOf({ floor: 2 });
  if (row === undefined) throw new Error('there is a row');
  expect(problemOf(row, [row])).toBeUndefined();
  const problems = [
    { ...row, text: 'second' },
    { ...row, text: ' ' },
    { ...row, key: '' },
    { ...row, type: 'json' as const, text: '{"a": }' },
  ].map((one) => problemOf(one, [one]));
  expect(problems.every((problem) => problem !== undefined)).toBe(true);
  const again = { ...row, id: 99 };
  expect(problemOf(row, [row, again])).toBeDefined();
  expect(() => metadataOf([row, again])).toThrow('floor');
});

it('JSON says at which place it is wrong, and must be an object', () => {
  expect(() => objectIn('{\n  "a": nope\n}')).toThrow('line 2, column 8');
  expect(() => objectIn('[1]')).toThrow('object');
  expect(objectIn('{"a": 1}')).toEqual({ a: 1 });
});
