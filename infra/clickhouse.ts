import { type ClickHouseClient, createClient } from '@clickhouse/client';

export type { ClickHouseClient } from '@clickhouse/client';

/** The database every table of ours is in, unless the URL names another. */
export const clickhouseDatabase = 'millrace';

/** More than any client may need: how many run at once is bounded by those who ask, and by budgets. */
const connectionsMax = 100;

/** A client of ClickHouse, or of the embedded one, which speaks the same HTTP interface. */
export function openClickHouse(
  url: string,
  applicationName: string,
  requestTimeoutMs: number,
): ClickHouseClient {
  return createClient({
    url,
    ...(new URL(url).pathname === '/' ? { database: clickhouseDatabase } : {}),
    application: applicationName,
    request_timeout: requestTimeoutMs,
    max_open_connections: connectionsMax,
    compression: { request: false, response: false },
    // Our log says what failed, once, where it is handled.
    log: { level: 127 },
  });
}
