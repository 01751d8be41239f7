import { DomainError } from '../../../schemas/http/errors.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import type { WithTimes } from '../../http/query/time.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';
import type { Aggregation } from './aggregation.ts';
import type { Buckets } from './grouping.ts';
import { bucketStart, unitNanoseconds } from './intervals.ts';

type Gaps = {
  buckets: Buckets;
  aggregation: Aggregation;
  range: Pick<WithTimes<ReaderQuery>, 'from' | 'to'>;
};

/**
 * The buckets, and between them those that hold no message: from `from` or the first message, to `to` or the
 * last. A filled bucket has the labels that the ones before and after it share, and the value that `fill` says.
 *
 * @throws DomainError `malformed` if there would be too many.
 */
export async function fillGaps(
  store: Store,
  format: MessageFormat,
  where: Where,
  { buckets, aggregation, range }: Gaps,
): Promise<Buckets> {
  const stored = await findRange(store, format, where);
  if (stored === undefined) return buckets;
  const first = range.from ?? stored.first;
  const last = range.to ?? stored.last;
  const starts = bucketStarts(where, aggregation, { first, last });
  return { ...buckets, filled: true, sql: filledSql(buckets, aggregation.fill, starts) };
}

type Range = { first: bigint; last: bigint };

/** The times of the first and the last of the messages. */
async function findRange(
  store: Store,
  format: MessageFormat,
  where: Where,
): Promise<Range | undefined> {
  const { name, time } = messageTables[format];
  const text = await store.text(
    `SELECT min(${time}), max(${time}) FROM ${name} WHERE ${where.text} HAVING count() > 0`,
    where.bound,
  );
  const [first, last] = text.split('\t');
  return first === undefined || last === undefined
    ? undefined
    : { first: BigInt(first), last: BigInt(last) };
}

const bucketsMax = 100_000n;

/**
 * SQL for the starts of all buckets of a range.
 *
 * @throws DomainError `malformed` if there are too many.
 */
export function bucketStarts(
  where: Where,
  { interval, count, zone }: Pick<Aggregation, 'interval' | 'count' | 'zone'>,
  { first, last }: Range,
): string {
  // Half a bucket's shortest length, so that a step skips none.
  const step = (unitNanoseconds(interval) * BigInt(count)) / 2n;
  if ((last - first) / step > 2n * bucketsMax) {
    throw new DomainError('malformed', `agg_fill: more than ${bucketsMax} buckets`);
  }
  const bound = {
    first: where.bind('Int64', String(first)),
    last: where.bind('Int64', String(last)),
    step: where.bind('Int64', String(step)),
  };
  const zoneBound = zone === undefined ? undefined : where.bind('String', zone);
  return `
    SELECT DISTINCT ${bucketStart('moment', interval, count, zoneBound)} AS start
    FROM (SELECT least(${bound.first} + toInt64(number) * ${bound.step}, ${bound.last}) AS moment
          FROM numbers(toUInt64(intDiv(${bound.last} - ${bound.first}, ${bound.step}) + 2)))`;
}

/** Windows of the buckets up to one, and from it on. */
const upToHere = '(ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)';
const fromHere = '(ORDER BY start ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)';

/** In a window these skip nulls: they are the nearest value before, and the nearest after. */
const lastBefore = (column: string) => `anyLast(${column}) OVER ${upToHere}`;
const firstAfter = (column: string) => `any(${column}) OVER ${fromHere}`;

function filledSql(buckets: Buckets, fill: Aggregation['fill'], starts: string): string {
  const labels = buckets.labels.map((label) => `${filledLabel(label)} AS ${label}`);
  const values = buckets.values.map(({ column }) => `${filledValue(column, fill)} AS ${column}`);
  return `
    SELECT start, ${[...labels, ...values].join(', ')}
    FROM (${starts}) AS every LEFT JOIN (SELECT *, 1 AS is_stored FROM (${buckets.sql})) AS met USING start
    SETTINGS join_use_nulls = 1, prefer_column_name_to_alias = 1`;
}

/** A label of a bucket, or of its neighbours if both have it. */
function filledLabel(label: string): string {
  // A text for each bucket that is stored: windows skip nulls, and a label that does not hold is null as well.
  const text = `if(isNull(is_stored), NULL, ifNull(concat('=', toString(${label})), ''))`;
  const [before, after] = [lastBefore(text), firstAfter(text)];
  const [first, second] = [`ifNull(${before}, ${after})`, `ifNull(${after}, ${before})`];
  return `if(${first} = ${second}, nullIf(substring(${first}, 2), ''), NULL)`;
}

/** A value of a bucket, or what stands in its gap. */
export function filledValue(column: string, fill: Aggregation['fill']): string {
  if (fill === 'zero') return `coalesce(${column}, 0)`;
  const previous = lastBefore(column);
  if (fill === 'previous') return previous;
  if (fill !== 'linear') return column;
  const next = firstAfter(column);
  const known = `if(isNull(${column}), NULL, start)`;
  const [from, to] = [lastBefore(known), firstAfter(known)];
  return `coalesce(${column}, ${previous} + (${next} - ${previous}) * (start - ${from}) / (${to} - ${from}))`;
}
