import { expect, it } from 'vitest';
import { createPositions, sharedPositions } from './positions.ts';

it('positions are the same in another thread, and a commit wakes it', async () => {
  const edge = createPositions(2);
  const sink = sharedPositions(edge.buffer);
  const wakes = sink.wakes();
  const woken = sink.untilWoken(wakes, 10_000);
  edge.extend('json', { segment: 3, offset: 8 });
  edge.extend('webhook', { segment: 3, offset: 16 });
  edge.commit({ segment: 3, offset: 4_000_000_000 });
  await woken;
  expect(sink.committed()).toEqual({ segment: 3, offset: 4_000_000_000 });
  expect(sink.endOf('senml')).toEqual({ segment: 0, offset: 0 });
  expect(sink.endOf('json')).toEqual({ segment: 3, offset: 8 });
  expect(sink.endOf('webhook')).toEqual({ segment: 3, offset: 16 });
  edge.awaitSaved({ segment: 3, offset: 16 });
  expect(sink.awaited()).toEqual({ segment: 3, offset: 16 });
  expect(sink.wakes()).toBe(wakes + 2);
});

it('a sink need not read frames of other formats, up to the last commit', () => {
  const positions = createPositions(1);
  const end = { segment: 3, offset: 800 };
  positions.extend('senml', { segment: 3, offset: 600 });
  positions.commit(end);
  expect(positions.clearTo('json', { segment: 0, offset: 0 })).toEqual(end);
  expect(positions.clearTo('senml', { segment: 3, offset: 599 })).toBeUndefined();
  expect(positions.clearTo('senml', { segment: 3, offset: 600 })).toEqual(end);
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
