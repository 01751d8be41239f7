import { DomainError } from '../../../schemas/http/errors.ts';
import { nanosecondsOf } from '../../../schemas/http/time.ts';

/**
 * A time of a request, in nanoseconds since 1970.
 *
 * @throws DomainError `malformed` for what is none, or not within 64 bits.
 */
export function readTime(name: string, given: string | number, context = contextOf({})): bigint {
  const time = nanosecondsOf(name, given, context);
  if (typeof time === 'string') throw new DomainError('malformed', time);
  return time;
}

type Time = string | number | undefined;
type Given = { from?: Time; to?: Time; tz?: string | undefined };

/** A query without its times. */
export type Timeless<Query> = Omit<Query, 'from' | 'to'>;

/** A query whose times are read. */
export type WithTimes<Query> = Timeless<Query> & { from?: bigint; to?: bigint };

/**
 * The same query with its times, both counted from one moment.
 *
 * @throws DomainError `malformed` for what is no time.
 */
export function withTimes<Query extends Given>(query: Query): WithTimes<Query> {
  const { from, to, ...rest } = query;
  const context = contextOf(query);
  return {
    ...rest,
    ...(from === undefined ? {} : { from: readTime('from', from, context) }),
    ...(to === undefined ? {} : { to: readTime('to', to, context) }),
  };
}

const contextOf = ({ tz }: Given) => ({ nowMs: Date.now(), tz });
