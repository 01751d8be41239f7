import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WithTimes } from '../../../api/http/query/time.ts';
import { aggregationOf } from '../../../api/messages/aggregates/aggregation.ts';
import { readBuckets } from '../../../api/messages/aggregates/buckets.ts';
import { readChartPoints } from '../../../api/messages/aggregates/downsampling.ts';
import { exportFile } from '../../../api/messages/export/export.ts';
import { findHeads } from '../../../api/messages/live/heads.ts';
import { placeAfter, placeAt } from '../../../api/messages/live/position.ts';
import { readAfter } from '../../../api/messages/live/rows.ts';
import { pageText } from '../../../api/messages/columns/text.ts';
import { countMessages, findNewest, readMessages } from '../../../api/messages/pages/sql.ts';
import { whereOf } from '../../../api/messages/query/conditions.ts';
import { insertPublishers, sumOfPublishers } from '../../../api/messages/reach/publishers-sql.ts';
import { openStore, type Store } from '../../../api/messages/store/store.ts';
import { type ClickHouseClients, openClickHouseClients } from '../../../api/stores/clickhouse.ts';
import { measureStore } from '../../../api/operations/history/store-metrics.ts';
import { migrateClickHouse } from '../../../infra/migrations/migrate.ts';
import { createMetrics } from '../../../infra/runtime/observability/metrics.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { onShards, storeUrl } from '../../../infra/runtime/stores/cluster.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import { deleteMessages } from '../../../workers/erase/sql.ts';
import { rulesFor } from '../../../workers/retention/rules.ts';
import { findDigest, replaceKept, setRules, sweep } from '../../../workers/retention/store.ts';
import { type Cluster, clusterName, startCluster } from '../../support/services/cluster/trial.ts';
import { eventually } from '../../support/eventually.ts';

const publisher = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const group = '00000000-0000-4000-8000-0000000000aa';
const begin = 1_700_000_000;

type Side = { clients: ClickHouseClients; store: Store };

let cluster: Cluster;
/** One server, and two shards, with the same messages. */
let one: Side;
let two: Side;

beforeAll(async () => {
  cluster = await startCluster();
  one = await fill(`${cluster.engineUrl}/single`);
  two = await fill(storeUrl({ CLICKHOUSE_URL: cluster.url, CLICKHOUSE_CLUSTER: clusterName }));
});

afterAll(async () => {
  await one.clients.close();
  await two.clients.close();
  await cluster.stop();
});

/** 40 things; each has 50 records and 50 payloads of a minute each. Half of the things are in the group. */
async function fill(url: string): Promise<Side> {
  await migrateClickHouse(url, createLog('test', 'silent'));
  const clients = openClickHouseClients(url, url);
  const id = `toUUID(concat('00000000-0000-4000-8000-', leftPad(toString(number % 40), 12, '0')))`;
  const time = `(${begin} + intDiv(number, 40) * 60) * 1000000000 + number % 40`;
  const log = `'log', 1 + intDiv(number, 500)`;
  await clients.writer.command({
    query: `INSERT INTO senml (publisher, name, unit, time, kind, given, log, batch)
            SELECT ${id}, concat('n', toString(number % 3)), 'Cel', ${time}, 'value', number / 4, ${log}
            FROM numbers(2000)`,
  });
  await clients.writer.command({
    query: `INSERT INTO json (publisher, created, payload, log, batch)
            SELECT ${id}, ${time}, concat('{"t":', toString(number), '}'), ${log} FROM numbers(2000)`,
  });
  const changes = Array.from({ length: 20 }, (_, at) => ({
    version: String(at + 1),
    group_id: group,
    thing_id: publisher(at * 2),
    gone: at === 0,
  }));
  await insertPublishers(clients.writer, changes);
  return { clients, store: openStore({ clickhouse: clients }, new AbortController().signal) };
}

const ofGroup = { kind: 'groups', groups: [group] } as const;

/** The answers of one server and of two shards. */
async function bothOf<T>(ask: (side: Side) => Promise<T>): Promise<[T, T]> {
  return [await ask(one), await ask(two)];
}

async function expectSame<T>(ask: (side: Side) => Promise<T>): Promise<T> {
  const [single, sharded] = await bothOf(ask);
  expect(sharded).toEqual(single);
  return single;
}

async function page(
  side: Side,
  format: 'senml' | 'json',
  query: WithTimes<ReaderQuery>,
): Promise<string[]> {
  const written = pageText(format, undefined);
  const asked = {
    all: whereOf(format, query, ofGroup),
    from: undefined,
    range: { ...query, written },
  };
  const { messages, close } = await readMessages(side.store, format, asked, { counts: true });
  const texts: string[] = [];
  for await (const message of messages) texts.push(message.text);
  close();
  return texts;
}

const base = { limit: 10, offset: 0, dir: 'desc' } as const;

describe('a reader of two shards sees what one of one server sees', () => {
  it('the messages are on both shards', async () => {
    const result = await two.clients.reader.query({
      query:
        'SELECT uniqExact(_shard_num) FROM senml UNION ALL SELECT uniqExact(_shard_num) FROM json',
      format: 'JSONCompactEachRow',
    });
    expect(await result.json()).toEqual([[2], [2]]);
  });

  it.each(['senml', 'json'] as const)('pages and totals of %s', async (format) => {
    const total = await expectSame(({ store }) =>
      countMessages(store, format, whereOf(format, {}, ofGroup)),
    );
    expect(total).toBe('950');
    expect(await expectSame((side) => page(side, format, base))).toHaveLength(10);
    await expectSame((side) => page(side, format, { ...base, dir: 'asc', offset: 333 }));
    await expectSame(async ({ store }) => {
      const { total: all } = await findNewest(store, format, whereOf(format, {}, ofGroup), {
        dir: 'desc',
        reached: 7,
      });
      return all;
    });
  });

  it('buckets, with gaps filled, and the points of a chart', async () => {
    const query: WithTimes<ReaderQuery> = {
      ...base,
      agg_type: 'avg',
      agg_interval: 'hour',
      agg_fill: 'linear',
    };
    const aggregation = aggregationOf('senml', query);
    if (aggregation === undefined) throw new Error('it is one');
    await expectSame(({ store }) =>
      readBuckets(store, 'senml', whereOf('senml', {}, ofGroup), aggregation, query),
    );
    const points = await expectSame(({ store }) => {
      const where = whereOf(
        'senml',
        { name: 'n1' },
        { kind: 'publishers', publishers: [publisher(4)] },
      );
      return readChartPoints(store, 'senml', where, {
        ...base,
        points: 8,
        written: pageText('senml', undefined),
      });
    });
    expect(points.length).toBeGreaterThan(0);
  });

  it.each([
    ['csv', 'time'],
    ['csv', 'store'],
    ['ndjson', 'time'],
    ['ndjson', 'store'],
  ] as const)('exports as %s in the order of %s', async (type, order) => {
    for (const format of ['senml', 'json'] as const) {
      const file = await expectSame(async ({ store }) => {
        const where = whereOf(format, {}, ofGroup);
        const request = { type, dir: 'asc', order, times: 'unix' } as const;
        return text(await exportFile(store, format, where, request, undefined));
      });
      expect(file.trim().split('\n').length).toBeGreaterThan(900);
    }
  });

  it('exports as Arrow, whose columns have the names of the table', async () => {
    const request = { type: 'arrow', dir: 'asc', order: 'time', times: 'unix' } as const;
    const file = await expectSame(async ({ store }) => {
      const where = whereOf(
        'senml',
        { name: 'n1' },
        { kind: 'publishers', publishers: [publisher(4)] },
      );
      return text(await exportFile(store, 'senml', where, request, undefined));
    });
    expect(file).toContain('string_value');
  });

  it('a live stream that is resumed within a batch gives each message once', async () => {
    const [head] = await expectSame(async ({ clients }) => [
      ...(await findHeads(clients.watcher, 'senml')),
    ]);
    expect(head).toEqual(['log', { batch: 4, rows: '2000' }]);
    const given: string[] = [];
    let place = placeAt(1);
    for (let isLast = false; !isLast; ) {
      const where = whereOf('senml', {}, { kind: 'all' });
      const range = { log: 'log', place, batch: 4 };
      const { rows, more } = await readAfter(two.clients.watcher, 'senml', where, range);
      // As clients that leave after some of them.
      const some = rows.slice(0, 423);
      for (const row of some) {
        given.push(row.text);
        place = placeAfter(place, row);
      }
      isLast = !more && some.length === rows.length;
    }
    expect(given).toHaveLength(2_000);
    expect(new Set(given).size).toBe(2_000);
  });

  it('what a group has is compared, whichever server answers', async () => {
    await expectSame(({ clients }) => sumOfPublishers(clients.writer, '0'));
  });
});

it('the store tells its size, parts and merges', async () => {
  for (const { clients } of [one, two]) {
    const registry = createMetrics({ version: '', commit: '', description: '', build_time: '' });
    measureStore(registry, clients.writer);
    const metrics = await registry.metrics();
    expect(metrics).toMatch(/^millrace_store_bytes [1-9]\d+$/m);
    expect(metrics).toMatch(/^millrace_store_parts [1-9]\d*$/m);
    expect(metrics).toMatch(/^millrace_store_merges \d+$/m);
  }
});

describe('what is deleted is gone from every shard', () => {
  const rest = (format: 'senml' | 'json') =>
    expectSame(({ store }) => countMessages(store, format, whereOf(format, {}, { kind: 'all' })));

  it('by filters and by groups', async () => {
    const where = whereOf('senml', { name: 'n2' }, ofGroup);
    for (const { clients, store } of [one, two]) {
      const table = onShards(clients.long.cluster, 'senml');
      await store.change(`DELETE FROM ${table} WHERE ${where.text}`, where.bound);
    }
    expect(Number(await rest('senml'))).toBeLessThan(2_000);
  });

  it('of things that are gone', async () => {
    const ids = [publisher(1), publisher(2), publisher(3), publisher(5)];
    for (const { clients } of [one, two]) await deleteMessages(clients.writer, 'json', ids);
    expect(await rest('json')).toBe('1800');
  });

  it('by retention, whose rules every shard has', async () => {
    const before = Number(await rest('json'));
    const kept = [6, 7, 8, 9].map((number) => ({ publisher: publisher(number), days: 7 }));
    for (const { clients } of [one, two]) {
      await replaceKept(clients.writer, kept);
      expect(await setRules(clients.writer, rulesFor([7]))).toBe(true);
      expect(await setRules(clients.writer, rulesFor([7]))).toBe(false);
      expect(await sweep(clients.writer, rulesFor([7]))).toBe(true);
    }
    await expectSame(({ clients }) => findDigest(clients.writer));
    await eventually(async () => {
      const counts = await bothOf(async ({ store }) =>
        countMessages(store, 'json', whereOf('json', {}, { kind: 'all' })),
      );
      expect(counts).toEqual([String(before - 200), String(before - 200)]);
    });
  });
});
