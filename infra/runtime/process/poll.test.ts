import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Polled, startPolling } from './poll.ts';

/** A step that returns or throws these in turn, and then nothing; when each began. */
function stepOf(...results: (Polled | Error)[]) {
  const begunMs: number[] = [];
  const ended = Promise.withResolvers<void>();
  const step = async () => {
    begunMs.push(performance.now());
    const result = results.shift();
    if (result === undefined) ended.resolve();
    if (result instanceof Error) throw result;
    return result;
  };
  const pausesMs = () => begunMs.slice(1).map((atMs, at) => atMs - (begunMs[at] ?? 0));
  return { step, ended: ended.promise, begunMs, pausesMs };
}

it('runs the step at once, and again without a pause while there is more to do', async () => {
  const { step, ended, begunMs } = stepOf('more', 'more');
  const stop = startPolling(step, { everyMs: 60_000, onFailure: () => undefined });
  expect(begunMs).toHaveLength(1);
  await ended;
  await stop();
  expect(begunMs).toHaveLength(3);
});

it('pauses after a step that leaves nothing to do, and rests after one that found nothing', async () => {
  const { step, ended, pausesMs } = stepOf('some', 'nothing');
  const stop = startPolling(step, { everyMs: 30, restMs: 90, onFailure: () => undefined });
  await ended;
  await stop();
  const [afterSome, afterNothing] = pausesMs();
  expect(afterSome).toBeGreaterThan(25);
  expect(afterNothing).toBeGreaterThan(85);
});

it('reports the first of several failures in a row, and pauses for longer after each', async () => {
  const { step, ended, pausesMs } = stepOf(
    new Error('first'),
    new Error('second'),
    'some',
    new Error('third'),
  );
  const told: unknown[] = [];
  const stop = startPolling(step, {
    everyMs: 1,
    retryMs: 30,
    onFailure: (error) => told.push(error),
  });
  await ended;
  await stop();
  expect(told).toEqual([new Error('first'), new Error('third')]);
  const [first, second, , fourth] = pausesMs();
  for (const pauseMs of [first, second, fourth]) expect(pauseMs).toBeGreaterThan(25);
});

it('a stop waits for the step under way', async () => {
  const work = Promise.withResolvers<void>();
  const stop = startPolling(() => work.promise, { everyMs: 1, onFailure: () => undefined });
  const stopped = stop().then(() => 'stopped');
  expect(await Promise.race([stopped, setImmediate('under way')])).toBe('under way');
  work.resolve();
  expect(await stopped).toBe('stopped');
});

it('a stop cuts the pause short', async () => {
  const { step, ended, begunMs } = stepOf();
  const stop = startPolling(step, { everyMs: 60_000, onFailure: () => undefined });
  await ended;
  await stop();
  expect(begunMs).toHaveLength(1);
});
