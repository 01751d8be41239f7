import { getPriority } from 'node:os';
import { describe, expect, it } from 'vitest';
import { baseNiceness, nicenessOf } from './niceness.ts';

describe('niceness of a query', () => {
  it('lets pages go before inserts, and inserts before files', () => {
    const [page, insert, file] = [1, 0, 2].map((priority) => nicenessOf(priority, 5));
    expect([page, insert, file]).toEqual([1, 5, 19]);
  });

  it('is never 0, which ClickHouse takes for nothing said', () => {
    for (const priority of [0, 1, 2, 3]) {
      for (const base of [-20, 0, 1, 4, 19]) {
        expect(nicenessOf(priority, base)).toBeGreaterThanOrEqual(1);
      }
    }
  });

  it('leaves the process as nice as it was', () => {
    const before = getPriority();
    expect([before, undefined]).toContain(baseNiceness());
    expect(getPriority()).toBe(before);
  });
});
