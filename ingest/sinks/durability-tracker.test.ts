import { describe, expect, it } from 'vitest';
import { Trail } from './durability-tracker.ts';

const start = { segment: 1, offset: 0 };
const at = (offset: number) => ({ segment: 1, offset });
const batch = (from: number, to: number) => ({ segment: 1, from, to });
const loseMsMax = 5_000;

describe('what is safe in Redis', () => {
  it('is what was added five seconds before the same run of Redis was seen', () => {
    const trail = new Trail(start, loseMsMax);
    expect(trail.seen('a', 0)).toEqual([]);
    trail.added(batch(0, 8), 1_000);
    trail.added(batch(8, 16), 2_000);
    expect(trail.seen('a', 5_999)).toEqual([]);
    expect(trail.safe).toEqual(start);
    expect(trail.seen('a', 6_000)).toEqual([]);
    expect(trail.safe).toEqual(at(8));
    expect(trail.unsafe).toEqual([batch(8, 16)]);
    expect(trail.seen('a', 60_000)).toEqual([]);
    expect(trail.safe).toEqual(at(16));
    expect(trail.isWaiting).toBe(false);
  });

  it('is nothing more once another run is seen: the same batches must be added again', () => {
    const trail = new Trail(start, loseMsMax);
    trail.seen('a', 0);
    trail.added(batch(0, 8), 1_000);
    trail.added(batch(8, 16), 4_000);
    trail.passed(at(20));
    trail.added(batch(24, 32), 4_500);
    trail.seen('a', 6_000);
    expect(trail.seen('b', 60_000)).toEqual([batch(8, 16), batch(24, 32)]);
    expect(trail.safe).toEqual(at(8));
    trail.added(batch(8, 16), 61_000);
    expect(trail.seen('b', 66_000)).toEqual([]);
    expect(trail.safe).toEqual(at(16));
  });

  it('is all of it where nothing waits: another run may come', () => {
    const trail = new Trail(start, loseMsMax);
    trail.seen('a', 0);
    trail.added(batch(0, 8), 1_000);
    trail.seen('a', 7_000);
    expect(trail.seen('b', 8_000)).toEqual([]);
    expect(trail.safe).toEqual(at(8));
  });

  it('goes along with what has no jobs, at once or behind what waits', () => {
    const trail = new Trail(start, loseMsMax);
    trail.passed(at(8));
    expect(trail.safe).toEqual(at(8));
    trail.seen('a', 0);
    trail.added(batch(8, 16), 1_000);
    trail.passed(at(24));
    expect(trail.safe).toEqual(at(8));
    trail.seen('a', 6_000);
    expect(trail.safe).toEqual(at(24));
  });
});
