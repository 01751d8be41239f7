import { expect, it } from 'vitest';
import { fileOrderBy, isInt64, isUInt64, orderBy, placeColumns, sortedBy, tieOf } from './order.ts';

it('pages are ordered by time, then by what tells messages of one time apart', () => {
  expect(placeColumns('senml')).toEqual(['time', 'publisher', 'name', 'tie']);
  expect(tieOf.senml).toMatch(/^sipHash64\(.*\)\s+AS tie$/);
  expect(tieOf.json).toMatch(/^sipHash64\(.*\)\s+AS tie$/);
  expect(orderBy('senml', 'desc')).toBe(
    'intDiv(time, 86400000000000) DESC, time DESC, publisher DESC, name DESC, tie DESC',
  );
  expect(orderBy('json', 'asc')).toBe(
    'intDiv(created, 86400000000000) ASC, created ASC, publisher ASC, tie ASC',
  );
});

it('a file in the order of time needs no hash of each message', () => {
  expect(fileOrderBy('json', 'asc')).toBe(
    'intDiv(created, 86400000000000) ASC, created ASC, publisher ASC, subtopic ASC, protocol ASC, payload ASC',
  );
  expect(fileOrderBy('senml', 'desc')).toMatch(
    /^intDiv\(time, 86400000000000\) DESC, time DESC, publisher DESC, name DESC, subtopic DESC, .*text DESC/,
  );
});

it('exports may be ordered as the tables are', () => {
  expect(sortedBy('senml', 'asc')).toBe(
    'intDiv(time, 86400000000000) ASC, publisher ASC, name ASC, time ASC',
  );
  expect(sortedBy('json', 'desc')).toBe(
    'intDiv(created, 86400000000000) DESC, publisher DESC, created DESC',
  );
});

it.each([
  ['0', true, true],
  ['-1', true, false],
  ['9223372036854775807', true, true],
  ['9223372036854775808', false, true],
  ['-9223372036854775808', true, false],
  ['-9223372036854775809', false, false],
  ['18446744073709551615', false, true],
  ['18446744073709551616', false, false],
  ['1.5', false, false],
  ['', false, false],
  ['+1', false, false],
])('%s as an Int64: %s, as a UInt64: %s', (text, signed, unsigned) => {
  expect([isInt64(text), isUInt64(text)]).toEqual([signed, unsigned]);
});
