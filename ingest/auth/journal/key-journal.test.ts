import pino from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { KeyJournal } from './key-journal.ts';
import { parseSnapshot } from './snapshot.ts';
import type { JournalPage } from './sql.ts';

/** Of a thing's org. */
const place = 'a0f3c6d2'.repeat(4);

it('takes what was read for stale until it saw each change, in whatever order they were committed', async () => {
  // Transaction 101 is committed before 100, which began first.
  const pages: JournalPage[] = [
    {
      snapshot: parseSnapshot('100:102:100'),
      changes: [{ lookup: place, xid: 101n }],
      end: undefined,
    },
    {
      snapshot: parseSnapshot('102:102:'),
      changes: [{ lookup: place, xid: 100n }],
      end: undefined,
    },
  ];
  const changed: string[] = [];
  const journal = new KeyJournal({
    load: async () =>
      pages.shift() ?? { snapshot: parseSnapshot('102:102:'), changes: [], end: undefined },
    times: {
      pollMs: 60_000,
      restAfterMs: 60_000,
      restMs: 60_000,
      freshMsMax: 60_000,
      gapMsMax: 60_000,
      rememberMs: 60_000,
    },
    logger: pino({ level: 'silent' }),
    onChange: (lookup) => changed.push(lookup),
    onGap: () => undefined,
  });
  await journal.start();
  const between = parseSnapshot('100:102:100');
  expect(journal.isCurrent(place, between)).toBe(true);
  await journal.poll();
  expect(changed).toEqual([place, place]);
  expect(journal.isCurrent(place, between)).toBe(false);
  expect(journal.isCurrent(place, parseSnapshot('102:102:'))).toBe(true);
  await journal.stop();
});

it('rests while it is not used, and has what was changed meanwhile before it is used again', async () => {
  const changes: JournalPage['changes'] = [];
  const journal = new KeyJournal({
    load: async () => ({ snapshot: parseSnapshot('102:102:'), changes, end: undefined }),
    times: {
      pollMs: 1,
      restAfterMs: 10,
      restMs: 600_000,
      freshMsMax: 60_000,
      gapMsMax: 600_000,
      rememberMs: 60_000,
    },
    logger: pino({ level: 'silent' }),
    onChange: () => undefined,
    onGap: () => undefined,
  });
  await journal.start();
  await eventually(() => journal.isResting);
  changes.push({ lookup: place, xid: 101n });
  expect(journal.use()).toBe(false);
  expect(journal.isCurrent(place, parseSnapshot('100:101:'))).toBe(true);
  await journal.catchUp();
  expect(journal.use()).toBe(true);
  expect(journal.isCurrent(place, parseSnapshot('100:101:'))).toBe(false);
  await journal.stop();
});

it('does not rest where it can not be read', async () => {
  let loads = 0;
  const journal = new KeyJournal({
    load: () => {
      loads += 1;
      return loads === 1
        ? Promise.resolve({ snapshot: parseSnapshot('102:102:'), changes: [], end: undefined })
        : Promise.reject(new Error('away'));
    },
    times: {
      pollMs: 1,
      restAfterMs: 50,
      restMs: 600_000,
      freshMsMax: 20,
      gapMsMax: 600_000,
      rememberMs: 60_000,
    },
    logger: pino({ level: 'silent' }),
    onChange: () => undefined,
    onGap: () => undefined,
  });
  await journal.start();
  await eventually(() => loads > 100);
  expect(journal.isResting).toBe(false);
  await journal.stop();
});

describe('while Postgres is away', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const hourMs = 3_600_000;

  it.each([
    ['goes on', 0],
    ['is set back', -2 * hourMs],
    ['is set forward', 2 * hourMs],
  ])(
    'what is remembered is not fresh, and dropped after it was away for long: the clock %s',
    async (_, jumpMs) => {
      vi.useFakeTimers();
      let isAway = false;
      let gaps = 0;
      const journal = new KeyJournal({
        load: () =>
          isAway
            ? Promise.reject(new Error('away'))
            : Promise.resolve({ snapshot: parseSnapshot('102:102:'), changes: [], end: undefined }),
        times: {
          pollMs: 200,
          restAfterMs: 24 * hourMs,
          restMs: 2_000,
          freshMsMax: 1_000,
          gapMsMax: 300_000,
          rememberMs: hourMs,
        },
        logger: pino({ level: 'silent' }),
        onChange: () => undefined,
        onGap: () => (gaps += 1),
      });
      await journal.start();
      expect(journal.isFresh()).toBe(true);
      isAway = true;
      vi.setSystemTime(Date.now() + jumpMs);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(journal.isFresh()).toBe(false);
      await vi.advanceTimersByTimeAsync(400_000);
      isAway = false;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(journal.isFresh()).toBe(true);
      expect(gaps).toBe(1);
      await journal.stop();
    },
  );
});
