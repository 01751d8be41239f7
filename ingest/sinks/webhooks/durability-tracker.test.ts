import { describe, expect, it } from 'vitest';
import { DurabilityTracker } from './durability-tracker.ts';

const start = { segment: 1, offset: 0 };
const at = (offset: number) => ({ segment: 1, offset });
const batch = (from: number, to: number) => ({ segment: 1, from, to });
const loseMsMax = 5_000;

describe('what is safe in Redis', () => {
  it('is what was added five seconds before the same run of Redis was seen', () => {
    const tracker = new DurabilityTracker(start, loseMsMax);
    expect(tracker.seen('a', 0)).toEqual([]);
    tracker.added(batch(0, 8), 1_000);
    tracker.added(batch(8, 16), 2_000);
    expect(tracker.seen('a', 5_999)).toEqual([]);
    expect(tracker.safe).toEqual(start);
    expect(tracker.seen('a', 6_000)).toEqual([]);
    expect(tracker.safe).toEqual(at(8));
    expect(tracker.unsafe).toEqual([batch(8, 16)]);
    expect(tracker.seen('a', 60_000)).toEqual([]);
    expect(tracker.safe).toEqual(at(16));
    expect(tracker.isWaiting).toBe(false);
  });

  it('is nothing more once another run is seen: the same batches must be added again', () => {
    const tracker = new DurabilityTracker(start, loseMsMax);
    tracker.seen('a', 0);
    tracker.added(batch(0, 8), 1_000);
    tracker.added(batch(8, 16), 4_000);
    tracker.passed(at(20));
    tracker.added(batch(24, 32), 4_500);
    tracker.seen('a', 6_000);
    expect(tracker.seen('b', 60_000)).toEqual([batch(8, 16), batch(24, 32)]);
    expect(tracker.safe).toEqual(at(8));
    tracker.added(batch(8, 16), 61_000);
    expect(tracker.seen('b', 66_000)).toEqual([]);
    expect(tracker.safe).toEqual(at(16));
  });

  it('is all of it where nothing waits: another run may come', () => {
    const tracker = new DurabilityTracker(start, loseMsMax);
    tracker.seen('a', 0);
    tracker.added(batch(0, 8), 1_000);
    tracker.seen('a', 7_000);
    expect(tracker.seen('b', 8_000)).toEqual([]);
    expect(tracker.safe).toEqual(at(8));
  });

  it('goes along with what has no jobs, at once or after what waits', () => {
    const tracker = new DurabilityTracker(start, loseMsMax);
    tracker.passed(at(8));
    expect(tracker.safe).toEqual(at(8));
    tracker.seen('a', 0);
    tracker.added(batch(8, 16), 1_000);
    tracker.passed(at(24));
    expect(tracker.safe).toEqual(at(8));
    tracker.seen('a', 6_000);
    expect(tracker.safe).toEqual(at(24));
  });
});
