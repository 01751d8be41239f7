import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { limits } from '../../limits.ts';
import { named } from '../store/errors.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { querySettings } from '../query/settings.ts';

/** What a log has brought: its newest batch, and how many rows in all, which tells when one changed. */
export type Head = { batch: number; rows: string };

/** The head of each log, by the log's name. */
export type Heads = ReadonlyMap<string, Head>;

/** Gives the heads a moment later; who waits at the same time shares one look. */
export type HeadWatch = { next(): Promise<Heads> };

export function watchHeads(clickhouse: ClickHouseClient, format: MessageFormat): HeadWatch {
  let looking: Promise<Heads> | undefined;

  async function look(): Promise<Heads> {
    await delay(limits.streamPollMs);
    try {
      return await findHeads(clickhouse, format);
    } finally {
      looking = undefined;
    }
  }

  return { next: () => (looking ??= look()) };
}

/** Leans on the projection `logs`. */
export async function findHeads(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
): Promise<Heads> {
  try {
    const result = await clickhouse.query({
      query: `
        SELECT log, max(batch) AS batch, toString(count()) AS rows
        FROM ${messageTables[format].name} GROUP BY log`,
      clickhouse_settings: querySettings,
      format: 'JSONEachRow',
    });
    const rows = await result.json<Head & { log: string }>();
    return new Map(rows.map(({ log, ...head }) => [log, head]));
  } catch (error) {
    throw named(error);
  }
}
