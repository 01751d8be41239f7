import { expect, it } from 'vitest';
import { frameFormats } from './format.ts';
import { createPositions, sharedPositions } from './positions.ts';

const end = { segment: 3, offset: 4_000_000_000 };

it('positions are the same in another thread, and a commit wakes it', async () => {
  const edge = createPositions(2);
  const sink = sharedPositions(edge.buffer);
  const woken = sink.untilWoken(['webhook'], sink.wakes(['webhook']), 10_000);
  edge.commit({ segment: 3, offset: 8 }, ['json']);
  edge.commit(end, ['json', 'webhook']);
  await woken;
  expect(sink.committed()).toEqual(end);
  expect(sink.endOf('senml')).toEqual({ segment: 0, offset: 0 });
  expect(sink.endOf('json')).toEqual(end);
  edge.awaitSaved({ segment: 3, offset: 16 });
  expect(sink.awaited()).toEqual({ segment: 3, offset: 16 });
});

it('a commit wakes the sinks of its formats, and no other', () => {
  const positions = createPositions(1);
  positions.commit(end, ['senml', 'webhook']);
  expect(frameFormats.map((format) => positions.wakes([format]))).toEqual([1, 0, 1, 0, 0]);
});

it('a sink that saves its cursor for a deletion, or stops, is woken whatever its format', () => {
  const positions = createPositions(1);
  positions.awaitSaved(end);
  // Who waits asks again and again.
  positions.awaitSaved(end);
  positions.wake();
  expect(frameFormats.map((format) => positions.wakes([format]))).toEqual([2, 2, 2, 2, 2]);
});

it('a sink need not read frames of other formats, up to the last commit', () => {
  const positions = createPositions(1);
  positions.commit({ segment: 3, offset: 600 }, ['senml']);
  positions.commit(end, []);
  expect(positions.clearTo(['json'], { segment: 0, offset: 0 })).toEqual(end);
  expect(positions.clearTo(['senml'], { segment: 3, offset: 599 })).toBeUndefined();
  expect(positions.clearTo(['senml'], { segment: 3, offset: 600 })).toEqual(end);
});

it('a segment is needed as long as one of the sinks needs it', () => {
  const positions = createPositions(2);
  positions.release(0, 5);
  expect(positions.oldestNeeded()).toBe(0);
  positions.release(1, 3);
  expect(positions.oldestNeeded()).toBe(3);
  positions.release(1, 7);
  expect(positions.oldestNeeded()).toBe(5);
});

it('tells of damage once, whichever sink finds it first, and counts what it took', () => {
  const positions = createPositions(2);
  const other = sharedPositions(positions.buffer);
  const at = (offset: number) => ({ segment: 1, offset });
  expect(positions.noteDamage(at(64), 2)).toBe(true);
  expect(other.noteDamage(at(64), 2)).toBe(false);
  expect(other.noteDamage(at(256), 1)).toBe(true);
  expect(positions.noteDamage(at(256), 1)).toBe(false);
  expect(positions.lostFrames()).toBe(3);
});

it('a sink of several formats is woken by each of them, and clear of none that follows', async () => {
  const positions = createPositions(1);
  const formats = ['senml', 'json'] as const;
  const wakes = positions.wakes(formats);
  positions.commit({ segment: 1, offset: 64 }, ['json']);
  expect(positions.wakes(formats)).toBe(wakes + 1);
  expect(positions.clearTo(formats, { segment: 1, offset: 0 })).toBeUndefined();
  expect(positions.clearTo(formats, { segment: 1, offset: 64 })).toEqual({
    segment: 1,
    offset: 64,
  });
});
