import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';

export type Direction = 'asc' | 'desc';

/**
 * For the WITH of a query that has a message's place: a hash of all columns that are not in the order, so that only equal
 * messages have the same place. Written out at each use it would be planned each time, which costs more than it takes.
 */
export const tieOf: Readonly<Record<MessageFormat, string>> = {
  senml: `sipHash64(subtopic, protocol, unit, kind, scale, mantissa, exact, text, tuple(sum, update_time))
          AS tie`,
  json: 'sipHash64(subtopic, protocol, payload) AS tie',
};

/** The columns of a message's place in the order of pages; a page cursor holds their values. */
export function placeColumns(format: MessageFormat): string[] {
  const { time } = messageTables[format];
  return format === 'senml' ? [time, 'publisher', 'name', 'tie'] : [time, 'publisher', 'tie'];
}

const directions: Readonly<Record<Direction, string>> = { asc: 'ASC', desc: 'DESC' };

/** For ORDER BY: as the tables are sorted, so that nothing is sorted again. */
export function sortedBy(format: MessageFormat, dir: Direction): string {
  const { day, time } = messageTables[format];
  const columns = format === 'senml' ? [day, 'publisher', 'name', time] : [day, 'publisher', time];
  return columns.map((column) => `${column} ${directions[dir]}`).join(', ');
}

/**
 * For ORDER BY, beside `tieOf`: by time. It begins with the day, as the tables do: days after the page's last are not read.
 */
export function orderBy(format: MessageFormat, dir: Direction): string {
  return [messageTables[format].day, ...placeColumns(format)]
    .map((column) => `${column} ${directions[dir]}`)
    .join(', ');
}

/** The columns that are not in the order either, one by one. */
const others: Readonly<Record<MessageFormat, readonly string[]>> = {
  senml: 'subtopic protocol unit kind scale mantissa exact text sum update_time'.split(' '),
  json: ['subtopic', 'protocol', 'payload'],
};

/**
 * The same for a file, which has no cursor: only messages of the same time, publisher and name are compared by their
 * other columns. A hash of each message would take as long as all else of the sorting.
 */
export function fileOrderBy(format: MessageFormat, dir: Direction): string {
  const { day } = messageTables[format];
  const places = placeColumns(format).slice(0, -1);
  return [day, ...places, ...others[format]]
    .map((column) => `${column} ${directions[dir]}`)
    .join(', ');
}

/** Whether a text is an integer that ClickHouse takes as an Int64. */
export const isInt64 = (text: string) =>
  /^-?[0-9]{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** Whether a text is an integer that ClickHouse takes as a UInt64. */
export const isUInt64 = (text: string) =>
  /^[0-9]{1,20}$/.test(text) && BigInt.asUintN(64, BigInt(text)) === BigInt(text);
