import { DomainError } from '../../../schemas/http/errors.ts';
import type { ReadAsked } from '../../../schemas/messages/query.ts';
import { readTime } from '../../http/query/time.ts';
import type { Aggregation, Buckets } from './aggregates.ts';
import { bucketStart, unitNanoseconds } from './buckets.ts';
import type { Where } from '../query/conditions.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import type { Store } from '../store/store.ts';

const bucketsMax = 100_000n;

/**
 * The buckets with those between them that hold no message: from `from` or the first one, to `to` or the
 * last. A filled one is named as the one before it (the first ones as the one behind), and its value is what
 * `fill` says.
 *
 * @throws DomainError `malformed` where there would be too many.
 */
export async function fillGaps(
  store: Store,
  format: MessageFormat,
  where: Where,
  buckets: Buckets,
  { interval, count, fill, zone }: Aggregation,
  { from, to }: Pick<ReadAsked, 'from' | 'to'>,
): Promise<Buckets> {
  const { name, time } = messageTables[format];
  const edges = await store.text(
    `SELECT min(${time}), max(${time}) FROM ${name} WHERE ${where.text} HAVING count() > 0`,
    where.bound,
  );
  const [oldest, newest] = edges.split('\t');
  if (oldest === undefined || newest === undefined) return buckets;
  const [first, last] = [
    from === undefined ? BigInt(oldest) : readTime('from', from),
    to === undefined ? BigInt(newest) : readTime('to', to),
  ];
  // Half a bucket's shortest length: no bucket lies between two such steps.
  const step = (unitNanoseconds(interval) * BigInt(count)) / 2n;
  if ((last - first) / step > 2n * bucketsMax) {
    throw new DomainError('malformed', `agg_fill: more than ${bucketsMax} buckets`);
  }
  const bounds = {
    first: where.bind('Int64', String(first)),
    last: where.bind('Int64', String(last)),
    step: where.bind('Int64', String(step)),
  };
  const zoneBound = zone === undefined ? undefined : where.bind('String', zone);
  const starts = `
    SELECT DISTINCT ${bucketStart('moment', interval, count, zoneBound)} AS start
    FROM (SELECT least(${bounds.first} + toInt64(number) * ${bounds.step}, ${bounds.last}) AS moment
          FROM numbers(toUInt64(intDiv(${bounds.last} - ${bounds.first}, ${bounds.step}) + 2)))`;
  const before = '(ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)';
  const behind = '(ORDER BY start ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)';
  const labels = buckets.labels.map(
    (label) =>
      `assumeNotNull(coalesce(anyLast(${label}) OVER ${before}, any(${label}) OVER ${behind})) AS ${label}`,
  );
  const values = buckets.values.map(
    ({ column }) => `${filledValue(column, fill, before, behind)} AS ${column}`,
  );
  return {
    ...buckets,
    filled: true,
    query: `
      SELECT start, ${[...labels, ...values].join(', ')}
      FROM (${starts}) AS every LEFT JOIN (${buckets.query}) AS met USING start
      SETTINGS join_use_nulls = 1, prefer_column_name_to_alias = 1`,
  };
}

/** Aggregates over a window pass over null: the last one before, the first one behind. */
function filledValue(
  column: string,
  fill: Aggregation['fill'],
  before: string,
  behind: string,
): string {
  if (fill === 'zero') return `coalesce(${column}, 0)`;
  const previous = `anyLast(${column}) OVER ${before}`;
  if (fill === 'previous') return previous;
  if (fill !== 'linear') return column;
  const next = `any(${column}) OVER ${behind}`;
  const met = `if(isNull(${column}), NULL, start)`;
  const [from, to] = [`anyLast(${met}) OVER ${before}`, `any(${met}) OVER ${behind}`];
  return `coalesce(${column}, ${previous} + (${next} - ${previous}) * (start - ${from}) / (${to} - ${from}))`;
}
