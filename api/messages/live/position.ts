import { createHash } from 'node:crypto';
import { DomainError } from '../../../schemas/http/errors.ts';
import { isInt64, isUInt64 } from '../query/order.ts';

/** The place of a row in its log. A batch becomes visible partition by partition, each of them whole. */
export type RowPlace = { batch: number; partition: string; time: string; tie: string };

/**
 * How far a stream is in one log: it has sent all batches before `batch`, and the part of `batch` that is named here.
 * The partitions of a batch may become visible at different times; the next batch becomes visible only after all of
 * them.
 */
export type LogPlace = {
  batch: number;
  /** The partitions that were sent whole. */
  done: readonly string[];
  /** The last row that was sent, and how many rows with the same place were sent. */
  last: (RowPlace & { given: number }) | undefined;
};

/** How far a stream is: a place in each log, by the log's mark. */
export type StreamPosition = Map<string, LogPlace>;

export function placeAt(batch: number): LogPlace {
  return { batch, done: [], last: undefined };
}

/** A short name of a log: the position is sent with every message. */
export function markOf(log: string): string {
  return createHash('sha256').update(log).digest('base64url').slice(0, 11);
}

export function isSamePlace(one: RowPlace | undefined, other: RowPlace): boolean {
  return (
    one !== undefined &&
    one.batch === other.batch &&
    one.partition === other.partition &&
    one.time === other.time &&
    one.tie === other.tie
  );
}

/** The place after a row was sent. */
export function placeAfter(place: LogPlace, row: RowPlace): LogPlace {
  const { last } = place;
  if (last === undefined || last.batch !== row.batch) {
    return { batch: row.batch, done: [], last: { ...row, given: 1 } };
  }
  if (last.partition !== row.partition) {
    return { ...place, done: [...place.done, last.partition], last: { ...row, given: 1 } };
  }
  const given = isSamePlace(last, row) ? last.given + 1 : 1;
  return { ...place, last: { ...row, given } };
}

/** The position as text for a header: the version, then each log with its members between dots. */
export function writePosition(position: StreamPosition): string {
  const logs = [...position].map(([mark, { batch, done, last }]) => {
    const within =
      last === undefined ? [] : [last.partition, last.time, last.tie, last.given, ...done];
    return [mark, batch, ...within].join('.');
  });
  return ['1', ...logs].join('~');
}

/** @throws DomainError `malformed` if the text is no position. */
export function readPosition(text: string): StreamPosition {
  const [version, ...logs] = text.split('~');
  const places = logs.map(readPlace).filter((place) => place !== undefined);
  if (version !== '1' || places.length < logs.length) {
    throw new DomainError('malformed', 'Last-Event-ID is not one of ours');
  }
  return new Map(places);
}

function readPlace(text: string): [string, LogPlace] | undefined {
  const [mark = '', number = '', partition, time = '', tie = '', count = '', ...done] =
    text.split('.');
  const batch = Number(number);
  if (!/^[\w-]{11}$/.test(mark) || !/^\d{1,10}$/.test(number) || batch >= 2 ** 32) {
    return undefined;
  }
  if (partition === undefined) return [mark, placeAt(batch)];
  const given = Number(count);
  const whole =
    [partition, ...done].every((id) => /^[\w-]{1,64}$/.test(id)) &&
    isInt64(time) &&
    isUInt64(tie) &&
    /^[1-9]\d{0,9}$/.test(count);
  return whole ? [mark, { batch, done, last: { batch, partition, time, tie, given } }] : undefined;
}
