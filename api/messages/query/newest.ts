import { boundTime, selectMessages, type Where } from './conditions.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import type { Direction } from './order.ts';
import type { Reach } from '../reach/reach.ts';
import type { Store } from '../store/store.ts';

/** Beyond it, looking through whole days is less work than looking at so many publishers. */
export const publishersMax = 200;

/**
 * The messages that the first `reached` of all in reach are among, and how many there are in all. Only so
 * many publishers can have one of the first, those whose own first comes first. Both stand in the
 * projection `totals`.
 */
export async function selectNewest(
  store: Store,
  format: MessageFormat,
  reach: Reach,
  dir: Direction,
  reached: number,
): Promise<{ where: Where; total: string }> {
  const all = selectMessages(format, {}, reach);
  const { name, time } = messageTables[format];
  const [first, direction] = dir === 'asc' ? ['min', 'ASC'] : ['max', 'DESC'];
  const text = await store.text(
    `SELECT publisher, ${first}(${time}), sum(count()) OVER () FROM ${name} WHERE ${all.text}
     GROUP BY publisher ORDER BY ${first}(${time}) ${direction}, publisher ${direction}
     LIMIT {reached:UInt64}
     -- As the projection is sorted: a large reach needs no table of its publishers.
     SETTINGS optimize_aggregation_in_order = 1`,
    { ...all.bound, reached },
  );
  const rows = text.split('\n').map((line) => line.split('\t'));
  const publishers = rows.map(([publisher = '']) => publisher).filter((one) => one !== '');
  const where = selectMessages(format, {}, { publishers });
  const last = publishers.length === reached ? rows.at(-1)?.[1] : undefined;
  if (last !== undefined) {
    boundTime(format, where, dir === 'asc' ? '<=' : '>=', where.bind('Int64', last));
  }
  return { where, total: rows[0]?.[2] ?? '0' };
}
