import { randomUUID } from 'node:crypto';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { Secret } from '../../../infra/runtime/process/config.ts';
import { createKeyVault } from '../../../infra/runtime/process/secrets.ts';
import { openPostgres } from '../../../infra/runtime/stores/postgres.ts';
import { Fleet } from '../../../test/support/fleet.ts';
import { percentile } from '../../../test/support/statistics.ts';
import { atMost, type Figure, info } from '../../harness/figures.ts';
import { amount } from '../../harness/load/durations.ts';
import type { Bench, Scenario } from '../../harness/setup.ts';

const things = () => amount(1_000_000, 20_000);
const groups = 100;
const turns = () => amount(20, 5);
const calmMs = 300;

/** The requests that the home page and the list of things make, by what they are called here. */
const asked: Readonly<Record<string, string>> = {
  overview: 'overview',
  'the last changes': 'audit?grouped=true&limit=8',
  list: 'things?order=id',
  'list by name': 'things?order=name&dir=asc',
  'list by when they were heard': 'things?order=last_seen',
  'list by silence': 'things?order=last_seen&dir=asc',
  'silent ones by silence': `things?order=last_seen&dir=asc&heard=true`,
  'search of a common word': 'things?order=name&dir=asc&text=pump',
  'search of two common characters': 'things?order=name&dir=asc&text=pu',
  'search of two rare characters': 'things?order=name&dir=asc&text=qx',
  'search of two characters that no name has': 'things?order=name&dir=asc&text=zj',
  'search of a number of two digits': 'things?order=name&dir=asc&text=77',
  'search of one character': 'things?order=name&dir=asc&text=z',
  'search of two rare characters, by when they were heard': 'things?order=last_seen&text=qx',
  'search of a whole name': 'things?order=name&dir=asc&text=777777',
};

/**
 * How long an operator of a million things waits for the home page and for the list, alone with the system, and how long
 * somebody who has one thing beside these.
 */
export const millionThings: Scenario = async (bench) => {
  const owner = await register(bench);
  const org = await createFleet(bench, owner);
  const neighbour = await register(bench);
  await neighbour.thing();
  const { body } = await neighbour.call('GET', '/orgs');
  const orgId: string = Object(body).orgs[0].id;
  const figures: Figure[] = [info('things', things(), 'things')];
  const askers = [
    ['the admin', bench.fleet, ''],
    ['the owner', owner, `/orgs/${org}`],
    ['a neighbour with one thing', neighbour, `/orgs/${orgId}`],
  ] as const;
  for (const [who, fleet, place] of askers) {
    for (const [what, path] of Object.entries(asked)) {
      const page = path.startsWith('things') ? '&limit=50&total_max=10000' : '';
      const times = await timeEach(fleet, `${place}/${path}${page}`);
      figures.push(
        atMost(`${what}, ${who}, p50`, percentile(times, 0.5), 'ms', calmMs),
        info(`${what}, ${who}, p95`, percentile(times, 0.95), 'ms'),
      );
    }
  }
  await owner.close();
  await neighbour.close();
  return figures;
};

/** A person who has an org and is no admin of the platform. */
async function register({ fleet, system }: Bench): Promise<Fleet> {
  const email = `${randomUUID()}@example.com`;
  const password = randomUUID();
  const made = await fleet.call('POST', '/users', { email, password });
  if (made.status !== 201) throw new Error(`the user was answered ${made.status}`);
  return Fleet.login({
    apiUrl: system.apiUrl,
    ingestUrl: system.ingestUrl,
    adminEmail: email,
    adminPassword: password,
  });
}

/**
 * An org with all the things, past the API: what is measured is how they are read. One of ten was never heard, and the
 * others within the last ten days.
 */
async function createFleet({ system, secretKey }: Bench, owner: Fleet): Promise<string> {
  const made = await owner.call('POST', '/orgs', { name: 'million' });
  const org = String(made.headers['location']).split('/').at(-1) ?? '';
  const names = Array.from({ length: groups }, (_, at) => ({ name: `hall ${at}` }));
  const answer = await owner.call('POST', `/orgs/${org}/groups`, names);
  const ids: string[] = Object(answer.body).groups.map((group: unknown) => Object(group).id);
  const pool = openPostgres(system.databaseUrl, 1, 600_000, createLog('bench', 'silent'));
  try {
    await pool.query(
      `INSERT INTO profiles (id, group_id, name) SELECT id, id, 'profile' FROM unnest($1::uuid[]) AS id`,
      [ids],
    );
    await pool.query(
      `INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed, metadata)
       SELECT gen_random_uuid(), place, place,
         (ARRAY['Pump', 'Valve', 'Boiler', 'Meter', 'Freezer', 'Fan', 'Gate'])[1 + at % 7] || ' ' || at
           || CASE WHEN at % 20000 = 0 THEN ' qx' ELSE '' END,
         'sensor', sha256(at::text::bytea), $4, jsonb_build_object('floor', at % 9)
       FROM (SELECT at, ($1::uuid[])[1 + at % $2] AS place FROM generate_series(1, $3::int) AS at) AS given`,
      [ids, groups, things(), createKeyVault(new Secret(secretKey)).seal('a key')],
    );
    await pool.query(
      `INSERT INTO things_seen (thing_id, in_group, seen_at)
       SELECT id, group_id, now() - random() * interval '10 days' FROM things
       WHERE group_id = ANY ($1::uuid[]) AND get_byte(uuid_send(id), 15) % 10 > 0`,
      [ids],
    );
    await pool.query('VACUUM ANALYZE');
  } finally {
    await pool.end();
  }
  return org;
}

async function timeEach(fleet: Fleet, path: string): Promise<number[]> {
  const times: number[] = [];
  // The first ones warm up.
  for (let turn = -3; turn < turns(); turn++) {
    const since = performance.now();
    const { status } = await fleet.call('GET', path);
    // One that takes too long is put off: it counts as long as it took.
    if (status !== 200 && status !== 503) throw new Error(`GET ${path} answered ${status}`);
    if (turn >= 0) times.push(performance.now() - since);
  }
  return times;
}
