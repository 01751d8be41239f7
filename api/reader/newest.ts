import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import { named } from './clickhouse-errors.ts';
import { boundTime, type MessageFormat, selectMessages, tables, type Where } from './conditions.ts';
import type { Direction } from './order.ts';
import type { Reach } from './reach.ts';
import { querySettings } from './settings.ts';

/** Beyond it, looking through whole days is less work than looking at so many publishers. */
export const publishersMax = 200;

/**
 * The messages that the first `reached` of all in reach are among. Only so many publishers can have one of
 * them, those whose own first comes first; who they are stands in the projection `totals`.
 */
export async function selectNewest(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  reach: Reach,
  dir: Direction,
  reached: number,
): Promise<Where> {
  const all = selectMessages(format, {}, reach);
  const { name, time } = tables[format];
  const [first, direction] = dir === 'asc' ? ['min', 'ASC'] : ['max', 'DESC'];
  try {
    const result = await clickhouse.query({
      query: `
        SELECT publisher, toString(${first}(${time})) AS first FROM ${name} WHERE ${all.text}
        GROUP BY publisher ORDER BY ${first}(${time}) ${direction}, publisher ${direction}
        LIMIT {reached:UInt64}`,
      query_params: { ...all.params, reached },
      use_multipart_params_auto: true,
      clickhouse_settings: querySettings,
      format: 'JSONEachRow',
    });
    const rows = await result.json<{ publisher: string; first: string }>();
    const where = selectMessages(
      format,
      {},
      rows.map((row) => row.publisher),
    );
    const last = rows.length === reached ? rows.at(-1) : undefined;
    if (last !== undefined) {
      const bound = where.bind('Int64', last.first);
      boundTime(format, where, dir === 'asc' ? '<=' : '>=', bound);
    }
    return where;
  } catch (error) {
    throw named(error);
  }
}
