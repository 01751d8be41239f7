import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { limits } from '../../limits.ts';
import { withStoreErrors } from '../store/errors.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { querySettings } from '../store/settings.ts';

/** The newest batch that the store has of a log, and the number of its rows, which shows any change. */
export type Head = { batch: number; rows: string };

/** The head of each log, by the log's name. */
export type Heads = ReadonlyMap<string, Head>;

/** The next heads: all callers that wait at the same time share one query. */
export type HeadWatch = { next(): Promise<Heads> };

export function watchHeads(clickhouse: ClickHouseClient, format: MessageFormat): HeadWatch {
  let next: Promise<Heads> | undefined;

  async function find(): Promise<Heads> {
    await delay(limits.streamPollMs);
    try {
      return await findHeads(clickhouse, format);
    } finally {
      next = undefined;
    }
  }

  return { next: () => (next ??= find()) };
}

/** Uses the projection `logs`. */
export async function findHeads(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
): Promise<Heads> {
  return withStoreErrors(async () => {
    const result = await clickhouse.query({
      query: `
        SELECT log, max(batch) AS batch, toString(count()) AS rows
        FROM ${messageTables[format].name} GROUP BY log`,
      clickhouse_settings: querySettings,
      format: 'JSONEachRow',
    });
    const rows = await result.json<Head & { log: string }>();
    return new Map(rows.map(({ log, ...head }) => [log, head]));
  });
}
