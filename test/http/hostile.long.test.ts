import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import {
  type Path,
  placesIn,
  valueAt,
  withMembers,
  withTextAt,
} from '../support/malformed/bodies.ts';
import { hostileBodies, hostileParts, hostileValues } from '../support/malformed/values.ts';
import { type Answer, at, call, json, textAt } from '../support/api/http.ts';
import { samples } from '../access/matrix/requests.ts';
import type { Sample } from '../access/matrix/sample.ts';
import { createWorld, type Place, type World } from '../access/matrix/world.ts';
import { inParallel } from '../support/api/parallel.ts';
import { allRoutes, type Route } from '../support/api/routes.ts';

const atOnce = 16;
/** Failed logins and unknown keys count for an address of their own. */
const from = '127.0.0.77';

/** They take nothing, or pass it on. */
const ofOperators: readonly string[] = [
  'passToEdge',
  'viewMetrics',
  'viewDocs',
  'enterConsole',
  'viewQueuesPage',
];

let world: World;
let routes: Route[];
let running: number[];

beforeAll(async () => {
  running = await runningNow();
  world = await createWorld();
  routes = allRoutes.filter(
    ({ operation }) => !ofOperators.includes(operation) && !operation.startsWith('viewHealth'),
  );
});

afterAll(() => world.people.close());

const runningNow = () => Promise.all(['api', 'ingest'].map((name) => system().pid(name)));

/** A message and a backup are no resources with members to set. */
const noResources = ['passToEdge', 'restoreMessages'];
const writing = Object.entries(samples).filter(
  ([operation, sample]) => sample.body !== undefined && !noResources.includes(operation),
);

/** Who may do everything, except where it would be their own password that is at stake. */
function callerOf(operation: string): string {
  return operation === 'changeOwnPassword' ? world.newcomer.as : world.admin;
}

async function targetOf(sample: Sample): Promise<Place> {
  const { own } = world.places;
  return sample.fresh === undefined ? own : world.freshen(own, sample.fresh);
}

/** What is wrong with an answer to nonsense; nothing if it was taken, or refused in good order. */
function complaint(answer: Answer): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500 || status < 200 || (status >= 300 && status < 400)) return `${status} ${text}`;
  if (headers['set-cookie'] !== undefined) return 'it set a header';
  if (status < 400) return undefined;
  return typeof at(answer, 'error') === 'string' ? undefined : `no error in ${text}`;
}

/** For the report of a failure. */
const shown = (text: string) => (text.length > 120 ? `${text.slice(0, 117)}…` : text);

/** Where what an operation wrote is read back, and what stands there for the members of its body. */
const readsBack: Readonly<Record<string, (answer: Answer, place: Place) => string>> = {
  createUser: (answer) => String(answer.headers['location']),
  createOrg: (answer) => String(answer.headers['location']),
  createGroups: (answer) => String(answer.headers['location']),
  createTreeGroup: (answer) => String(answer.headers['location']),
  createProfiles: (answer) => `/profiles/${textAt(answer, 'profiles', 0, 'id')}`,
  createThings: (answer) => `/things/${textAt(answer, 'things', 0, 'id')}`,
  updateOrg: (_, place) => `/orgs/${place.orgId}`,
  updateGroup: (_, place) => `/groups/${place.groupId}`,
  updateTreeGroup: (_, place) => `/groups/${place.treeId}`,
  updateProfile: (_, place) => `/profiles/${place.profileId}`,
  updateThing: (_, place) => `/things/${place.thingId}`,
  createWebhooks: (answer) => `/webhooks/${textAt(answer, 0, 'id')}`,
  updateWebhook: (_, place) => `/webhooks/${place.webhookId}`,
};

/** What was taken and reads back as something else. */
async function distortion(
  operation: string,
  place: Place,
  path: Path,
  text: string,
  answer: Answer,
): Promise<string | undefined> {
  const where = readsBack[operation]?.(answer, place);
  const [first] = path;
  const inItem = typeof first === 'number' ? path.slice(1) : path;
  if (where === undefined || inItem.length === 0 || inItem[0] === 'password') return undefined;
  const sent: unknown = JSON.parse(text);
  const read = await call('GET', where, { as: world.admin });
  const found = valueAt(json(read), inItem);
  const cleared =
    sent === null && (found === undefined || found === '' || JSON.stringify(found) === '{}');
  return cleared || isSame(found, sent)
    ? undefined
    : `reads back as ${shown(JSON.stringify(found))}`;
}

/** The order of members does not count. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every((name) => isSame(Reflect.get(one, name), Reflect.get(other, name)))
  );
}

/** What no client may set, under the names that the interface, the tables and other systems use. */
const forgedId = randomUUID();
const forgedText = `forged-${randomUUID()}`;
const forgedTime = '2001-02-03T04:05:06.789Z';
const forged: Record<string, unknown> = {
  id: forgedId,
  owner_id: forgedId,
  org_id: forgedId,
  group_id: forgedId,
  profile_id: forgedId,
  thing_id: forgedId,
  user_id: forgedId,
  issuer_id: forgedId,
  inviter_id: forgedId,
  inviter_email: forgedText,
  invitee_id: forgedId,
  member_id: forgedId,
  subject: forgedText,
  value: forgedText,
  value_hash: forgedText,
  key: forgedText,
  key_lookup: forgedText,
  key_sealed: forgedText,
  external_key: forgedText,
  external_key_lookup: forgedText,
  password_hash: forgedText,
  org_name: forgedText,
  path: [forgedText],
  level: 5,
  children: [{ id: forgedId }],
  state: 'accepted',
  role: 'owner',
  invitee_role: 'owner',
  platform_admin: true,
  platformAdmin: true,
  admin: true,
  created_at: forgedTime,
  updated_at: forgedTime,
  issued_at: forgedTime,
  expires_at: forgedTime,
  total: 1,
};

/** Where a changed entity stands, and which of its columns its members are. */
const tables: Readonly<Record<string, readonly [string, (place: Place) => string]>> = {
  updateOrg: ['orgs', ({ orgId }) => orgId],
  updateGroup: ['groups', ({ groupId }) => groupId],
  updateProfile: ['profiles', ({ profileId }) => profileId],
  updateThing: ['things', ({ thingId }) => thingId],
  updateThingsMetadata: ['things', ({ thingId }) => thingId],
  updateWebhook: ['webhooks', ({ webhookId }) => webhookId],
  updateTreeGroup: ['tree_groups', ({ treeId }) => treeId],
};
const columnsOfKey = ['key_lookup', 'key_sealed'];

async function rowOf(operation: string, place: Place): Promise<Record<string, unknown>> {
  const [table, idOf] = tables[operation] ?? ['users', () => world.newcomer.id];
  const [row] = await world.people.rows(
    `SELECT to_jsonb(one) AS row FROM ${table} AS one WHERE id::text = $1`,
    [idOf(place)],
  );
  return { ...Object(row?.['row']) };
}

describe('what no client may set', () => {
  /** These are what the operation is there to set. */
  const taken: Readonly<Record<string, readonly string[]>> = { moveThing: ['group_id'] };

  it.each(writing)('is not set by %s', async (operation, sample) => {
    const place = await targetOf(sample);
    const admins = 'SELECT count(*)::int AS count FROM users WHERE platform_admin';
    const before = {
      row: await rowOf(operation, place),
      admins: await world.people.rows(admins, []),
    };
    const body = sample.body?.(place, world);
    const members = Object.fromEntries(
      Object.entries(forged).filter(([name]) => !taken[operation]?.includes(name)),
    );
    const answer = await call(sample.method, sample.path(place, world), {
      as: callerOf(operation),
      from,
      body: withMembers(body, members),
    });
    const good = operation === 'changeOwnPassword' ? 400 : sample.good;
    expect([answer.status, answer.text.includes('forged-')]).toEqual([good, false]);

    const after = await rowOf(operation, place);
    const given = new Set([body].flat().flatMap((one) => Object.keys(Object(one))));
    const mayChange = [
      ...given,
      'updated_at',
      ...(given.has('key') ? columnsOfKey : []),
      ...(given.has('secret') ? ['secret_sealed'] : []),
    ];
    const changed = Object.keys(after).filter(
      (name) => JSON.stringify(after[name]) !== JSON.stringify(before.row[name]),
    );
    expect(changed.filter((name) => !mayChange.includes(name))).toEqual([]);
    expect(await world.people.rows(admins, [])).toEqual(before.admins);
  });

  it('stands nowhere in the database afterwards', async () => {
    const found = await world.people.rows(
      `SELECT table_name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
      [],
    );
    const names = found.map((row) => String(row['table_name']));
    expect(names).toEqual(expect.arrayContaining(['users', 'orgs', 'things', 'tree_groups']));
    for (const name of names) {
      const rows = await world.people.rows(
        `SELECT one::text AS text FROM "${name}" AS one
         WHERE one::text LIKE '%forged-%' OR one::text LIKE '%2001-02-03%' OR one::text LIKE $1`,
        [`%${forgedId}%`],
      );
      expect([name, rows]).toEqual([name, []]);
    }
  });

  it('an invite is pending, whatever its maker says of it', async () => {
    const place = await world.freshen(world.places.own, 'org');
    const path = `/orgs/${place.orgId}/invites`;
    const body = { ...forged, email: world.newcomer.email, role: 'viewer' };
    expect((await call('POST', path, { as: world.admin, body })).status).toBe(201);
    const list = await call('GET', path, { as: world.admin });
    expect(at(list, 'invites', 0)).toMatchObject({ state: 'pending', invitee_role: 'viewer' });
  });
});

describe('nonsense in a body is refused, or kept as it is', () => {
  it.each(writing)('%s', async (operation, sample) => {
    const { method } = sample;
    const place = await targetOf(sample);
    const url = sample.path(place, world);
    const as = callerOf(operation);
    const body = () => sample.body?.(place, world);
    const wrong: string[] = [];

    const values = placesIn(body()).flatMap((path) =>
      hostileValues.map((text) => ({ path, text })),
    );
    // What reads back from one entity must not be overtaken by the next request.
    const width = sample.fresh !== undefined && operation in readsBack ? 1 : atOnce;
    await inParallel(width, values, async ({ path, text }) => {
      const raw = withTextAt(body(), path, text);
      const answer = await call(method, url, { as, raw, from });
      const problem =
        complaint(answer) ??
        (answer.status < 300 ? await distortion(operation, place, path, text, answer) : undefined);
      if (problem !== undefined) wrong.push(`${path.join('.')} = ${shown(text)}: ${problem}`);
    });

    await inParallel(atOnce, hostileBodies, async (raw) => {
      const problem = complaint(await call(method, url, { as, raw, from }));
      if (problem !== undefined) wrong.push(`${shown(raw)}: ${problem}`);
    });
    expect(wrong).toEqual([]);
  });

  it('and so are bytes that are no UTF-8, and bodies of other types', async () => {
    const wrong: string[] = [];
    for (const [operation, sample] of writing) {
      const url = sample.path(world.places.own, world);
      const as = callerOf(operation);
      const bytes = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
      const { status } = await call(sample.method, url, { as, raw: bytes, from });
      if (status !== 400) wrong.push(`${operation}: ${status} for bytes`);
      const headers = { 'content-type': 'text/xml' };
      const other = await call(sample.method, url, { as, raw: '<a/>', from, headers });
      if (other.status !== 415) wrong.push(`${operation}: ${other.status} for XML`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('nonsense in a URL is refused, or finds nothing', () => {
  it('in the place of an id', async () => {
    const wrong: string[] = [];
    const requests = routes
      .filter(({ url }) => url.includes(':'))
      .flatMap((route) => hostileParts.map((part) => ({ route, part })));
    expect(requests.length).toBeGreaterThan(1_000);
    await inParallel(atOnce, requests, async ({ route, part }) => {
      const { method, url, operation } = route;
      const sample = samples[operation];
      const body = sample?.body?.(world.places.own, world);
      const path = url.replaceAll(/:\w+/g, () => part);
      const answer = await call(method, path, {
        as: world.admin,
        from,
        ...(body === undefined ? {} : { body }),
      });
      const problem = complaint(answer);
      if (problem !== undefined) wrong.push(`${method} ${shown(path)}: ${problem}`);
      const isFree = operation === 'listTreeGroupsOfMember';
      if (answer.status < 300 && !isFree) wrong.push(`${method} ${shown(path)}: ${answer.status}`);
    });
    expect(wrong).toEqual([]);
  });

  it('in a query', async () => {
    const wrong: string[] = [];
    const requests = routes.flatMap((route) => {
      const sample = samples[route.operation];
      // A backup is a file of everything, of which there are only so many at once.
      if (sample === undefined || route.method !== 'GET') return [];
      if (route.operation === 'backupMessages') return [];
      const [path, query] = sample.path(world.places.own, world).split('?');
      const known = Object.keys(route.query);
      const unknown = ['__proto__', 'constructor', 'limit[]', '%00', '%ff', 'total'];
      // What a good query names beside it stays: nobody needs all messages to see one thing refused.
      const withQuery = (name: string, text: string) => {
        const others = (query ?? '').split('&').filter((one) => !one.startsWith(`${name}=`));
        return `${path}?${[text, ...others].filter((one) => one !== '').join('&')}`;
      };
      return [
        ...known.flatMap((name) => hostileParts.map((part) => withQuery(name, `${name}=${part}`))),
        ...[...known, ...unknown].flatMap((name) => [
          withQuery(name, name),
          withQuery(name, `${name}=1&${name}=2`),
        ]),
      ];
    });
    expect(requests.length).toBeGreaterThan(1_000);
    await inParallel(atOnce, requests, async (path) => {
      const answer = await call('GET', path, { as: world.admin, from });
      const problem = complaint(answer);
      if (problem !== undefined) wrong.push(`${shown(path)}: ${problem}`);
    });
    expect(wrong).toEqual([]);
  }, 180_000);
});

describe('after all this', () => {
  it('the same processes answer as before', async () => {
    expect(await runningNow()).toEqual(running);
    await eventually(async () => (await call('GET', '/health')).status === 200, 30_000);
    expect((await call('GET', '/orgs?limit=1', { as: world.admin })).status).toBe(200);
  });
});
