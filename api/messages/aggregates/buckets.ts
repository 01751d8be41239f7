import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import type { WithTimes } from '../../http/query/time.ts';
import type { MessageText } from '../query/message-text.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';
import { isTold, boundedTotal } from '../query/total.ts';
import type { Aggregation } from './aggregation.ts';
import { fillGaps } from './gaps.ts';
import { type Buckets, bucketsAsMessages, bucketText, groupedBuckets } from './grouping.ts';

/** A page of buckets as JSON texts, and how many buckets there are in all. Uses the sort key. */
export async function readBuckets(
  store: Store,
  format: MessageFormat,
  where: Where,
  aggregation: Aggregation,
  page: Pick<WithTimes<ReaderQuery>, 'limit' | 'offset' | 'dir' | 'from' | 'to'> & {
    /** Of chosen columns. */
    written?: MessageText | undefined;
  },
): Promise<{ total: number; texts: string[] }> {
  const buckets = await bucketsOf(store, format, where, aggregation, page);
  const direction = page.dir === 'asc' ? 'ASC' : 'DESC';
  const { limit, offset, written } = page;
  const rows = written === undefined ? buckets.sql : bucketsAsMessages(format, buckets);
  const text = await store.text(
    `SELECT total, ${written?.sql ?? bucketText(format, buckets, 'unix')}
     FROM (SELECT *, count() OVER () AS total FROM (${rows})
           ORDER BY start ${direction} LIMIT {limit:UInt64} OFFSET {offset:UInt64})
     ORDER BY start ${direction}`,
    { ...where.bound, ...written?.bound, limit, offset },
  );
  const lines = text === '' ? [] : text.split('\n');
  const texts = lines.map((line) => line.slice(line.indexOf('\t') + 1));
  const extent = { limit, skipped: offset, rows: texts.length, isFromFirst: true };
  const counted = isTold(extent)
    ? 0
    : (lines[0]?.split('\t', 1)[0] ??
      (await store.text(`SELECT count() FROM (${buckets.sql})`, where.bound)));
  return { total: boundedTotal(extent, Number(counted)), texts };
}

/** All buckets, with gaps filled as the aggregation says. */
export async function bucketsOf(
  store: Store,
  format: MessageFormat,
  where: Where,
  aggregation: Aggregation,
  range: Pick<WithTimes<ReaderQuery>, 'from' | 'to'>,
): Promise<Buckets> {
  const buckets = groupedBuckets(format, where, aggregation);
  return aggregation.fill === 'none'
    ? buckets
    : fillGaps(store, format, where, { buckets, aggregation, range });
}
