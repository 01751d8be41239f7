import { type ClickHouseClient, createClient } from '@clickhouse/client';

export type { ClickHouseClient } from '@clickhouse/client';

/** The database every table of ours is in, unless the URL names another. */
export const clickhouseDatabase = 'millrace';

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
    compression: { request: false, response: false },
    // Our log says what failed, once, where it is handled.
    log: { level: 127 },
  });
}
