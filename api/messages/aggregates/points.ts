import { DomainError } from '../../../schemas/http/errors.ts';
import type { ReadAsked } from '../../../schemas/messages/query.ts';
import { fieldsOf } from './aggregates.ts';
import { jsonPaths, type Where } from '../query/conditions.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { messageText } from '../query/messages.ts';
import { orderBy } from '../query/order.ts';
import { numberAt } from '../query/payload.ts';
import type { Store } from '../store/store.ts';

/**
 * The `points` messages that draw the same line as all of them, as JSON text, by largest triangles
 * (S. Steinarsson, Downsampling Time Series for Visual Representation, 2013). Leans on the sort key.
 *
 * @throws DomainError `malformed` where it isn't clear what is drawn.
 */
export async function readPoints(
  store: Store,
  format: MessageFormat,
  where: Where,
  asked: ReadAsked & { points: number },
): Promise<string[]> {
  const value = drawn(format, where, asked);
  const { name, time } = messageTables[format];
  // Counted from the first one a double holds the time to the nanosecond over 104 days, and nearly beyond.
  const text = await store.text(
    `WITH (SELECT min(${time}) FROM ${name} WHERE ${where.text}) AS origin
     SELECT written FROM (
       SELECT ${messageText[format]} AS written, ${value} AS drawn,
              toFloat64(${time} - origin) AS moment
       FROM ${name}
       WHERE ${where.text} AND (toFloat64(${time} - origin), assumeNotNull(${value})) IN (
         SELECT arrayJoin(largestTriangleThreeBuckets({points:UInt64})(moment, value))
         FROM (SELECT toFloat64(${time} - origin) AS moment, assumeNotNull(${value}) AS value
               FROM ${name} WHERE ${where.text} AND isNotNull(${value})))
         AND isNotNull(${value})
       ORDER BY ${orderBy(format, asked.dir)}
       LIMIT 1 BY moment, drawn)`,
    { ...where.bound, points: asked.points },
  );
  return text === '' ? [] : text.split('\n');
}

/** The number that is drawn over time. */
function drawn(format: MessageFormat, where: Where, asked: ReadAsked): string {
  if (asked.agg_type !== undefined || asked.agg_interval !== undefined) {
    throw new DomainError('malformed', 'points: buckets are no messages');
  }
  if (asked.cursor !== undefined) throw new DomainError('malformed', 'cursor: points have none');
  if (format === 'senml') {
    where.add(`kind = 'value'`);
    return 'value';
  }
  const [field, ...others] = fieldsOf(asked);
  if (field === undefined || others.length > 0) {
    throw new DomainError('malformed', 'agg_field: points are of one field');
  }
  return numberAt(jsonPaths(where, field));
}
