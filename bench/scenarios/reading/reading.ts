import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Session } from 'chdb';
import { Agent, request } from 'undici';
import { openClickHouseClients } from '../../../api/stores/clickhouse.ts';
import { withTimes } from '../../../api/http/query/time.ts';
import { whereOf } from '../../../api/messages/query/conditions.ts';
import { exportFile } from '../../../api/messages/export/export.ts';
import type { FileType } from '../../../api/messages/export/file-type.ts';
import { openStore } from '../../../api/messages/store/store.ts';
import { querySettings } from '../../../api/messages/store/settings.ts';
import { sessionsOn } from '../../../infra/local/clickhouse/engine/sessions.ts';
import { clickhouseDatabase, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { progress } from '../../harness/progress.ts';
import { atLeast, atMost, type Figure, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import type { Bench } from '../../harness/setup.ts';
import {
  bytesPerRecord,
  fillStore,
  storeRealSeries,
  type StoredFleet,
} from '../../../test/support/messages/stored.ts';
import { type Ask, patternFigures, type Readers } from './patterns.ts';

/** Ten thousand things in twenty groups; each of five names every twenty minutes of four weeks. */
const groups = 20;
const thingsPerGroup = 500;
const names = 5;
const everySeconds = 20 * 60;
const days = 28;
const records = Number(process.env['BENCH_RECORDS'] ?? 100_000_000);
/** The fleet whose bytes are looked at: 500 publishers with 20 names. */
const seededRecords = Math.min(records, 10_000_000);

const turns = 40;
const pages = 1_000;
const exportRounds = 3;
const second = 1_000_000_000n;
const day = 86_400n * second;

/** Reading a store of a hundred million records, through the API, warm. */
export const reading: Scenario = async (bench) => {
  const { system } = bench;
  const clickhouse = openClickHouse(system.clickhouseUrl, 'millrace-bench', 3_600_000);
  const agent = new Agent({ connections: 4 });
  try {
    for (const table of ['bench_seeded', 'bench_real']) {
      await clickhouse.command({ query: `CREATE TABLE ${table} AS senml` });
    }
    await fillStore(clickhouse, 'bench_seeded', {
      things: Array.from({ length: 500 }, () => randomUUID()),
      names: 20,
      everySeconds: 60,
      rounds: seededRecords / 10_000,
      begin: 1_790_000_000,
    });
    await storeRealSeries(clickhouse, 'bench_real');
    progress('stored the seeded fleet and the real series');

    const estate = await createEstate(bench);
    const rounds = Math.min(
      (days * 86_400) / everySeconds,
      records / (groups * thingsPerGroup * names),
    );
    const begin = Math.floor(Date.now() / 1_000) - days * 86_400;
    const fleet: StoredFleet = { things: estate.things, names, everySeconds, rounds, begin };
    await fillStore(clickhouse, 'senml', fleet);
    progress(`stored and merged ${millions(fleet)} million records`);
    const end = BigInt(begin + rounds * everySeconds) * second;

    const ask = async (token: string, query: string) => {
      const answer = await request(`${system.apiUrl}/reader/senml?${query}`, {
        dispatcher: agent,
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200)
        throw new Error(`${query} answered ${answer.statusCode}: ${text}`);
      return text;
    };
    return [
      atMost(
        'bytes per record, seeded fleet',
        await bytesPerRecord(clickhouse, 'bench_seeded'),
        'bytes',
        2.9,
      ),
      info(
        'bytes per record, real series',
        await bytesPerRecord(clickhouse, 'bench_real'),
        'bytes',
      ),
      info('bytes per record, this fleet', await bytesPerRecord(clickhouse, 'senml'), 'bytes'),
      ...(await withEngineAlone(
        [join(system.dataDir, 'clickhouse'), join(bench.scratch, 'engine-alone')],
        (engine) => patternFigures(system, { ...estate, end }, ask, engine),
      )),
      ...(await pageByPage(estate.admin.token, ask)),
      ...(await exporting(bench, estate.admin.token, end)),
    ];
  } finally {
    await agent.close();
    await clickhouse.close();
  }
};

const millions = (fleet: StoredFleet) =>
  (fleet.things.length * fleet.names * fleet.rounds) / 1_000_000;

/**
 * The embedded engine without its server, in this process, on a copy of a store in which nothing changes. `use` asks
 * it with the settings of the reader's queries.
 */
async function withEngineAlone<R>(
  [store, copy]: readonly [string, string],
  use: (engine: Session) => Promise<R>,
): Promise<R> {
  cpSync(store, copy, { recursive: true });
  const engine = sessionsOn(copy).open();
  try {
    const settings = Object.entries(querySettings).map(([name, value]) => `${name} = '${value}'`);
    await engine.queryAsync(`USE ${clickhouseDatabase}; SET ${settings.join(', ')}`);
    return await use(engine);
  } finally {
    engine.close();
  }
}

/** `viewer` sees half of the things. */
type Estate = Pick<Readers, 'things' | 'admin' | 'viewer'>;

async function createEstate({ fleet, system }: Bench): Promise<Estate> {
  const login = async (email: string, password: string): Promise<string> => {
    const { body } = await fleet.call('POST', '/tokens', { email, password });
    return Object(body).token;
  };
  const viewer = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const user = await fleet.call('POST', '/users', viewer);
  const userId = idIn(user.headers['location']);
  const org = await fleet.call('POST', '/orgs', { name: randomUUID() });
  const orgId = idIn(org.headers['location']);
  await fleet.call('POST', `/orgs/${orgId}/memberships`, {
    org_memberships: [{ email: viewer.email, role: 'viewer' }],
  });
  const withoutKey = {
    kind: 'user',
    apiKeyId: undefined,
    sessionId: undefined,
    org: undefined,
  } as const;
  const things: string[] = [];
  for (let at = 0; at < groups; at++) {
    const group = await fleet.call('POST', `/orgs/${orgId}/groups`, { name: `group ${at}` });
    const groupId = idIn(group.headers['location']);
    if (at % 2 === 0) {
      await fleet.call('POST', `/groups/${groupId}/memberships`, {
        group_memberships: [{ member_id: userId, role: 'viewer' }],
      });
    }
    const profiles = await fleet.call('POST', `/groups/${groupId}/profiles`, [{ name: 'profile' }]);
    const [profile] = Object(profiles.body).profiles;
    const list = Array.from({ length: thingsPerGroup }, (_, i) => ({
      name: `${i}`,
      type: 'sensor',
    }));
    const made = await fleet.createThings(Object(profile).id, list);
    things.push(...made.map(({ id }) => id));
  }
  return {
    things,
    admin: {
      token: await login(system.adminEmail, system.adminPassword),
      caller: { ...withoutKey, id: randomUUID(), email: system.adminEmail, platformAdmin: true },
    },
    viewer: {
      token: await login(viewer.email, viewer.password),
      caller: { ...withoutKey, id: userId, email: viewer.email, platformAdmin: false },
    },
  };
}

/** The id at the end of a `Location`. */
const idIn = (location: unknown) => String(location).split('/').at(-1) ?? '';

/** Page after page of everything by cursor. */
async function pageByPage(admin: string, ask: Ask): Promise<Figure[]> {
  const next = (text: string): string => JSON.parse(text).next;
  let cursor = next(await ask(admin, ''));
  const first = await timed(turns, () => ask(admin, ''));
  const early = await timed(turns, () => ask(admin, `cursor=${cursor}`));
  for (let page = 2; page < pages; page++) cursor = next(await ask(admin, `cursor=${cursor}`));
  const late = await timed(turns, () => ask(admin, `cursor=${cursor}`));
  return [
    atMost('page 1,000 of everything to page 1', late / first, 'ratio', 1.2),
    atMost('page 1,000 of everything to page 2', late / early, 'ratio', 1.2),
    info('page 1,000 of everything', late, 'ms'),
  ];
}

/** The median of so many calls in milliseconds, after some to warm up. */
async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = -5; at < count; at++) {
    const startedAt = performance.now();
    await work();
    if (at >= 0) times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** A day and a half of everything, by the API and by ClickHouse alone, in turns. */
async function exporting({ system }: Bench, admin: string, end: bigint): Promise<Figure[]> {
  const clients = openClickHouseClients(system.clickhouseUrl, system.clickhouseUrl);
  const store = openStore({ clickhouse: clients }, new AbortController().signal);
  const range = { from: String(end - (3n * day) / 2n), to: String(end) };
  const figures: Figure[] = [];
  for (const type of ['csv', 'ndjson', 'parquet'] satisfies FileType[]) {
    const byApi: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < exportRounds; round++) {
      byApi.push(
        await bytesPerSecond(async () => {
          const query = new URLSearchParams({ convert: type, ...range });
          const url = `${system.apiUrl}/reader/senml/export?${query.toString()}`;
          const headers = { authorization: `Bearer ${admin}` };
          return (await request(url, { headers })).body;
        }),
      );
      alone.push(
        await bytesPerSecond(() =>
          exportFile(
            store,
            'senml',
            whereOf('senml', withTimes(range), { kind: 'all' }),
            { type, dir: 'desc', order: 'store', times: 'unix' },
            undefined,
          ),
        ),
      );
    }
    const megabytes = median(byApi) / 1_000_000;
    figures.push(
      atLeast(`${type} export to ClickHouse alone`, median(byApi) / median(alone), 'ratio', 0.85),
      info(`${type} export`, megabytes, 'MB/s'),
    );
  }
  await clients.close();
  return figures;
}

async function bytesPerSecond(open: () => Promise<Readable>): Promise<number> {
  const startedAt = performance.now();
  let bytes = 0;
  for await (const chunk of await open()) bytes += Buffer.byteLength(chunk);
  return (bytes * 1_000) / (performance.now() - startedAt);
}
