import type { Budgets } from '../../infra/runtime/budgets/budgets.ts';
import type { ReadAsked } from '../../schemas/messages/query.ts';
import type { Caller } from '../access/caller.ts';
import { aggregationOf, readBuckets } from './aggregates/aggregates.ts';
import { isUnfiltered, selectMessages, type Where } from './query/conditions.ts';
import type { MessageFormat } from '../../schemas/messages/tables.ts';
import { countMessages, type PlacedText, readMessages } from './query/messages.ts';
import { readPoints } from './aggregates/points.ts';
import { publishersMax, selectNewest } from './query/newest.ts';
import {
  type Cursor,
  readCursor,
  samePlace,
  type Start,
  startAt,
  writeCursor,
} from './query/order.ts';
import { isEmpty, type Reach, type ReachParts, reachOf } from './reach/reach.ts';
import { openStore, type Store, type StoreParts } from './store/store.ts';
import { takeTurn } from './store/turn.ts';

/** A page: how many messages there are in all, and those asked for as JSON text with commas between. */
export type Page = {
  total: string;
  /** The cursor behind a page that is held whole. */
  next: string | undefined;
  /** The messages, and last the cursor behind them. */
  texts: AsyncGenerator<string, string | undefined>;
  /** To be called, read or not. */
  close: () => void;
};

/** What of a page is held before its head is sent, so that the head can name the next one. */
const heldCharsMax = 4 * 1024 * 1024;

export type PageParts = ReachParts & StoreParts & { budgets: Budgets };

/**
 * Reads a page when it is the caller's turn, which lasts until nothing is left to be read for it.
 *
 * @throws DomainError `malformed`, `forbidden`, `not_found` as the query says; `too_many`, `unavailable`.
 */
export async function readPage(
  parts: PageParts,
  format: MessageFormat,
  caller: Caller,
  given: ReadAsked,
  signal: AbortSignal,
): Promise<Page> {
  const lease = await takeTurn(parts.budgets.reads, caller, signal);
  let page;
  try {
    page = await startPage(parts, format, caller, given, signal);
  } catch (error) {
    lease.release();
    throw error;
  }
  const { isWhole, close } = page;
  if (isWhole) lease.release();
  return {
    ...page,
    close: () => {
      close();
      lease.release();
    },
  };
}

async function startPage(
  parts: ReachParts & StoreParts,
  format: MessageFormat,
  caller: Caller,
  given: ReadAsked,
  signal: AbortSignal,
): Promise<Page & { isWhole: boolean }> {
  const store = openStore(parts, signal);
  const cursor = given.cursor === undefined ? undefined : readCursor(format, given.cursor);
  const asked = { ...given, dir: cursor?.dir ?? given.dir };
  const { points } = asked;
  const aggregation = points === undefined ? aggregationOf(format, asked) : undefined;
  const reach = await reachOf(parts, caller, asked.publisher, 'viewer');
  const all = selectMessages(format, asked, reach);
  if (isEmpty(reach)) return pageOf('0', []);
  if (aggregation !== undefined) {
    const { total, texts } = await readBuckets(store, format, all, aggregation, asked);
    return pageOf(total, texts);
  }
  if (points !== undefined) {
    const texts = await readPoints(store, format, all, { ...asked, points });
    return pageOf(String(texts.length), texts);
  }
  const { limit, dir } = asked;
  const offset = asked.offset + (cursor?.given ?? 0);
  const page = await selectPage(store, format, asked, reach, cursor);
  const counting = page.total ?? countMessages(store, format, all);
  // Whoever waits for it below hears of its failure; until then it is no one's.
  if (typeof counting !== 'string') counting.catch(() => undefined);
  const { messages, close } = await readMessages(store, format, page.where, {
    limit,
    offset,
    dir,
    start: page.start,
  });
  try {
    const total = await counting;
    const walk = new Walk(asked, cursor);
    const { held, rest } = await hold(messages, walk);
    const next = rest === undefined ? walk.next() : undefined;
    return { total, next, close, isWhole: rest === undefined, texts: textsOf(held, rest, walk) };
  } catch (error) {
    close();
    throw error;
  }
}

/** What a page is read from; `total` where that is known with it. */
type Selected = { where: Where; start?: Start | undefined; total?: string };

async function selectPage(
  store: Store,
  format: MessageFormat,
  asked: ReadAsked,
  reach: Reach,
  cursor: Cursor | undefined,
): Promise<Selected> {
  const reached = asked.limit + asked.offset;
  if (isUnfiltered(asked) && cursor === undefined && !isOne(reach) && reached <= publishersMax) {
    return selectNewest(store, format, reach, asked.dir, reached);
  }
  const where = selectMessages(format, asked, reach);
  const start = cursor === undefined ? undefined : startAt(format, where, cursor);
  return { where, start };
}

const isOne = (reach: Reach) =>
  reach !== 'all' && 'publishers' in reach && reach.publishers.length === 1;

function pageOf(total: string, texts: string[]): Page & { isWhole: true } {
  const joined = [texts.join(',')];
  return { total, next: undefined, close: () => undefined, isWhole: true, texts: textsOf(joined) };
}

async function hold(messages: AsyncIterable<PlacedText>, walk: Walk) {
  const source = messages[Symbol.asyncIterator]();
  const held: string[] = [];
  for (let chars = 0; chars < heldCharsMax; ) {
    const step = await source.next();
    if (step.done === true) return { held, rest: undefined };
    held.push(walk.pass(step.value));
    chars += step.value.text.length;
  }
  return { held, rest: source };
}

async function* textsOf(
  held: string[],
  rest?: AsyncIterator<PlacedText>,
  walk?: Walk,
): AsyncGenerator<string, string | undefined> {
  yield held.join('');
  if (walk === undefined) return undefined;
  for (let step = await rest?.next(); step !== undefined && step.done !== true; ) {
    yield walk.pass(step.value);
    step = await rest?.next();
  }
  return walk.next();
}

/** Follows a page to know where it ends. */
class Walk {
  readonly #asked: ReadAsked;
  readonly #cursor: Cursor | undefined;
  #count = 0;
  #last: readonly string[] = [];
  #same = 0;

  constructor(asked: ReadAsked, cursor: Cursor | undefined) {
    this.#asked = asked;
    this.#cursor = cursor;
  }

  pass({ place, text }: PlacedText): string {
    this.#same = samePlace(place, this.#last) ? this.#same + 1 : 1;
    this.#last = place;
    this.#count += 1;
    return this.#count === 1 ? text : `,${text}`;
  }

  /** A page that is not full is the last. */
  next(): string | undefined {
    if (this.#count < this.#asked.limit) return undefined;
    const { dir, offset } = this.#asked;
    const before = this.#cursor ?? { place: [], given: 0 };
    if (this.#same < this.#count) {
      return writeCursor({ dir, place: [...this.#last], given: this.#same });
    }
    // A page that lies within one place does not know how many of it stood before: it is counted on from
    // where that is known.
    if (offset > 0) {
      return writeCursor({ dir, place: before.place, given: before.given + offset + this.#count });
    }
    const given = samePlace(before.place, this.#last) ? before.given + this.#same : this.#same;
    return writeCursor({ dir, place: [...this.#last], given });
  }
}
