import { describe, expect, it } from 'vitest';
import { unbounded } from '../batch-size.ts';
import type { WebhookBatch } from './prepare.ts';
import {
  added,
  endWithin,
  gone,
  nextAgain,
  passed,
  prepared,
  refused,
  restored,
  rewound,
  waiting,
} from './progress.ts';

const at = (offset: number, segment = 1) => ({ segment, offset });
const range = (from: number, to: number) => ({ segment: 1, from, to });
const framesMax = 100;

function batchOf(from: number, to: number): WebhookBatch {
  const counts = { frames: 2, messages: 2, deliveries: 2, waiting: 0, missed: 0 };
  return {
    range: range(from, to),
    to: at(to),
    body: undefined,
    hadRoom: true,
    ...counts,
    jobs: [],
  };
}

describe('the progress of the sink of webhooks', () => {
  it('goes from a batch that is prepared to the place after it, once its jobs are added', () => {
    const one = prepared(restored(at(0), []), batchOf(0, 64));
    expect(one).toMatchObject({ position: at(0), batch: { is: 'prepared' } });
    expect(added(one, at(64))).toEqual({
      position: at(64),
      batch: { is: 'none' },
      again: [],
      framesMax: unbounded,
    });
  });

  it('after a start reads what was noted with the same boundaries', () => {
    const again = [range(0, 64), range(128, 192)];
    const progress = restored(at(0), again);
    expect(nextAgain(progress, at(0))).toEqual(range(0, 64));
    expect(endWithin(progress, at(0), range(0, 64), framesMax)).toBe(64);
    const next = added(prepared(progress, batchOf(0, 64)), at(64));
    expect(next.again).toEqual([range(128, 192)]);
    // What stands between them had no jobs, or its note was lost.
    expect(nextAgain(next, at(64))).toEqual(range(128, 192));
    expect(endWithin(next, at(64), range(128, 192), framesMax)).toBe(128);
  });

  it('leaves boundaries to the size of a batch in another segment, and while it is halved', () => {
    const progress = restored(at(0), [range(0, 64)]);
    expect(endWithin(progress, at(8, 0), range(0, 64), framesMax)).toBeUndefined();
    expect(endWithin(refused(progress, 8), at(0), range(0, 64), framesMax)).toBeUndefined();
  });

  it('prepares a batch again where the queue has filled up', () => {
    const full = waiting(prepared(restored(at(0), [range(64, 128)]), batchOf(0, 64)), range(0, 64));
    expect(full.batch).toEqual({ is: 'none' });
    expect(nextAgain(full, at(0))).toEqual(range(0, 64));
    expect(full.again).toEqual([range(0, 64), range(64, 128)]);
  });

  it('goes back to the safe place where Redis may have lost jobs', () => {
    const one = prepared(restored(at(128), []), batchOf(128, 192));
    const lost = [range(0, 64), range(64, 128)];
    expect(rewound(one, at(0), lost)).toMatchObject({
      position: at(0),
      batch: { is: 'none' },
      again: lost,
    });
  });

  it('halves a batch that is refused, and passes what is quarantined or gone', () => {
    const half = refused(prepared(restored(at(0), []), batchOf(0, 64)), 9);
    expect(half).toMatchObject({ position: at(0), batch: { is: 'none' }, framesMax: 4 });
    expect(added(half, at(32)).framesMax).toBe(8);
    expect(passed(half, at(32))).toMatchObject({ position: at(32), framesMax: 4 });
    const noted = range(0, 64);
    expect(gone(restored(at(0), [noted]), noted).again).toEqual([]);
  });
});
