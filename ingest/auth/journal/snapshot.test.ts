import { expect, it } from 'vitest';
import { parseSnapshot, sees } from './snapshot.ts';

it('a snapshot sees what had committed when it was taken', () => {
  const snapshot = parseSnapshot('10:20:12,15');
  const seen = [9n, 10n, 11n, 12n, 15n, 19n, 20n, 21n].filter((xid) => sees(snapshot, xid));
  expect(seen).toEqual([9n, 10n, 11n, 19n]);
  expect(sees(parseSnapshot('10:10:'), 9n)).toBe(true);
  expect(sees(parseSnapshot('10:10:'), 10n)).toBe(false);
});

it.each(['', '10:20', '10:20:1,', 'a:b:c'])('%j is no snapshot', (text) => {
  expect(() => parseSnapshot(text)).toThrow('not a snapshot');
});
