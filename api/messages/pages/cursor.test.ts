import { describe, expect, it } from 'vitest';
import { PageEnd, readCursor, writeCursor } from './cursor.ts';

const publisher = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const place = (time: number) => [String(time), publisher, 'name', '7'];

/** The cursor after a page of messages of these times, with this query. */
function cursorAfter(
  times: number[],
  query: { limit: number; offset?: number },
  from?: { place: string[]; given: number },
) {
  const start = from === undefined ? undefined : { dir: 'desc' as const, ...from };
  const end = new PageEnd({ dir: 'desc', offset: 0, ...query }, start);
  for (const time of times) end.pass(place(time));
  const next = end.next();
  return next === undefined ? undefined : readCursor('senml', next);
}

describe('the cursor after a page', () => {
  it('is none where the page is not full', () => {
    expect(cursorAfter([3, 2], { limit: 3 })).toBeUndefined();
  });

  it('is the place of the last message, and how many of that place were given', () => {
    expect(cursorAfter([3, 2, 1], { limit: 3 })).toEqual({
      dir: 'desc',
      place: place(1),
      given: 1,
    });
    expect(cursorAfter([3, 1, 1], { limit: 3 })).toEqual({
      dir: 'desc',
      place: place(1),
      given: 2,
    });
  });

  it('counts on where a whole page has the place that the last one ended with', () => {
    const from = { place: place(1), given: 2 };
    expect(cursorAfter([1, 1], { limit: 2 }, from)?.given).toBe(4);
    expect(cursorAfter([0, 0], { limit: 2 }, from)).toEqual({
      dir: 'desc',
      place: place(0),
      given: 2,
    });
  });

  it('counts from where the page started, where an offset hides how many had its place before', () => {
    expect(cursorAfter([1, 1], { limit: 2, offset: 5 })).toEqual({
      dir: 'desc',
      place: [],
      given: 7,
    });
    const from = { place: place(1), given: 2 };
    expect(cursorAfter([1, 1], { limit: 2, offset: 5 }, from)?.given).toBe(9);
  });
});

describe('a cursor', () => {
  it('reads back as it was written', () => {
    const cursor = { dir: 'asc' as const, place: place(-5), given: 3 };
    expect(readCursor('senml', writeCursor(cursor))).toEqual(cursor);
  });

  it.each([
    ['no JSON', 'x'],
    ['of the other format', writeCursor({ dir: 'asc', place: place(1).slice(1), given: 1 })],
    [
      'with a time beyond 64 bits',
      writeCursor({ dir: 'asc', place: ['9'.repeat(19), ...place(1).slice(1)], given: 1 }),
    ],
    ['with no publisher', writeCursor({ dir: 'asc', place: ['1', 'x', 'n', '7'], given: 1 })],
    ['that counts nothing', writeCursor({ dir: 'asc', place: place(1), given: 0 })],
  ])('%s is refused', (_what, text) => {
    expect(() => readCursor('senml', text)).toThrow('cursor is not one of ours');
  });
});
