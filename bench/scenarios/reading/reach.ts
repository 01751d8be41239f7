import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../../infra/runtime/stores/postgres.ts';
import { atMost, type Figure, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import type { Bench } from '../../harness/setup.ts';

/** A user who may read so many things, in 24 groups. */
const reaches = [240, 24_000, 240_000];
const groups = 24;
/** Records of each thing, six hours apart. */
const rounds = 10;
const turns = 40;

/** One store, merged, read in turns by users who may read few things and many. */
export const reach: Scenario = async (bench) => {
  const pool = openPostgres(bench.system.databaseUrl, 2, 300_000, createLog('bench', 'silent'));
  const clickhouse = openClickHouse(bench.system.clickhouseUrl, 'millrace-bench', 600_000);
  try {
    const people: { things: number; token: string }[] = [];
    for (const things of reaches) {
      people.push({ things, token: await createPerson(bench, pool, things) });
    }
    // The first read brings them to ClickHouse.
    for (const { token } of people) await ask(bench, token, '/reader/senml');
    await clickhouse.command({
      query: `INSERT INTO senml (publisher, protocol, name, time, kind, given, log, batch)
              SELECT publisher, 'http', 'sensor',
                     (1790000000000 + round * 21600000 + sipHash64(publisher, round) % 3600000) * 1000000,
                     'value', sipHash64(publisher, round) % 1000 / 10, 'bench', round
              FROM publishers FINAL ARRAY JOIN range(${rounds}) AS round`,
    });
    await clickhouse.command({ query: 'OPTIMIZE TABLE senml FINAL' });
    return [
      ...(await compare(bench, people, 'newest 10', '/reader/senml', 2)),
      // No projection has this: the records of each thing's newest day are read.
      ...(await compare(bench, people, 'a page by name', '/reader/senml?name=sensor', 3)),
      ...(await exporting(bench, people)),
    ];
  } finally {
    await clickhouse.close();
    await pool.end();
  }
};

/** A user who may read so many things, which are created by SQL. */
async function createPerson({ fleet }: Bench, pool: Pool, things: number): Promise<string> {
  const person = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const idOf = (location: unknown) => String(location).split('/').at(-1);
  const user = await fleet.call('POST', '/users', person);
  const org = await fleet.call('POST', '/orgs', { name: randomUUID() });
  await pool.query(
    `WITH made AS (
       INSERT INTO groups (id, org_id, name)
       SELECT gen_random_uuid(), $1, 'group ' || i FROM generate_series(1, $2) AS i RETURNING id),
     profile AS (
       INSERT INTO profiles (id, group_id, name) SELECT gen_random_uuid(), id, 'profile' FROM made
       RETURNING id, group_id),
     member AS (
       INSERT INTO group_memberships (group_id, member_id, role) SELECT id, $3, 'viewer' FROM made)
     INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed)
     SELECT gen_random_uuid(), group_id, id, 'thing ' || i, 'sensor',
            sha256(convert_to(id::text || i, 'UTF8')), ''
     FROM profile CROSS JOIN generate_series(1, $4) AS i`,
    [idOf(org.headers['location']), groups, idOf(user.headers['location']), things / groups],
  );
  const { body } = await fleet.call('POST', '/tokens', person);
  return Object(body).token;
}

async function ask({ system }: Bench, token: string, path: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await request(`${system.apiUrl}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return performance.now() - startedAt;
}

type People = readonly { things: number; token: string }[];

async function compare(
  bench: Bench,
  people: People,
  what: string,
  path: string,
  ceiling: number,
): Promise<Figure[]> {
  const times = people.map(() => new Array<number>());
  for (let turn = -3; turn < turns; turn++) {
    for (const [at, { token }] of people.entries()) {
      const ms = await ask(bench, token, path);
      if (turn >= 0) times[at]?.push(ms);
    }
  }
  const medians = times.map(median);
  const [least = Number.NaN] = medians;
  return people.flatMap(({ things }, at) => {
    const ms = medians[at] ?? Number.NaN;
    const figure = info(`${what} of ${things} things`, ms, 'ms');
    if (at === 0) return [figure];
    return [figure, atMost(`${what} of ${things} things to 240`, ms / least, 'ratio', ceiling)];
  });
}

/** Exports everything that a user may read, in rows per second. */
async function exporting(bench: Bench, people: People): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { things, token } of people.slice(1)) {
    const ms = await ask(bench, token, '/reader/senml/export?convert=ndjson');
    figures.push(info(`export of ${things} things`, (things * rounds * 1_000) / ms, 'rows/s'));
  }
  return figures;
}
