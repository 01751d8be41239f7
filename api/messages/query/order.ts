import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { uuidPattern } from '../../../schemas/http/common.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { findProblem } from '../../http/body.ts';
import { boundTime, type Where } from './conditions.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';

export type Direction = 'asc' | 'desc';

/** Stands for everything else in a record, so that only records equal in all share a place. */
const ties: Readonly<Record<MessageFormat, string>> = {
  senml: `sipHash64(subtopic, protocol, unit, kind, value, text,
            isNull(sum), ifNull(sum, 0), isNull(update_time), ifNull(update_time, 0))`,
  json: 'sipHash64(subtopic, protocol, payload)',
};

/** A message's place in the order. */
export function placeColumns(format: MessageFormat): string[] {
  const { time } = messageTables[format];
  return format === 'senml'
    ? [time, 'publisher', 'name', ties.senml]
    : [time, 'publisher', ties.json];
}

const directions: Readonly<Record<Direction, string>> = { asc: 'ASC', desc: 'DESC' };

/** For ORDER BY: as the tables are sorted. */
export function sortedBy(format: MessageFormat, dir: Direction): string {
  const { day, time } = messageTables[format];
  const columns = format === 'senml' ? [day, 'publisher', 'name', time] : [day, 'publisher', time];
  return columns.map((column) => `${column} ${directions[dir]}`).join(', ');
}

/** For ORDER BY. It begins as the tables are sorted, with the day: what is behind the page is not read. */
export function orderBy(format: MessageFormat, dir: Direction): string {
  return [messageTables[format].day, ...placeColumns(format)]
    .map((column) => `${column} ${directions[dir]}`)
    .join(', ');
}

/**
 * Where a page ended: the place of its last message, and how many of that same place were given. Without a
 * place they are counted from the beginning.
 */
const Cursor = Type.Object({
  dir: Type.Enum(['asc', 'desc']),
  place: Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 4 }),
  given: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});
export type Cursor = Static<typeof Cursor>;

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

export const isInt64 = (text: string) =>
  /^-?[0-9]{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
export const isUInt64 = (text: string) =>
  /^[0-9]{1,20}$/.test(text) && BigInt.asUintN(64, BigInt(text)) === BigInt(text);
const uuid = new RegExp(uuidPattern);

/** @throws DomainError `malformed` for what is no cursor of this format. */
export function readCursor(format: MessageFormat, text: string): Cursor {
  const cursor = parse(text);
  if (cursor?.place.length === 0) return cursor;
  const [time = '', publisher = ''] = cursor?.place ?? [];
  const tie = cursor?.place.at(-1) ?? '';
  const whole =
    cursor?.place.length === placeColumns(format).length &&
    isInt64(time) &&
    uuid.test(publisher) &&
    isUInt64(tie) &&
    findProblem(cursor.place) === undefined;
  if (cursor === undefined || !whole)
    throw new DomainError('malformed', 'cursor is not one of ours');
  return cursor;
}

function parse(text: string): Cursor | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Value.Check(Cursor, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where a page starts: the placeholder of the time, and what leaves out those before it of that same time. */
export type Start = { time: string; behind: string };

/**
 * Leaves out the times before a cursor's. Its own place stays: `given` messages of it are to be passed.
 * Nothing where the cursor has no place.
 */
export function startAt(
  format: MessageFormat,
  where: Where,
  { dir, place: ended }: Cursor,
): Start | undefined {
  if (ended.length === 0) return undefined;
  const types =
    format === 'senml' ? ['Int64', 'UUID', 'String', 'UInt64'] : ['Int64', 'UUID', 'UInt64'];
  const columns = placeColumns(format);
  const values = ended.map((value, i) => where.bind(types[i] ?? 'String', value));
  const compare = dir === 'asc' ? '>=' : '<=';
  const [time = ''] = values;
  boundTime(format, where, compare, time);
  const [, ...rest] = columns;
  const place = values.slice(1).join(', ');
  return {
    time,
    behind: `(${columns[0]} != ${time} OR (${rest.join(', ')}) ${compare} (${place}))`,
  };
}

export function samePlace(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, i) => value === other[i]);
}
