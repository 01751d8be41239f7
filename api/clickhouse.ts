import { type ClickHouseClient, openClickHouse } from '../infra/clickhouse.ts';
import { clickhouseLongTimeoutMs, clickhouseTimeoutMs } from './limits.ts';

/** The ways to ClickHouse: with all rights or to read only, for a short answer or for a long one. */
export type ClickHouseClients = {
  long: ClickHouseClient;
  reader: ClickHouseClient;
  longReader: ClickHouseClient;
  close: () => Promise<void>;
};

/** `readerUrl` names a user who may only read; without one, a query's settings see to that. */
export function openClickHouseClients(url: string, readerUrl: string): ClickHouseClients {
  const long = openClickHouse(url, 'millrace-api', clickhouseLongTimeoutMs);
  const reader = openClickHouse(readerUrl, 'millrace-reader', clickhouseTimeoutMs);
  const longReader = openClickHouse(readerUrl, 'millrace-reader', clickhouseLongTimeoutMs);
  return {
    long,
    reader,
    longReader,
    async close() {
      await Promise.all([long, reader, longReader].map((client) => client.close()));
    },
  };
}
