import { createHash } from 'node:crypto';
import { DomainError } from '../../../schemas/http/errors.ts';
import { isInt64, isUInt64 } from '../query/order.ts';

/** Where a row stands: rows come into sight by partitions of a batch, each of them whole. */
export type RowPlace = { batch: number; partition: string; time: string; tie: string };

/**
 * How far a stream has come in one log: all before `batch`, and of that what is named. Its partitions
 * need not come into sight together; the batch after it only comes once all of it is there.
 */
export type Place = {
  batch: number;
  /** The partitions that are passed. */
  done: readonly string[];
  /** The last row given, and how many equal to it. */
  last: (RowPlace & { given: number }) | undefined;
};

/** How far a stream has come: the places in the logs, by their marks. */
export type Position = Map<string, Place>;

export function placeAt(batch: number): Place {
  return { batch, done: [], last: undefined };
}

/** What stands for a log in a cursor: short, for a cursor goes with every message. */
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

/** The place once a row was given. */
export function pass(place: Place, row: RowPlace): Place {
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

/** The position as text that a header can hold. */
export function writePosition(position: Position): string {
  const logs = [...position].map(([mark, { batch, done, last }]) => {
    const within =
      last === undefined ? [] : [last.partition, last.time, last.tie, last.given, ...done];
    return [mark, batch, ...within].join('.');
  });
  return ['1', ...logs].join('~');
}

/** @throws DomainError `malformed` for what is no position of ours. */
export function readPosition(text: string): Position {
  const [version, ...logs] = text.split('~');
  const places = logs.map(readPlace).filter((place) => place !== undefined);
  if (version !== '1' || places.length < logs.length) {
    throw new DomainError('malformed', 'Last-Event-ID is not one of ours');
  }
  return new Map(places);
}

function readPlace(text: string): [string, Place] | undefined {
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
