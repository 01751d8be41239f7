import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import type { WithTimes } from '../../http/query/time.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';
import type { Aggregation } from './aggregation.ts';
import { fillGaps } from './gaps.ts';
import { type Buckets, bucketText, groupedBuckets } from './grouping.ts';

/** A page of buckets as JSON texts, and how many buckets there are in all. Uses the sort key. */
export async function readBuckets(
  store: Store,
  format: MessageFormat,
  where: Where,
  aggregation: Aggregation,
  page: Pick<WithTimes<ReaderQuery>, 'limit' | 'offset' | 'dir' | 'from' | 'to'>,
): Promise<{ total: string; texts: string[] }> {
  const buckets = await bucketsOf(store, format, where, aggregation, page);
  const texts = `SELECT start, ${bucketText(format, buckets, 'unix')} AS text FROM (${buckets.sql})`;
  const direction = page.dir === 'asc' ? 'ASC' : 'DESC';
  const { limit, offset } = page;
  const [total, text] = await Promise.all([
    store.text(`SELECT count() FROM (${buckets.sql})`, where.bound),
    store.text(
      `SELECT text FROM (${texts}) ORDER BY start ${direction}
       LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
      { ...where.bound, limit, offset },
    ),
  ]);
  return { total, texts: text === '' ? [] : text.split('\n') };
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
