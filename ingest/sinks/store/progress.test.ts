import { describe, expect, it } from 'vitest';
import {
  begun,
  cursorOf,
  passed,
  quarantined,
  refused,
  restored,
  sent,
  stored,
  takenInPart,
} from './progress.ts';

const at = (offset: number, segment = 1) => ({ segment, offset });
const range = (from: number, to: number) => ({ from: at(from), to: at(to) });
const start = passed(restored(undefined), at(0));
const now = 1_800_000_000;

describe('the progress of a sink of the store', () => {
  it('has no batch after a first start', () => {
    expect(restored(undefined)).toEqual({
      position: at(0, 0),
      number: 1,
      batch: { kind: 'none' },
      partlyStored: undefined,
    });
  });

  it('keeps the end of a batch on the disk until the store is known to have it', () => {
    const batch = range(0, 64);
    const one = begun(start, batch, now);
    expect(cursorOf(one)).toMatchObject({ position: at(0), batch: now, sendingTo: 64 });
    expect(one.batch).toEqual({ kind: 'begun', to: 64 });
    const two = sent(one);
    expect(two.batch).toEqual({ kind: 'inDoubt', to: 64 });
    expect(cursorOf(two)).toEqual(cursorOf(one));
    const three = stored(two, batch);
    expect(three).toMatchObject({ position: at(64), number: now + 1, batch: { kind: 'none' } });
    expect(cursorOf(three)).toMatchObject({ position: at(64), sendingTo: undefined });
  });

  it('after a crash may have sent the batch, and sends it again under its number', () => {
    const cursor = cursorOf(begun(start, range(0, 64), now));
    const again = restored(cursor);
    expect(again.batch).toEqual({ kind: 'inDoubt', to: 64 });
    expect(begun(again, range(0, 64), now + 100)).toMatchObject({
      number: now,
      batch: { kind: 'inDoubt', to: 64 },
    });
  });

  it('takes numbers from the clock, and never one twice', () => {
    const first = stored(sent(begun(start, range(0, 64), now)), range(0, 64));
    expect(begun(first, range(64, 128), now).number).toBe(now + 1);
    expect(begun(first, range(64, 128), now + 60).number).toBe(now + 60);
    expect(begun(first, range(64, 128), now - 60).number).toBe(now + 1);
  });

  it('reads half of a batch that is refused under another number', () => {
    const half = refused(sent(begun(start, range(0, 64), now)));
    expect(half).toMatchObject({
      position: at(0),
      number: now + 1,
      batch: { kind: 'none' },
    });
    const next = stored(sent(begun(half, range(0, 32), now)), range(0, 32));
    expect(next).toMatchObject({ position: at(32), number: now + 2 });
  });

  it('passes a frame that is in the quarantine', () => {
    expect(quarantined(sent(begun(start, range(0, 64), now)), range(0, 64))).toMatchObject({
      position: at(64),
      number: now + 1,
      batch: { kind: 'none' },
    });
  });

  it('knows what the store took of a refused batch until its parts are sent', () => {
    const whole = range(0, 64);
    const part = takenInPart(sent(begun(start, whole, now)), whole, ['2025']);
    expect(part.partlyStored).toEqual({ to: 64, partitions: ['2025'] });
    expect(takenInPart(part, range(0, 32), ['2026']).partlyStored).toBe(part.partlyStored);
    expect(takenInPart(start, whole, []).partlyStored).toBeUndefined();
    const half = stored(sent(begun(refused(part), range(0, 32), now)), range(0, 32));
    expect(half.partlyStored).toEqual({ to: 64, partitions: ['2025'] });
    const other = stored(sent(begun(half, range(32, 64), now)), range(32, 64));
    expect(other.partlyStored).toBeUndefined();
    expect(passed(half, at(0, 2)).partlyStored).toBeUndefined();
  });
});
