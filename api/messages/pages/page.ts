import type { Budgets } from '../../../infra/runtime/budgets/budgets.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import type { Caller } from '../../access/caller.ts';
import { withTimes, type WithTimes } from '../../http/query/time.ts';
import { aggregationOf } from '../aggregates/aggregation.ts';
import { readBuckets } from '../aggregates/buckets.ts';
import { readChartPoints } from '../aggregates/downsampling.ts';
import { isUnfiltered, whereOf } from '../query/conditions.ts';
import type { Where } from '../query/where.ts';
import {
  isEmpty,
  isOneThing,
  type Reach,
  type ReachDependencies,
  reachOf,
} from '../reach/reach.ts';
import { openStore, type Store, type StoreDependencies, takeTurn } from '../store/store.ts';
import { type PageCursor, PageEnd, readCursor } from './cursor.ts';
import { readLatest } from './latest.ts';
import {
  countMessages,
  findNewest,
  guessedMessagesMax,
  newestPublishersMax,
  type PageSource,
  type PlacedText,
  readMessages,
  readMessagesOfOne,
  startAt,
} from './sql.ts';

/** A page of messages, or of buckets, on its way to the client. */
export type ReaderPage = {
  /** How many messages there are in all. */
  total: string;
  /** The cursor of the next page, if this one was already read to its end. */
  next: string | undefined;
  /** JSON texts with commas between; returns the cursor of the next page. */
  texts: AsyncGenerator<string, string | undefined>;
  /** Must be called, even if the page was not read. */
  close: () => void;
};

export type PageDependencies = ReachDependencies & StoreDependencies & { budgets: Budgets };

/**
 * Reads a page when it is the caller's turn, which lasts until ClickHouse has nothing left to send for it.
 *
 * @throws DomainError `malformed`, `forbidden`, `not_found` as the query says; `too_many`, `unavailable`.
 */
export async function readPage(
  dependencies: PageDependencies,
  format: MessageFormat,
  caller: Caller,
  query: ReaderQuery,
  signal: AbortSignal,
): Promise<ReaderPage> {
  const lease = await takeTurn(dependencies.budgets.reads, caller, signal);
  try {
    const { isWhole, ...page } = await startPage(dependencies, format, caller, query, signal);
    if (isWhole) lease.release();
    const close = () => {
      page.close();
      lease.release();
    };
    return { ...page, close };
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** `isWhole`: all of it is in memory. */
type StartedPage = ReaderPage & { isWhole: boolean };

async function startPage(
  dependencies: ReachDependencies & StoreDependencies,
  format: MessageFormat,
  caller: Caller,
  given: ReaderQuery,
  signal: AbortSignal,
): Promise<StartedPage> {
  const store = openStore(dependencies, signal);
  const cursor = given.cursor === undefined ? undefined : readCursor(format, given.cursor);
  const query = { ...withTimes(given), dir: cursor?.dir ?? given.dir };
  const { points } = query;
  const isLatest = query.latest === true;
  const aggregation = points === undefined && !isLatest ? aggregationOf(format, query) : undefined;
  const reach = await reachOf(dependencies, caller, query.publisher, 'viewer');
  const where = whereOf(format, query, reach);
  if (isEmpty(reach)) return wholePage('0', []);
  if (isLatest) {
    const texts = await readLatest(store, format, where, query);
    return wholePage(String(texts.length), texts);
  }
  if (aggregation !== undefined) {
    const { total, texts } = await readBuckets(store, format, where, aggregation, query);
    return wholePage(total, texts);
  }
  if (points !== undefined) {
    const texts = await readChartPoints(store, format, where, { ...query, points });
    return wholePage(String(texts.length), texts);
  }
  return startMessages(store, format, where, { query, reach, cursor });
}

/** The request for a page of messages. */
type PageRequest = { query: WithTimes<ReaderQuery>; reach: Reach; cursor: PageCursor | undefined };

async function startMessages(
  store: Store,
  format: MessageFormat,
  where: Where,
  request: PageRequest,
): Promise<StartedPage> {
  const { query, cursor } = request;
  const { source, total } = await findSource(store, format, where, request);
  // Without filters the projection knows the number at once; else both take their time side by side.
  const isBeside = total === undefined && isUnfiltered(query);
  const counting =
    total === undefined && !isBeside ? countMessages(store, format, where) : undefined;
  // Awaited below. Until then its failure must not count as unhandled.
  counting?.catch(() => undefined);
  const offset = query.offset + (cursor?.given ?? 0);
  const range = { ...query, offset };
  const counted = isBeside ? where : undefined;
  const { messages, close } = isGuessed(request)
    ? await readMessagesOfOne(store, format, where, range)
    : await readMessages(store, format, source, range, counted);
  try {
    const end = new PageEnd(query, cursor);
    const { held, rest, total: beside } = await hold(messages, end);
    const inAll =
      total ?? (await counting) ?? beside ?? (await countMessages(store, format, where));
    const isWhole = rest === undefined;
    const next = isWhole ? end.next() : undefined;
    return { total: inAll, next, close, isWhole, texts: textsOf(held, rest, end) };
  } catch (error) {
    close();
    throw error;
  }
}

/** The source of a page's messages, and the total, if it was found at the same time. */
async function findSource(
  store: Store,
  format: MessageFormat,
  where: Where,
  { query, reach, cursor }: PageRequest,
): Promise<{ source: PageSource; total?: string }> {
  if (cursor !== undefined) return { source: startAt(format, where, cursor) };
  const reached = query.limit + query.offset;
  return isUnfiltered(query) && !isOneThing(reach) && reached <= newestPublishersMax
    ? findNewest(store, format, where, { dir: query.dir, reached })
    : { source: { where } };
}

/** Whether how often a thing has sent tells about where this page ends. */
function isGuessed({ query, reach, cursor }: PageRequest): boolean {
  const isShort = query.limit + query.offset <= guessedMessagesMax;
  return cursor === undefined && isShort && isUnfiltered(query) && isOneThing(reach);
}

/** How much of a page is held before its head is sent, so that the head can name the next page. */
const heldCharsMax = 4 * 1024 * 1024;

/** Reads until the page ends or enough is held. `rest` is what is not read yet; `total` stands in the first row. */
async function hold(messages: AsyncIterable<PlacedText>, end: PageEnd) {
  const source = messages[Symbol.asyncIterator]();
  const held: string[] = [];
  let total: string | undefined;
  for (let chars = 0; chars < heldCharsMax; ) {
    const step = await source.next();
    if (step.done === true) return { held, rest: undefined, total };
    total ??= step.value.total;
    held.push(textIn(step.value, end));
    chars += step.value.text.length;
  }
  return { held, rest: source, total };
}

async function* textsOf(
  held: string[],
  rest: AsyncIterator<PlacedText> | undefined,
  end: PageEnd,
): AsyncGenerator<string, string | undefined> {
  yield held.join('');
  for (let step = await rest?.next(); step !== undefined && step.done !== true; ) {
    yield textIn(step.value, end);
    step = await rest?.next();
  }
  return end.next();
}

/** A message's text for the page; its place is noted for the cursor. */
function textIn({ place, text }: PlacedText, end: PageEnd): string {
  end.pass(place);
  return end.count === 1 ? text : `,${text}`;
}

function wholePage(total: string, texts: readonly string[]): StartedPage {
  async function* all(): AsyncGenerator<string, undefined> {
    yield texts.join(',');
  }
  return { total, next: undefined, close: () => undefined, isWhole: true, texts: all() };
}
