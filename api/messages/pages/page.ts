import type { Budgets } from '../../budgets/budgets.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import type { Caller } from '../../access/caller.ts';
import { withTimes, type WithTimes } from '../../http/query/time.ts';
import { aggregationOf } from '../aggregates/aggregation.ts';
import { readBuckets } from '../aggregates/buckets.ts';
import { readChartPoints } from '../aggregates/downsampling.ts';
import { chosenColumns } from '../columns/chosen.ts';
import { pageText } from '../columns/text.ts';
import { isUnfiltered, whereOf } from '../query/conditions.ts';
import type { MessageText } from '../query/message-text.ts';
import type { Where } from '../query/where.ts';
import {
  isEmpty,
  isOneThing,
  type Reach,
  type ReachDependencies,
  reachOf,
} from '../reach/reach.ts';
import { openStore, type Store, type StoreDependencies, takeTurn } from '../store/store.ts';
import { comparedOf, readChanges } from './changes.ts';
import { type PageCursor, PageEnd, readCursor } from './cursor.ts';
import { readLatest } from './latest.ts';
import {
  countMessages,
  findNewest,
  guessedMessagesMax,
  type MessageTexts,
  newestPublishersMax,
  type PlacedText,
  readMessages,
  readMessagesOfOne,
} from './sql.ts';
import { isTold, boundedTotal } from '../query/total.ts';

/** A page of messages, or of buckets, on its way to the client. */
export type ReaderPage = {
  /** The cursor of the next page, if this one was already read to its end. */
  next: string | undefined;
  /** JSON texts with commas between; returns what is known at their end. */
  texts: AsyncGenerator<string, Ending>;
  /** Must be called, even if the page was not read. */
  close: () => void;
};

/** The end of a page: the number of messages in all, the cursor of the next page, and of changes the usual step in seconds. */
export type Ending = { total: number; next: string | undefined; usualStep?: string | undefined };

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
  const asked = { ...withTimes(given), dir: cursor?.dir ?? given.dir };
  const { points } = asked;
  const isLatest = asked.latest === true;
  const compared = asked.changes === true && !isLatest ? comparedOf(format, asked) : undefined;
  const isOfMessages = points !== undefined || isLatest || compared !== undefined;
  const aggregation = isOfMessages ? undefined : aggregationOf(format, asked);
  const columns = chosenColumns(format, asked.columns, {
    fields: aggregation?.fields,
    isFile: false,
  });
  const query = { ...asked, written: pageText(format, columns) };
  const reach = await reachOf(dependencies, caller, query.publisher, 'viewer');
  if (compared !== undefined && !isOneThing(reach)) {
    throw new DomainError('malformed', 'changes: are of one publisher');
  }
  const where = whereOf(format, query, reach);
  if (isEmpty(reach)) return allOf(0, []);
  if (isLatest) {
    const texts = await readLatest(store, format, where, query);
    return allOf(texts.length, texts);
  }
  if (aggregation !== undefined) {
    const page = columns === undefined ? { ...query, written: undefined } : query;
    const { total, texts } = await readBuckets(store, format, where, aggregation, page);
    return allOf(total, texts);
  }
  if (points !== undefined) {
    const texts = await readChartPoints(store, format, where, { ...query, points });
    return allOf(texts.length, texts);
  }
  return startMessages(store, format, where, { query, reach, cursor, compared });
}

/** The request for a page of messages. */
type PageRequest = {
  query: WithTimes<ReaderQuery> & { written: MessageText };
  reach: Reach;
  cursor: PageCursor | undefined;
  /** The series that is compared, if only changes are wanted. */
  compared: string | undefined;
};

async function startMessages(
  store: Store,
  format: MessageFormat,
  where: Where,
  request: PageRequest,
): Promise<StartedPage> {
  const { query, cursor } = request;
  const opened = await openMessages(store, format, where, request);
  const { messages, close, total, usualStep } = opened;
  try {
    const end = new PageEnd(query, cursor);
    const { held, rest, beside } = await hold(messages, end);
    const counted = total ?? beside;
    const ending = (count: string) => ({
      total: boundedTotal(end.extent(), Number(count)),
      next: end.next(),
      usualStep,
    });
    if (rest !== undefined) {
      const texts = textsOf(held, rest, end, () => ending(counted ?? '0'));
      return { texts, next: undefined, close, isWhole: false };
    }
    const isCounted = counted !== undefined || isTold(end.extent());
    const countAll = opened.count ?? (() => countMessages(store, format, where));
    const count = isCounted ? counted : await countAll();
    return { ...wholePage(held, ending(count ?? '0')), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The messages of a page. */
type OpenedMessages = MessageTexts & {
  /** How many there are in all, if another statement told. */
  total?: string;
  /** Counts them, where they are not all messages that match. */
  count?: () => Promise<string>;
  usualStep?: string | undefined;
};

async function openMessages(
  store: Store,
  format: MessageFormat,
  where: Where,
  request: PageRequest,
): Promise<OpenedMessages> {
  const { query, reach, cursor, compared } = request;
  const range = { ...query, offset: query.offset + (cursor?.given ?? 0) };
  if (compared !== undefined) {
    return readChanges(store, format, where, { compared, range, from: cursor });
  }
  if (isGuessed(request)) return readMessagesOfOne(store, format, { all: where, range });
  const page = { all: where, from: cursor, range };
  const reached = query.limit + query.offset;
  const isOfNewest = cursor === undefined && isUnfiltered(query) && !isOneThing(reach);
  if (!isOfNewest || reached > newestPublishersMax) {
    return readMessages(store, format, page, { counts: true });
  }
  // Counted before the messages are read: whatever it counts can be on the page.
  const { newest, total } = await findNewest(store, format, where, { dir: query.dir, reached });
  return { ...(await readMessages(store, format, page, { newest, counts: false })), total };
}

/** Whether the place where this page ends can be guessed from the rate at which its thing has sent. */
function isGuessed({ query, reach, cursor }: PageRequest): boolean {
  const isShort = query.limit + query.offset <= guessedMessagesMax;
  return cursor === undefined && isShort && isUnfiltered(query) && isOneThing(reach);
}

/** How much of a page is held before its head is sent, so that the head can name the next page. */
const heldCharsMax = 4 * 1024 * 1024;

/** Reads until the page ends or enough is held. `rest`: rows not read yet. `beside`: the total in the first row. */
async function hold(messages: AsyncIterable<PlacedText>, end: PageEnd) {
  const source = messages[Symbol.asyncIterator]();
  const held: string[] = [];
  let beside: string | undefined;
  for (let chars = 0; chars < heldCharsMax; ) {
    const step = await source.next();
    if (step.done === true) return { held, rest: undefined, beside };
    beside ??= step.value.total;
    held.push(textIn(step.value, end));
    chars += step.value.text.length;
  }
  return { held, rest: source, beside };
}

async function* textsOf(
  held: string[],
  rest: AsyncIterator<PlacedText>,
  end: PageEnd,
  ending: () => Ending,
): AsyncGenerator<string, Ending> {
  yield held.join(',');
  for (let step = await rest.next(); step.done !== true; step = await rest.next()) {
    yield `,${textIn(step.value, end)}`;
  }
  return ending();
}

/** A message's text for the page; its place is noted for the cursor. */
function textIn({ place, text }: PlacedText, end: PageEnd): string {
  end.pass(place);
  return text;
}

/** A page that nothing follows by a cursor. */
const allOf = (total: number, texts: readonly string[]) =>
  wholePage(texts, { total, next: undefined });

function wholePage(texts: readonly string[], ending: Ending): StartedPage {
  async function* all(): AsyncGenerator<string, Ending> {
    yield texts.join(',');
    return ending;
  }
  return { texts: all(), next: ending.next, close: () => undefined, isWhole: true };
}
