import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { uuidPattern } from '../../../schemas/http/common.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { findProblem } from '../../http/body.ts';
import { type Direction, isInt64, isUInt64, placeColumns } from '../query/order.ts';
import type { Extent } from '../query/total.ts';

/**
 * Where a page ended: the place of its last message, and how many messages with the same place were returned. Without
 * a place they are counted from the first message.
 */
const PageCursor = Type.Object({
  dir: Type.Enum(['asc', 'desc']),
  place: Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 4 }),
  given: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});
export type PageCursor = Static<typeof PageCursor>;

/** True if messages are counted from the first one, and not from a place. */
export const isFromFirst = (cursor: PageCursor | undefined) =>
  cursor === undefined || cursor.place.length === 0;

export function writeCursor(cursor: PageCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

const uuid = new RegExp(uuidPattern);

/** @throws DomainError `malformed` if the text is no cursor of this format. */
export function readCursor(format: MessageFormat, text: string): PageCursor {
  const cursor = parse(text);
  if (cursor === undefined || !isOfFormat(format, cursor.place)) {
    throw new DomainError('malformed', 'cursor is not one of ours');
  }
  return cursor;
}

function parse(text: string): PageCursor | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Value.Check(PageCursor, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOfFormat(format: MessageFormat, place: readonly string[]): boolean {
  if (place.length === 0) return true;
  const [time = '', publisher = ''] = place;
  return (
    place.length === placeColumns(format).length &&
    isInt64(time) &&
    uuid.test(publisher) &&
    isUInt64(place.at(-1) ?? '') &&
    findProblem(place) === undefined
  );
}

/** Which of the matching messages are on a page. */
export type PageRange = { limit: number; offset: number; dir: Direction };

/** Follows the messages of a page, for the cursor of the next one. */
export class PageEnd {
  readonly #query: PageRange;
  /** The cursor that this page started from. */
  readonly #from: PageCursor | undefined;
  #count = 0;
  #last: readonly string[] = [];
  /** How many of the last messages have the same place. */
  #same = 0;

  constructor(query: PageRange, from: PageCursor | undefined) {
    this.#query = query;
    this.#from = from;
  }

  /** The extent of the page, for its total. */
  extent(): Extent {
    const { limit, offset } = this.#query;
    const skipped = offset + (this.#from?.given ?? 0);
    return { limit, skipped, rows: this.#count, isFromFirst: isFromFirst(this.#from) };
  }

  get count(): number {
    return this.#count;
  }

  /** The next message of the page has this place. */
  pass(place: readonly string[]): void {
    this.#same = isSamePlace(place, this.#last) ? this.#same + 1 : 1;
    this.#last = place;
    this.#count += 1;
  }

  /** Undefined if the page is not full: then it is the last one. */
  next(): string | undefined {
    return this.#count < this.#query.limit ? undefined : writeCursor(this.cursor());
  }

  /** Where the next message is, after one at least. */
  cursor(): PageCursor {
    const { dir, offset } = this.#query;
    const from = this.#from ?? { place: [], given: 0 };
    if (this.#same < this.#count) return { dir, place: [...this.#last], given: this.#same };
    // All messages have one place. How many before them had it is known only from the start of the page.
    if (offset > 0) return { dir, place: from.place, given: from.given + offset + this.#count };
    const given = isSamePlace(from.place, this.#last) ? from.given + this.#same : this.#same;
    return { dir, place: [...this.#last], given };
  }
}

function isSamePlace(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
