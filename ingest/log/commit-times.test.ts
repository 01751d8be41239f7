import { describe, expect, it } from 'vitest';
import { CommitTimes } from './commit-times.ts';

const at = (offset: number, segment = 1) => ({ segment, offset });
const second = 1_000;

describe('the times of commits', () => {
  it('tell how much of the log lies before a reader, in time, and how old it is', () => {
    const times = new CommitTimes();
    times.note(at(0), 10 * second);
    times.note(at(100), 13 * second);
    const end = at(200);
    expect(times.lagOf(at(0), end, 20 * second)).toEqual({ lagMs: 3_000, ageMs: 10_000 });
    expect(times.lagOf(at(50), end, 20 * second)).toEqual({ lagMs: 3_000, ageMs: 10_000 });
    expect(times.lagOf(at(100), end, 20 * second)).toEqual({ lagMs: 0, ageMs: 7_000 });
    expect(times.lagOf(end, end, 20 * second)).toEqual({ lagMs: 0, ageMs: 0 });
    expect(times.lagOf(at(0, 2), end, 20 * second)).toEqual({ lagMs: 0, ageMs: 0 });
  });

  it('know nothing older than the oldest they have', () => {
    const times = new CommitTimes();
    expect(times.lagOf(at(0), at(1), second)).toEqual({ lagMs: 0, ageMs: 0 });
    times.note(at(0, 5), second);
    expect(times.lagOf(at(7, 3), at(9, 5), 2 * second)).toEqual({ lagMs: 0, ageMs: 1_000 });
  });

  it('are right to a hundredth however long a reader stands still, and few', () => {
    const times = new CommitTimes();
    const commits = 24 * 3_600;
    for (let n = 0; n < commits; n++) times.note(at(n), n * second);
    const [end, nowMs] = [at(commits), commits * second];
    for (const n of [0, 1, 100, 5_000, 50_000, commits - 1]) {
      const { ageMs } = times.lagOf(at(n), end, nowMs);
      const wrongMs = Math.abs(ageMs - (nowMs - n * second));
      expect([n, wrongMs <= commits * second * 0.01]).toEqual([n, true]);
    }
    expect(times.size).toBeLessThan(1_500);
  });

  it('a gap without commits makes nothing old that came after it', () => {
    const times = new CommitTimes();
    times.note(at(0), 0);
    times.forgetBefore(at(100));
    times.note(at(100), 3_600 * second);
    expect(times.lagOf(at(100), at(200), 3_601 * second).ageMs).toBe(1_000);
  });

  it('forget what all readers have passed', () => {
    const times = new CommitTimes();
    for (let n = 0; n < 100; n++) times.note(at(n), n * second);
    times.forgetBefore(at(98));
    expect(times.size).toBe(2);
    expect(times.lagOf(at(98), at(100), 100 * second).ageMs).toBe(2_000);
  });
});
