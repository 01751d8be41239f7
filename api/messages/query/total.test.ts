import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isTold, boundedTotal } from './total.ts';

/** The number of messages that are stored after each of several arrivals and deletions. */
const history = fc
  .array(fc.integer({ min: -30, max: 30 }), { minLength: 1, maxLength: 8 })
  .map((changes) => {
    const stored = [0];
    for (const change of changes) stored.push(Math.max(0, (stored.at(-1) ?? 0) + change));
    return stored;
  });
const moment = fc.nat({ max: 100 });
const at = (stored: readonly number[], when: number) => stored[when % stored.length] ?? 0;

it('no order of arrivals and deletions lets a total contradict the messages of its page', () => {
  const range = {
    limit: fc.integer({ min: 1, max: 20 }),
    skipped: fc.integer({ min: 0, max: 40 }),
  };
  fc.assert(
    fc.property(history, moment, moment, fc.record(range), (stored, read, counted, page) => {
      const { limit, skipped } = page;
      const rows = Math.max(0, Math.min(limit, at(stored, read) - skipped));
      const total = boundedTotal({ ...page, rows, isFromFirst: true }, at(stored, counted));
      if (rows > 0) expect(total).toBeGreaterThanOrEqual(skipped + rows);
      if (rows < limit) expect(total).toBeLessThanOrEqual(skipped + rows);
      // If both are of one moment, the total is the count.
      if (at(stored, read) === at(stored, counted)) expect(total).toBe(at(stored, counted));
    }),
  );
});

it('what follows a cursor is at least as much as the page shows', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(9), fc.nat(10), (counted, skipped, rows) => {
      const extent = { limit: 10, skipped, rows, isFromFirst: false };
      const total = boundedTotal(extent, counted);
      expect(total).toBe(rows === 0 ? counted : Math.max(counted, skipped + rows));
      expect(isTold(extent)).toBe(false);
    }),
  );
});

it('a page that is not full tells the total, and an empty one only at the beginning', () => {
  const extent = { limit: 10, skipped: 0, rows: 3, isFromFirst: true };
  expect(isTold(extent)).toBe(true);
  expect(boundedTotal(extent, 99)).toBe(3);
  expect(isTold({ ...extent, rows: 0 })).toBe(true);
  expect(boundedTotal({ ...extent, rows: 0 }, 4)).toBe(0);
  expect(isTold({ ...extent, rows: 0, skipped: 5 })).toBe(false);
  expect(boundedTotal({ ...extent, rows: 0, skipped: 5 }, 4)).toBe(4);
  expect(boundedTotal({ ...extent, rows: 0, skipped: 5 }, 7)).toBe(5);
  expect(boundedTotal({ ...extent, rows: 10 }, 4)).toBe(10);
  expect(boundedTotal({ ...extent, rows: 10 }, 40)).toBe(40);
});
