import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Session } from 'chdb';
import { Agent, request } from 'undici';
import { readMessagesOfOne } from '../../../api/messages/pages/sql.ts';
import { whereOf } from '../../../api/messages/query/conditions.ts';
import { type Bound, openStore } from '../../../api/messages/store/store.ts';
import { openClickHouseClients } from '../../../api/stores/clickhouse.ts';
import { migrateClickHouse } from '../../../infra/migrations/migrate.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { fillStore } from '../../../test/support/messages/stored.ts';
import { startClickHouse } from '../../../test/support/services/embedded-clickhouse.ts';
import { median } from '../../../test/support/statistics.ts';
import { atMost, type Figure, info } from '../../harness/figures.ts';
import { amount, rounds } from '../../harness/load/durations.ts';
import type { Scenario } from '../../harness/setup.ts';
import { withEngineAlone } from './engine-alone.ts';

const things = 1_000;
const names = 5;
const everySeconds = 20 * 60;
const records = () => Number(process.env['BENCH_RECORDS'] ?? amount(10_000_000, 1_000_000));
const pageRows = 10;
/** Calls of each query in a turn; in turns, so that changes of the machine's speed affect all of them. */
const queriesPerTurn = 10;
const turns = () => rounds(60);
/** Calls before the measurement: until Node has compiled the server's code. */
const warmUps = () => amount(1_000, 100);

/** A query, and how long it takes over HTTP and in the engine alone. */
type Pair = { name: string; ceiling: number; http: Ask; alone: Ask };
type Ask = () => Promise<unknown>;

/** The cost of the embedded engine's HTTP server on top of the engine, for small results. */
export const embeddedEngine: Scenario = async ({ scratch }) => {
  const [served, bare] = [join(scratch, 'served'), join(scratch, 'bare')];
  const ids = Array.from({ length: things }, () => randomUUID());
  await fill(served, ids);
  const alone = [join(served, 'clickhouse'), bare] as const;
  return withEngineAlone(alone, (engine) => besideServer(engine, served, ids));
};

async function besideServer(
  engine: Session,
  served: string,
  ids: readonly string[],
): Promise<Figure[]> {
  const running = await startClickHouse(served);
  const clients = openClickHouseClients(running.url, running.url);
  const dispatcher = new Agent({ connections: 1 });
  try {
    const store = openStore({ clickhouse: clients }, new AbortController().signal);
    const page = await pageQuery();
    const bound = (): Bound => ({
      ...page.bound,
      p0: ids[Math.floor(Math.random() * things)] ?? '',
    });
    return await measure([
      {
        name: 'SELECT 1',
        ceiling: 1.5,
        http: async () => {
          const body = 'SELECT 1';
          const answer = await request(running.url, { method: 'POST', body, dispatcher });
          await answer.body.text();
        },
        alone: () => engine.queryAsync('SELECT 1', { format: 'TabSeparated' }),
      },
      {
        name: `newest ${pageRows} of a thing`,
        ceiling: 2,
        http: () => store.text(page.query, bound()),
        alone: () => engine.queryBindAsync(page.query, bound(), { format: 'TabSeparatedRaw' }),
      },
    ]);
  } finally {
    await clients.close();
    await dispatcher.close();
    await running.end('SIGTERM');
  }
}

/** Creates a store; its process has ended afterwards. */
async function fill(dataDir: string, ids: readonly string[]): Promise<void> {
  const running = await startClickHouse(dataDir);
  await migrateClickHouse(running.url, createLog('bench', 'silent'));
  const clickhouse = openClickHouse(running.url, 'millrace-bench', 3_600_000);
  const count = records() / (things * names);
  const begin = Math.floor(Date.now() / 1_000) - count * everySeconds;
  await fillStore(clickhouse, 'senml', { things: ids, names, everySeconds, rounds: count, begin });
  await clickhouse.close();
  await running.end('SIGTERM');
}

/** The reader's own query for the newest of a publisher, which is bound as `p0`. */
async function pageQuery(): Promise<{ query: string; bound: Bound }> {
  const asked: { query: string; bound: Bound }[] = [];
  const nothing = (query: string, bound: Bound) => {
    asked.push({ query, bound });
    return Promise.reject(new Error('only the query is wanted'));
  };
  const recorder = { text: nothing, lines: nothing, file: nothing, change: nothing };
  const where = whereOf('senml', {}, { publishers: [randomUUID()] });
  const range = { limit: pageRows, offset: 0, dir: 'desc' } as const;
  await readMessagesOfOne(recorder, 'senml', { all: where, range }).catch(() => undefined);
  const [first] = asked;
  if (first === undefined) throw new Error('the reader asked nothing');
  return first;
}

async function measure(pairs: readonly Pair[]): Promise<Figure[]> {
  const times = pairs.map((pair) => ({ pair, http: [] as number[], alone: [] as number[] }));
  for (const { http, alone } of pairs) {
    await timed(http, warmUps());
    await timed(alone, warmUps());
  }
  for (let turn = 0; turn < turns(); turn++) {
    for (const { pair, http, alone } of times) {
      http.push(...(await timed(pair.http, queriesPerTurn)));
      alone.push(...(await timed(pair.alone, queriesPerTurn)));
    }
  }
  return times.flatMap(({ pair: { name, ceiling }, http, alone }) => [
    info(`${name} in the engine alone`, median(alone), 'ms'),
    info(`${name} over the embedded HTTP`, median(http), 'ms'),
    atMost(`${name}, HTTP to the engine alone`, median(http) / median(alone), 'ratio', ceiling),
  ]);
}

async function timed(ask: Ask, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const startedAt = performance.now();
    await ask();
    times.push(performance.now() - startedAt);
  }
  return times;
}
