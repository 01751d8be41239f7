import { DomainError } from '../../../schemas/http/errors.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import type { Timeless } from '../../http/query/time.ts';
import { addName } from '../query/conditions.ts';
import type { MessageText } from '../query/message-text.ts';
import { orderBy, tieOf } from '../query/order.ts';
import { jsonPaths, numberAt } from '../query/payload.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';
import { fieldsOf, namesOf } from './aggregation.ts';

/**
 * The `points` messages whose chart looks like that of all messages, as JSON texts, by largest triangles
 * (S. Steinarsson, Downsampling Time Series for Visual Representation, 2013). Uses the sort key.
 *
 * @throws DomainError `malformed` if it isn't clear what is charted.
 */
export async function readChartPoints(
  store: Store,
  format: MessageFormat,
  where: Where,
  query: Timeless<ReaderQuery> & { points: number; written: MessageText },
): Promise<string[]> {
  const value = chartedValue(format, where, query);
  const { name, time } = messageTables[format];
  // Since the first message: for 104 days a double is exact to the nanosecond, and nearly so after that.
  const moment = `toFloat64(${time} - origin)`;
  const chosen = `
    SELECT arrayJoin(largestTriangleThreeBuckets({points:UInt64})(moment, height))
    FROM (SELECT ${moment} AS moment, assumeNotNull(${value}) AS height
          FROM ${name} WHERE ${where.text} AND isNotNull(${value}))`;
  const text = await store.text(
    `WITH (SELECT min(${time}) FROM ${name} WHERE ${where.text}) AS origin
     SELECT written FROM (
       WITH ${tieOf[format]}
       SELECT ${query.written.sql} AS written, ${value} AS drawn, ${moment} AS moment
       FROM ${name}
       WHERE ${where.text} AND (${moment}, assumeNotNull(${value})) IN (${chosen})
         AND isNotNull(${value})
       ORDER BY ${orderBy(format, query.dir)}
       LIMIT 1 BY moment, drawn)`,
    { ...where.bound, ...query.written.bound, points: query.points },
  );
  return text === '' ? [] : text.split('\n');
}

/** SQL for the number that is charted over time. */
function chartedValue(format: MessageFormat, where: Where, query: Timeless<ReaderQuery>): string {
  if (query.agg_type !== undefined || query.agg_interval !== undefined) {
    throw new DomainError('malformed', 'points: buckets are no messages');
  }
  if (query.cursor !== undefined) throw new DomainError('malformed', 'cursor: points have none');
  if (format === 'senml') {
    where.add(`kind = 'value'`);
    addName(where, namesOf(query));
    return 'value';
  }
  const [field, ...others] = fieldsOf(query);
  if (field === undefined || others.length > 0) {
    throw new DomainError('malformed', 'agg_field: points are of one field');
  }
  return numberAt(jsonPaths(where, field));
}
