import { dayOf, type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { timeBound, whereOf } from '../query/conditions.ts';
import type { MessageText } from '../query/message-text.ts';
import { type Direction, orderBy, placeColumns, tieOf } from '../query/order.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';
import { isFromFirst, type PageCursor, PageEnd, type PageRange } from './cursor.ts';

/** How many messages there are. Uses the projection `totals`, or on the sort key. */
export function countMessages(store: Store, format: MessageFormat, where: Where): Promise<string> {
  return store.text(countOf(format, where), where.bound);
}

function countOf(format: MessageFormat, where: Where): string {
  return `SELECT count() FROM ${messageTables[format].name} WHERE ${where.text}`;
}

/** A page: all messages that it may have, the cursor it starts from, and its range, whose offset counts from there. */
type PageRequest = { all: Where; from: PageCursor | undefined; range: WrittenRange };

/** The range of a page, and how each of its messages is written. */
type WrittenRange = PageRange & { written: MessageText };

/** The conditions of a page's messages, and where the page starts. */
type PageSource = { where: Where; start?: PageStart | undefined };

/** `time` is the placeholder of the cursor's time; `isReached` leaves out messages before the cursor at that time. */
type PageStart = { time: string; isReached: string };

/** Looking at more publishers than this takes longer than reading the days that hold their messages. */
export const newestPublishersMax = 200;

/**
 * Finds which publishers may have the first `reached` of all these messages, and how many messages there are in all.
 * At most `reached` publishers can: those whose own first message comes first. Uses the projection
 * `totals`.
 */
export async function findNewest(
  store: Store,
  format: MessageFormat,
  all: Where,
  { dir, reached }: { dir: Direction; reached: number },
): Promise<{ newest: Newest; total: string }> {
  const { name, time } = messageTables[format];
  const { direction, first, upTo } = directions[dir];
  const text = await store.text(
    `SELECT publisher, ${first}(${time}), sum(count()) OVER () FROM ${name} WHERE ${all.text}
     GROUP BY publisher ORDER BY ${first}(${time}) ${direction}, publisher ${direction}
     LIMIT {reached:UInt64}
     -- As the projection is sorted: a large reach needs no table of its publishers.
     SETTINGS optimize_aggregation_in_order = 1`,
    { ...all.bound, reached },
  );
  const rows = text.split('\n').map((line) => line.split('\t'));
  const publishers = rows.map(([publisher = '']) => publisher).filter((id) => id !== '');
  const where = whereOf(format, {}, { kind: 'publishers', publishers });
  const last = publishers.length === reached ? rows.at(-1)?.[1] : undefined;
  if (last !== undefined) where.add(timeBound(format, upTo, where.bind('Int64', last)));
  return { newest: { where, isPart: last !== undefined }, total: rows[0]?.[2] ?? '0' };
}

/** The condition that finds the newest messages. `isPart`: there may be more. */
type Newest = { where: Where; isPart: boolean };

/** A direction of time in SQL: functions for the first and the last, and comparisons. */
export const directions = {
  asc: { direction: 'ASC', first: 'min', last: 'max', upTo: '<=', from: '>=', after: '>' },
  desc: { direction: 'DESC', first: 'max', last: 'min', upTo: '>=', from: '<=', after: '<' },
} as const;

/**
 * Leaves out all messages before a cursor's place. Those at the place itself stay: the page's offset skips `given` of
 * them.
 */
function startAt(format: MessageFormat, all: Where, from: PageCursor | undefined): PageSource {
  if (from === undefined || isFromFirst(from)) return { where: all };
  const where = all.copy();
  const after = directions[from.dir].from;
  const types = placeTypes[format];
  const [time = '', ...values] = from.place.map((value, at) =>
    where.bind(types[at] ?? 'String', value),
  );
  where.add(timeBound(format, after, time));
  const [timeColumn, ...columns] = placeColumns(format);
  const isReached = `(${timeColumn} != ${time} OR (${columns.join(', ')}) ${after} (${values.join(', ')}))`;
  return { where, start: { time, isReached } };
}

/** The types of a place's columns. */
const placeTypes: Readonly<Record<MessageFormat, readonly string[]>> = {
  senml: ['Int64', 'UUID', 'String', 'UInt64'],
  json: ['Int64', 'UUID', 'UInt64'],
};

/** A message as JSON text, its place in the order, and how many there are in all, where that was asked with it. */
export type PlacedText = { place: string[]; text: string; total: string | undefined };

/** The messages of a page as they come. Must be closed, even if not read. */
export type MessageTexts = { messages: AsyncIterable<PlacedText>; close: () => void };

/**
 * Reads one page. First only times are read, day by day, until there are enough for the page; then whole messages, up
 * to the last of these times. Uses the sort key. If the page `counts`, the total stands beside each message: one
 * statement reads all from one snapshot of the table, and a second one would cost as much again.
 */
export async function readMessages(
  store: Store,
  format: MessageFormat,
  page: PageRequest,
  { newest, counts }: { newest?: Newest | undefined; counts: boolean },
): Promise<MessageTexts> {
  const { all, range, from } = page;
  const { limit, offset } = range;
  const source = startAt(format, newest?.where ?? all, from);
  const { where } = source;
  const known = await findLastTimeWithinDay(store, format, source, range);
  const lastTime =
    known === undefined ? lastTimeOf(format, source, range) : where.bind('Int64', known);
  const total = counts ? `(${countOf(format, all)})` : undefined;
  const { batches, close } = await store.lines(
    pageStatement(format, source, range, [`${lastTime} AS last`], total),
    {
      ...all.bound,
      ...where.bound,
      ...range.written.bound,
      limit,
      offset,
      reached: limit + offset,
    },
  );
  const isPart = newest?.isPart === true || known !== undefined;
  const first = { messages: placed(format, batches, counts), close };
  return withRest(store, format, page, { ...first, isPart });
}

/** Pages that reach further are not guessed: what a guess has too many of is sorted with it. */
export const guessedMessagesMax = 1_000;
/**
 * Things do not send evenly, and a guess that has too few costs another statement. What it has too many of costs
 * little: it mostly stands in the same granules.
 */
const guessedMore = 200;

/**
 * Reads one page of one thing, which is unfiltered. Where its last time is comes from how often the thing has sent in
 * all, which the projection `totals` knows: looking for that time costs as much as the messages themselves. The total
 * stands beside each message.
 */
export async function readMessagesOfOne(
  store: Store,
  format: MessageFormat,
  page: Omit<PageRequest, 'from'>,
): Promise<MessageTexts> {
  const { all, range } = page;
  const { limit, offset } = range;
  const { batches, close } = await store.lines(
    `${pageStatement(format, { where: all }, range, guessOf(format, all, range), 'totals.1')}
     -- So few rows are read by one thread sooner than they are given to two, and in any order.
     SETTINGS max_threads = 1, optimize_read_in_order = 0`,
    { ...all.bound, ...range.written.bound, limit, offset, reached: limit + offset },
  );
  const first = { messages: placed(format, batches, true), close, isPart: true };
  return withRest(store, format, { ...page, from: undefined }, first);
}

/**
 * A page, and what its statement did not find: where it was guessed too short, or where messages were deleted after
 * another statement had found them. `isPart`: the statement looked at a part only, so that a page that is not full may
 * not be the last one.
 */
function withRest(
  store: Store,
  format: MessageFormat,
  { all, from, range }: PageRequest,
  { messages, close, isPart }: MessageTexts & { isPart: boolean },
): MessageTexts {
  let closeOpen = close;

  async function* both(): AsyncGenerator<PlacedText> {
    // The range's offset counts from the cursor's place, with what was given there.
    const end = new PageEnd(range, from && { ...from, given: 0 });
    let total: string | undefined;
    for await (const message of messages) {
      total ??= message.total;
      end.pass(message.place);
      yield message;
    }
    const left = range.limit - end.count;
    const isLast =
      total !== undefined && isFromFirst(from)
        ? range.offset + end.count >= Number(total)
        : !isPart;
    if (left === 0 || isLast) return;
    const next = end.count === 0 ? from : end.cursor();
    const offset = end.count === 0 ? range.offset : (next?.given ?? 0);
    const page = { all, from: next, range: { ...range, limit: left, offset } };
    const rest = await readMessages(store, format, page, { counts: total === undefined });
    closeOpen = rest.close;
    yield* rest.messages;
  }

  return { messages: both(), close: () => closeOpen() };
}

/** The number, the first and the last time of all these messages; from them, a time that a page may end at. */
function guessOf(format: MessageFormat, where: Where, { dir }: PageRange): string[] {
  const { name, time } = messageTables[format];
  const from = dir === 'asc' ? 'totals.2 +' : 'totals.3 -';
  return [
    `(SELECT (count(), min(${time}), max(${time})) FROM ${name} WHERE ${where.text}) AS totals`,
    `intDiv(totals.3 - totals.2, greatest(totals.1, 1)) AS step`,
    `${from} 2 * ({reached:UInt64} + ${guessedMore}) * step AS last`,
  ];
}

/** `named` has the time `last`. Each message's place and, where it is given, the total stand before its text. */
function pageStatement(
  format: MessageFormat,
  { where, start }: PageSource,
  { dir, written }: WrittenRange,
  named: readonly string[],
  total: string | undefined,
): string {
  const { name, time, day } = messageTables[format];
  const { upTo } = directions[dir];
  const place = placeColumns(format).map((column) => writtenColumns[column] ?? column);
  const columns = [...place, ...(total === undefined ? [] : [total])];
  return `
    WITH ${[...named, tieOf[format]].join(', ')}
    SELECT ${columns.join(', ')}, ${written.sql}
    FROM ${name}
    WHERE ${day} ${upTo} ${dayOf('last')} AND ${time} ${upTo} last AND ${where.text}
          AND ${start?.isReached ?? 'true'}
    ORDER BY ${orderBy(format, dir)}
    LIMIT {limit:UInt64} OFFSET {offset:UInt64}`;
}

/** The last time on the page; null if there are fewer messages than the page may have. */
function lastTimeOf(
  format: MessageFormat,
  { where, start }: PageSource,
  { dir }: PageRange,
): string {
  const { name, time, day } = messageTables[format];
  const { direction, last } = directions[dir];
  return `
    ifNull((SELECT ${last}OrNull(place) FROM (
      SELECT ${time} AS place FROM ${name} WHERE ${where.text} AND ${isAfter(format, start, dir)}
      ORDER BY ${day} ${direction}, ${time} ${direction}
      LIMIT {reached:UInt64})), ${start?.time ?? 0})`;
}

/** The same, searched only in the day of the cursor; undefined if the page goes on after that day. */
async function findLastTimeWithinDay(
  store: Store,
  format: MessageFormat,
  { where, start }: PageSource,
  { limit, offset, dir }: PageRange,
): Promise<string | undefined> {
  if (start === undefined) return undefined;
  const { name, time, day } = messageTables[format];
  const { direction, last } = directions[dir];
  const reached = limit + offset;
  const text = await store.text(
    `SELECT ${last}(place), count() FROM (
       SELECT ${time} AS place FROM ${name}
       WHERE ${day} = ${dayOf(start.time)} AND ${where.text} AND ${isAfter(format, start, dir)}
       ORDER BY ${time} ${direction} LIMIT {reached:UInt64})`,
    { ...where.bound, reached },
  );
  const [place, count] = text.split('\t');
  return Number(count) === reached ? place : undefined;
}

/** Only times after the cursor's own: messages at that time may stand before the cursor. */
function isAfter(format: MessageFormat, start: PageStart | undefined, dir: Direction): string {
  if (start === undefined) return 'true';
  return `${messageTables[format].time} ${directions[dir].after} ${start.time}`;
}

/** A name may hold anything, if it came from a restored file. As JSON text it holds no raw tab or line end. */
export const writtenColumns: Readonly<Record<string, string>> = { name: 'toJSONString(name)' };

/** A line has the columns of a place, the total if it was asked, and the message's text, with tabs between. */
export async function* placed(
  format: MessageFormat,
  batches: AsyncIterable<string[]>,
  hasTotal: boolean,
): AsyncGenerator<PlacedText> {
  const names = placeColumns(format);
  const columns = names.length + (hasTotal ? 1 : 0);
  const nameAt = names.indexOf('name');
  for await (const lines of batches) {
    for (const line of lines) {
      const place = line.split('\t', columns);
      const text = line.slice(place.join('\t').length + 1);
      const total = hasTotal ? place.pop() : undefined;
      const name = place[nameAt];
      if (name !== undefined) place[nameAt] = String(JSON.parse(name));
      yield { place, text, total };
    }
  }
}
