import type { Calls } from '../../infra/runtime/observability/calls.ts';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { limits } from '../limits.ts';

/**
 * The ways to ClickHouse, each with connections of its own: with all rights or to read only, for a short
 * answer or for a long one. What follows and looks after others does not wait for pages.
 */
export type ClickHouseClients = {
  writer: ClickHouseClient;
  long: ClickHouseClient;
  reader: ClickHouseClient;
  longReader: ClickHouseClient;
  watcher: ClickHouseClient;
  close: () => Promise<void>;
};

/** `readerUrl` names a user who may only read; without one, a query's settings see to that. */
export function openClickHouseClients(
  url: string,
  readerUrl: string,
  calls?: Calls,
): ClickHouseClients {
  const writer = openClickHouse(url, 'millrace-api', limits.clickhouseTimeoutMs, calls);
  const long = openClickHouse(url, 'millrace-api', limits.clickhouseLongTimeoutMs, calls);
  const reader = openClickHouse(readerUrl, 'millrace-reader', limits.clickhouseTimeoutMs, calls);
  const longReader = openClickHouse(
    readerUrl,
    'millrace-reader',
    limits.clickhouseLongTimeoutMs,
    calls,
  );
  const watcher = openClickHouse(readerUrl, 'millrace-reader', limits.clickhouseTimeoutMs, calls);
  const all = { writer, long, reader, longReader, watcher };
  return {
    ...all,
    async close() {
      await Promise.all(Object.values(all).map((client) => client.close()));
    },
  };
}
