import { DomainError } from '../../../schemas/http/errors.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import type { Timeless } from '../../http/query/time.ts';
import type { MessageText } from '../query/message-text.ts';
import { orderBy, tieOf } from '../query/order.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';

/** The columns that all messages of a series have in common. */
const series: Readonly<Record<MessageFormat, string>> = {
  senml: 'publisher, name',
  json: 'publisher, subtopic',
};

/**
 * The newest message of each series, as JSON texts in the order of the series. Only its time is looked for among all
 * messages. Leans on the sort key.
 *
 * @throws DomainError `malformed` beside what asks for something else than messages.
 */
export async function readLatest(
  store: Store,
  format: MessageFormat,
  where: Where,
  query: Timeless<ReaderQuery> & { written: MessageText },
): Promise<string[]> {
  for (const name of ['points', 'agg_type', 'agg_interval', 'cursor'] as const) {
    if (query[name] !== undefined) throw new DomainError('malformed', `latest: without ${name}`);
  }
  if (query.changes === true) throw new DomainError('malformed', 'latest: without changes');
  if (query.offset > 0) throw new DomainError('malformed', 'latest: without offset');
  const { name, time } = messageTables[format];
  const of = series[format];
  const text = await store.text(
    `SELECT written FROM (
       WITH ${tieOf[format]}
       SELECT ${query.written.sql} AS written, ${of}
       FROM ${name}
       WHERE ${where.text} AND (${of}, ${time}) IN (
         SELECT ${of}, max(${time}) FROM ${name} WHERE ${where.text}
         GROUP BY ${of} ORDER BY ${of} LIMIT {limit:UInt64})
       ORDER BY ${orderBy(format, 'desc')}
       LIMIT 1 BY ${of})
     ORDER BY ${of}`,
    { ...where.bound, ...query.written.bound, limit: query.limit },
  );
  return text === '' ? [] : text.split('\n');
}
