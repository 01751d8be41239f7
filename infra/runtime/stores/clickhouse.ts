import { type ClickHouseClient as Client, createClient } from '@clickhouse/client';
import { nameFailures } from '../network/failure.ts';
import { type Calls, timeMethods } from '../observability/calls.ts';
import { newQueryId } from '../process/request-id.ts';
import { type Ask, openAsk } from './clickhouse-ask.ts';
import { type Cluster, readStoreUrl, settingsOn } from './cluster.ts';
import { membersOf } from '../../../schemas/members.ts';

export type ClickHouseClient = Client & {
  /** Undefined where the store is one server. */
  readonly cluster: Cluster | undefined;
  /** Any statement, with its result as it comes. */
  readonly ask: Ask;
};

/** The database every table of ours is in, unless the URL names another. */
export const clickhouseDatabase = 'millrace';

/** More than any client needs: callers and budgets limit how many run at once. */
const connectionsMax = 100;

/**
 * A client of ClickHouse, or of the embedded one, which speaks the same HTTP interface. Its URL may name a cluster
 * (see `storeUrl`). Queries are named after the request that caused them. `calls` measures the time until a response
 * begins.
 */
export function openClickHouse(
  store: string,
  applicationName: string,
  requestTimeoutMs: number,
  calls?: Calls,
): ClickHouseClient {
  const { url, cluster } = readStoreUrl(store);
  const ownDatabase = decodeURIComponent(new URL(url).pathname.slice(1));
  const settings = cluster === undefined ? {} : settingsOn(cluster);
  const client = createClient({
    url,
    ...(ownDatabase === '' ? { database: clickhouseDatabase } : {}),
    application: applicationName,
    request_timeout: requestTimeoutMs,
    max_open_connections: connectionsMax,
    compression: { request: false, response: false },
    clickhouse_settings: settings,
    // We log a failure once, where it is handled.
    log: { level: 127 },
  });
  const { ask, close } = openAsk(url, {
    application: applicationName,
    database: ownDatabase || clickhouseDatabase,
    settings,
    timeoutMs: requestTimeoutMs,
    connectionsMax,
  });
  const closeClient = client.close.bind(client);
  const whole = Object.assign(client, {
    cluster,
    ask,
    close: async () => {
      await Promise.all([closeClient(), close()]);
    },
  });
  nameFailures(whole, asking);
  if (calls !== undefined) {
    timeMethods(whole, asking, (asked) => calls.begin('clickhouse', asked));
  }
  return new Proxy(whole, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const [params] = args;
        const named = asks.has(name) ? [{ query_id: newQueryId(), ...membersOf(params) }] : args;
        return Reflect.apply(member, target, named);
      };
    },
  });
}

/** The methods of the client that run a query, and take its name. */
const asking = ['query', 'command', 'exec', 'insert', 'ask'];
const asks = new Set<string | symbol>(asking);
