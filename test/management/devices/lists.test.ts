import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createdAt,
  createThings,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';

/** What lists of profiles and of things have in common. */
const kinds = ['profiles', 'things'] as const;
type Kind = (typeof kinds)[number];

/** A profile or a thing as a list shows it to a viewer. */
type Shown = { id: string; name: string; group_id: string; metadata: object };

/** A viewer's group with five of them, and a group of the same org that the viewer is not in, with one. */
type Lists = {
  groupId: string;
  shown: Shown[];
  elsewhere: Shown;
  /** Everywhere and in each place, each by its path with and without the prefix of its service. */
  paths: string[];
  /** The places that a list may be of, by their collections. */
  places: [collection: string, id: string][];
};

const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

let admin: string;
let people: People;
let owner: Person;
let viewer: Person;
let outsider: Person;
let orgId: string;
const lists: Partial<Record<Kind, Lists>> = {};

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
  viewer = await people.register();
  outsider = await people.register();
  orgId = await createdAt('/orgs', owner.as, { name: 'org' });
  await people.join('org', orgId, viewer, 'viewer');
  const groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
  const otherGroupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'other' });
  await people.join('group', groupId, viewer, 'viewer');
  // Things have a profile of a group: it is made with the list of profiles.
  const profiles = await fill('profiles', groupId, otherGroupId);
  const profileIds = [profiles.shown[0], profiles.elsewhere].map((one) => one?.id ?? '');
  lists.profiles = profiles;
  lists.things = await fill('things', groupId, otherGroupId, profileIds);
});

afterAll(() => people.close());

/** Makes five in the first group, and one in the other; things by these profiles. */
async function fill(
  kind: Kind,
  groupId: string,
  otherGroupId: string,
  profileIds: readonly string[] = [],
): Promise<Lists> {
  const [profileId = '', otherProfileId = ''] = profileIds;
  const create = (name: string, type: string, metadata: object, isElsewhere = false) =>
    kind === 'profiles'
      ? createProfile(isElsewhere ? otherGroupId : groupId, { name, metadata })
      : createThing(
          isElsewhere ? otherGroupId : groupId,
          isElsewhere ? otherProfileId : profileId,
          { name, type, metadata },
        );
  const shown: Shown[] = [];
  for (const [name, type, metadata] of [
    ['Boiler', 'device', { a: 1, site: { city: 'Bern', floor: 2 } }],
    ['boiler probe', 'sensor', { a: 2, tags: ['x', 'y'] }],
    ['50% valve', 'actuator', {}],
    ['500 valve', 'controller', { a: 1 }],
    ['Ω-gate', 'gateway', { ключ: '"\\' }],
  ] as const) {
    shown.push(await create(name, type, metadata));
  }
  const places: [string, string][] = [
    ['groups', groupId],
    ['orgs', orgId],
    ...(kind === 'things' ? [['profiles', profileId] satisfies [string, string]] : []),
  ];
  const paths = ['', ...places.map(([collection, id]) => `/${collection}/${id}`)];
  return {
    groupId,
    shown: shown.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    elsewhere: await create('elsewhere', 'device', { a: 1 }, true),
    paths: paths.flatMap((path) => [`${path}/${kind}`, `/svcthings${path}/${kind}`]),
    places,
  };
}

async function createProfile(
  group: string,
  given: { name: string; metadata: object },
): Promise<Shown> {
  const profile = { id: randomUUID(), ...given, config: { write: true } };
  await createdAt(`/groups/${group}/profiles`, owner.as, [profile]);
  return { ...profile, group_id: group };
}

async function createThing(
  group: string,
  profile: string,
  given: { name: string; type: string; metadata: object },
): Promise<Shown> {
  const [made] = await createThings(owner.as, profile, [given]);
  if (made === undefined) throw new Error('no thing was made');
  const place = { group_id: group, profile_id: profile };
  return Object.assign({ id: made.id, ...given, ...place }, { last_seen: null });
}

describe.each(kinds)('lists and searches of %s', (kind) => {
  const own = (): Lists => {
    const found = lists[kind];
    if (found === undefined) throw new Error('nothing was made');
    return found;
  };
  const byName = (...names: string[]) =>
    names.map((name) => expect.objectContaining({ name }) as unknown);
  const malformed = (field: string) => new RegExp(`^malformed entity specification: ${field} `);
  const everything = () => ({
    total: 5,
    offset: 0,
    limit: 10,
    [kind]: own().shown.toReversed(),
  });

  it('have what the caller may see, whole, the highest id first', async () => {
    for (const path of own().paths) {
      const list = await call('GET', path, { as: viewer.as });
      expect([path, list.status, json(list)]).toEqual([path, 200, everything()]);
      const search = await call('POST', `${path}/search`, { as: viewer.as });
      expect([path, search.status, json(search)]).toEqual([path, 200, everything()]);
    }
  });

  it('are empty for users without a group, and refused for a place they are not in', async () => {
    const none = { total: 0, offset: 0, limit: 10, [kind]: [] };
    expect(json(await call('GET', `/${kind}`, { as: outsider.as }))).toEqual(none);
    expect(json(await call('POST', `/${kind}/search`, { as: outsider.as }))).toEqual(none);
    const past = await call('GET', `/${kind}?offset=50`, { as: viewer.as });
    expect(json(past)).toEqual({ ...none, total: 5, offset: 50 });

    for (const [collection, placeId] of own().places) {
      for (const [id, as, status] of [
        [placeId, outsider.as, 403],
        [absent, outsider.as, 404],
        [absent, admin, 404],
        ['no-uuid', admin, 400],
        [placeId, undefined, 401],
      ] as const) {
        const ask = as === undefined ? {} : { as };
        const path = `/${collection}/${id}/${kind}`;
        expect([path, (await call('GET', path, ask)).status]).toEqual([path, status]);
        expect([path, (await call('POST', `${path}/search`, ask)).status]).toEqual([path, status]);
      }
    }
    expect((await call('GET', `/${kind}`)).status).toBe(401);
    expect((await call('POST', `/${kind}/search`)).status).toBe(401);
  });

  it('of an org have those of the caller’s groups alone', async () => {
    const path = `/orgs/${orgId}/${kind}`;
    const totalFor = async (as: string) => at(await call('GET', path, { as }), 'total');
    expect(await totalFor(viewer.as)).toBe(5);
    expect(await totalFor(owner.as)).toBe(6);
    expect(await totalFor(admin)).toBe(6);
    for (const role of ['viewer', 'admin'] as const) {
      expect(await totalFor((await people.member('org', orgId, role)).as)).toBe(0);
    }
    const body = { name: 'elsewhere' };
    const search = await call('POST', `${path}/search`, { as: viewer.as, body });
    expect(at(search, 'total')).toBe(0);
    const found = await call('POST', `${path}/search`, { as: admin, body });
    expect(at(found, kind)).toMatchObject([own().elsewhere]);
  });

  it('are paged, in the order of the request', async () => {
    const ids = own().shown.map(({ id }) => id);
    const page = async (query: string) => {
      const path = `/groups/${own().groupId}/${kind}?${query}`;
      const answer = await call('GET', path, { as: viewer.as });
      expect([answer.status, at(answer, 'total')]).toEqual([200, 5]);
      return Object.values<Shown>(Object(json(answer))[kind]);
    };
    const names = async (query: string) => (await page(query)).map(({ name }) => name);
    const idsOf = async (query: string) => (await page(query)).map(({ id }) => id);

    expect(await idsOf('dir=asc')).toEqual(ids);
    expect(await idsOf('dir=desc')).toEqual(ids.toReversed());
    expect(await idsOf('limit=2&dir=asc')).toEqual(ids.slice(0, 2));
    expect(await idsOf('limit=2&offset=4&dir=asc')).toEqual(ids.slice(4));
    const sorted = ['50% valve', '500 valve', 'Boiler', 'boiler probe', 'Ω-gate'];
    expect(await names('order=name&dir=asc')).toEqual(sorted);
    expect(await names('order=name')).toEqual(sorted.toReversed());
    const made = ['Boiler', 'boiler probe', '50% valve', '500 valve', 'Ω-gate'];
    expect(await names('order=created_at&dir=asc')).toEqual(made);
    expect(await names('order=updated_at&dir=desc')).toEqual(made.toReversed());
    const body = { limit: 2, offset: 1, order: 'name', dir: 'asc' };
    const search = await call('POST', `/${kind}/search`, { as: viewer.as, body });
    const next = kind === 'things' ? { next: expect.any(String) } : {};
    const list = { [kind]: byName('500 valve', 'Boiler'), ...next };
    expect(json(search)).toEqual({ total: 5, ...body, ...list });
  });

  it.each([
    [{ name: 'BOIL' }, ['Boiler', 'boiler probe']],
    [{ name: '50%' }, ['50% valve']],
    [{ name: 'ω' }, ['Ω-gate']],
    [{ name: 'nothing' }, []],
    [{ metadata: { a: 1 } }, ['500 valve', 'Boiler']],
    [{ metadata: { site: { floor: 2 } } }, ['Boiler']],
    [{ metadata: { tags: ['y'] } }, ['boiler probe']],
    [{ metadata: { ключ: '"\\' } }, ['Ω-gate']],
    [{ metadata: {}, name: 'valve' }, ['50% valve', '500 valve']],
    [{ metadata: { a: 2 }, name: 'valve' }, []],
    ...(kind === 'things'
      ? ([
          [{ type: 'sensor' }, ['boiler probe']],
          [{ type: 'sensor', name: 'valve' }, []],
          [{ metadata: { a: 1 }, type: 'controller', name: 'VALVE' }, ['500 valve']],
        ] satisfies [object, string[]][])
      : []),
  ])('are filtered by %j, and repeat the filter', async (filters, names) => {
    const texts = Object.entries(filters).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const query = new URLSearchParams([['order', 'name'], ['dir', 'asc'], ...texts]).toString();
    const expected = {
      total: names.length,
      offset: 0,
      limit: 10,
      order: 'name',
      dir: 'asc',
      ...filters,
      [kind]: byName(...names),
    };
    for (const path of own().paths) {
      const list = await call('GET', `${path}?${query}`, { as: viewer.as });
      expect([path, list.status, json(list)]).toEqual([path, 200, expected]);
      const body = { order: 'name', dir: 'asc', ...filters };
      const search = await call('POST', `${path}/search`, { as: viewer.as, body });
      expect([path, search.status, json(search)]).toEqual([path, 200, expected]);
    }
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=abc', 'offset'],
    ['order=config', 'order'],
    ['order=key', 'order'],
    ['dir=down', 'dir'],
    ['name=a&name=b', 'name'],
    ['metadata=%7B', 'metadata'],
    ['metadata=%5B%5D', 'metadata'],
    ['metadata=7', 'metadata'],
    ['metadata=%7B%22a%22%3A1e400%7D', 'metadata'],
    [`metadata={"a":${'['.repeat(40)}${']'.repeat(40)}}`, 'metadata'],
    ...(kind === 'things'
      ? [
          ['type=toaster', 'type'],
          ['type=device&type=sensor', 'type'],
        ]
      : []),
  ])('refuse ?%s', async (query, field) => {
    for (const path of own().paths) {
      const answer = await call('GET', `${path}?${query}`, { as: viewer.as });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(textAt(answer, 'error')).toMatch(malformed(field));
    }
  });

  it.each([
    `limit=&offset=&order=&dir=&name=&metadata=${kind === 'things' ? '&type=' : ''}`,
    'total=0&level=1',
    'total=0&email=x&email=y&tree=true',
  ])('ignore what is empty or unknown: ?%s', async (query) => {
    for (const path of own().paths) {
      const answer = await call('GET', `${path}?${query}`, { as: viewer.as });
      expect([path, answer.status, json(answer)]).toEqual([path, 200, everything()]);
    }
  });

  it('ignore what is empty or unknown in the body of a search', async () => {
    const type = kind === 'things' ? { type: '' } : {};
    const body = { name: '', metadata: null, order: '', total: 0, colour: 'red', ...type };
    for (const path of own().paths) {
      for (const ask of [{ body: {} }, { raw: '' }, { body }]) {
        const answer = await call('POST', `${path}/search`, { as: viewer.as, ...ask });
        expect([path, answer.status, json(answer)]).toEqual([path, 200, everything()]);
      }
    }
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 201 }, 'limit'],
    [{ limit: '10' }, 'limit'],
    [{ offset: -1 }, 'offset'],
    [{ order: 'config' }, 'order'],
    [{ order: 'key' }, 'order'],
    [{ dir: 'down' }, 'dir'],
    [{ name: 7 }, 'name'],
    [{ metadata: '{}' }, 'metadata'],
    [{ metadata: [] }, 'metadata'],
    [[], 'body'],
    ...(kind === 'things' ? ([[{ type: 'toaster' }, 'type']] satisfies [object, string][]) : []),
  ])('refuse the body %j', async (body, field) => {
    for (const path of own().paths) {
      const answer = await call('POST', `${path}/search`, { as: viewer.as, body });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(textAt(answer, 'error')).toMatch(malformed(field));
    }
  });
});
