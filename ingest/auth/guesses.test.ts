import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Guesses } from './guesses.ts';

const network = '192.0.2.1';
let guesses: Guesses;

beforeEach(() => {
  vi.useFakeTimers();
  guesses = new Guesses({ perMinuteMax: 3, networksMax: 2 });
});

afterEach(() => {
  vi.useRealTimers();
});

async function guess(from: string): Promise<boolean> {
  const isAdmitted = await guesses.turn(from);
  if (isAdmitted) guesses.done(from, true);
  return isAdmitted;
}

describe('guesses from one network', () => {
  it('are so many a minute, and no other network has fewer for that', async () => {
    const answers = [];
    for (let at = 0; at < 5; at++) answers.push(await guess(network));
    expect(answers).toEqual([true, true, true, false, false]);
    expect(guesses.anySpent).toBe(true);
    expect(guesses.spentSeconds(network)).toBe(60);
    expect(await guess('192.0.2.2')).toBe(true);
    vi.advanceTimersByTime(60_000);
    expect(guesses.spentSeconds(network)).toBe(0);
    expect(guesses.anySpent).toBe(false);
    expect(await guess(network)).toBe(true);
  });

  it('are waited for a minute, however the clock is set meanwhile', async () => {
    for (let at = 0; at < 4; at++) await guess(network);
    vi.setSystemTime(Date.now() - 7_200_000);
    expect(guesses.spentSeconds(network)).toBe(60);
    vi.advanceTimersByTime(60_000);
    expect(await guess(network)).toBe(true);
  });

  it('are no more however many are tried at once', async () => {
    const turns = Array.from({ length: 100 }, () =>
      guesses.turn(network).then((isAdmitted) => {
        if (isAdmitted) guesses.done(network, true);
        return isAdmitted;
      }),
    );
    expect((await Promise.all(turns)).filter(Boolean)).toHaveLength(3);
  });

  it('are none where all are known, though a whole site comes at once', async () => {
    const turns = Array.from({ length: 100 }, () =>
      guesses.turn(network).then((isAdmitted) => {
        if (isAdmitted) guesses.done(network, false);
        return isAdmitted;
      }),
    );
    expect((await Promise.all(turns)).filter(Boolean)).toHaveLength(100);
    expect(guesses.anySpent).toBe(false);
  });

  it('are forgotten of the network counted first where there are too many', async () => {
    for (let at = 0; at < 3; at++) await guess(network);
    await guess('192.0.2.2');
    await guess('192.0.2.3');
    expect(guesses.spentSeconds(network)).toBe(0);
  });
});
