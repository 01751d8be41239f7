import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';

/** A profile as it is made and shown. */
type Profile = { id: string; name: string; group_id: string; metadata: object; config: object };

let admin: string;
let people: People;
let owner: Person;
let viewer: Person;
let outsider: Person;
let orgId: string;
/** A group the viewer is in, with five profiles, and one of the same org they are not in. */
let groupId: string;
let otherGroupId: string;
const profiles: Profile[] = [];
let otherProfile: Profile;

const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
  outsider = await people.register();
  orgId = await createdAt('/orgs', owner.as, { name: 'org' });
  groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
  otherGroupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'other' });
  viewer = await people.member('group', groupId, 'viewer');
  await people.join('org', orgId, viewer, 'viewer');
  for (const [name, metadata] of [
    ['Alpha', { a: 1, site: { city: 'Bern', floor: 2 } }],
    ['beta', { a: 2, tags: ['x', 'y'] }],
    ['100% cotton', {}],
    ['100x cotton', { a: 1 }],
    ['Ω-profile', { ключ: '"\\' }],
  ] as const) {
    profiles.push(await createProfile(groupId, name, metadata));
  }
  profiles.sort((one, other) => (one.id < other.id ? -1 : 1));
  otherProfile = await createProfile(otherGroupId, 'elsewhere', { a: 1 });
});

afterAll(() => people.close());

async function createProfile(group: string, name: string, metadata: object): Promise<Profile> {
  const profile = { id: randomUUID(), name, metadata, config: { write: true } };
  await createdAt(`/groups/${group}/profiles`, owner.as, [profile]);
  return { ...profile, group_id: group };
}

/** The three places, each by its path with and without the prefix of its service. */
const places = () =>
  ['/profiles', `/groups/${groupId}/profiles`, `/orgs/${orgId}/profiles`].flatMap((path) => [
    path,
    `/svcthings${path}`,
  ]);

const byName = (...names: string[]) =>
  names.map((name) => expect.objectContaining({ name }) as unknown);

describe('the profile of a thing', () => {
  it('is given for the thing', async () => {
    const estate = await createEstate(owner.as);
    const profile = json(await call('GET', `/profiles/${estate.profileId}`, { as: owner.as }));
    for (const prefix of ['', '/svcthings']) {
      const path = `${prefix}/things/${estate.thingId}/profiles`;
      const answer = await call('GET', path, { as: owner.as });
      expect([answer.status, json(answer)]).toEqual([200, profile]);
      expect((await call('GET', path, { as: outsider.as })).status).toBe(403);
      expect((await call('GET', path)).status).toBe(401);
    }
    const statusOf = async (id: string) =>
      (await call('GET', `/things/${id}/profiles`, { as: owner.as })).status;
    expect(await statusOf(absent)).toBe(404);
    expect(await statusOf('no-uuid')).toBe(400);
  });
});

describe('lists of profiles', () => {
  it('hold what the caller is in, whole, the highest id first', async () => {
    const all = { total: 5, offset: 0, limit: 10, profiles: profiles.toReversed() };
    for (const path of places()) {
      const list = await call('GET', path, { as: viewer.as });
      expect([path, list.status, json(list)]).toEqual([path, 200, all]);
      const search = await call('POST', `${path}/search`, { as: viewer.as });
      expect([path, search.status, json(search)]).toEqual([path, 200, all]);
    }
  });

  it('are empty for who is in no group, and closed to who is not in the place', async () => {
    const none = { total: 0, offset: 0, limit: 10, profiles: [] };
    expect(json(await call('GET', '/profiles', { as: outsider.as }))).toEqual(none);
    expect(json(await call('POST', '/profiles/search', { as: outsider.as }))).toEqual(none);
    const past = await call('GET', '/profiles?offset=50', { as: viewer.as });
    expect(json(past)).toEqual({ ...none, total: 5, offset: 50 });

    for (const of of ['groups', 'orgs']) {
      const own = of === 'groups' ? groupId : orgId;
      for (const [id, as, status] of [
        [own, outsider.as, 403],
        [absent, outsider.as, 404],
        [absent, admin, 404],
        ['no-uuid', admin, 400],
        [own, undefined, 401],
      ] as const) {
        const ask = as === undefined ? {} : { as };
        const path = `/${of}/${id}/profiles`;
        expect([path, (await call('GET', path, ask)).status]).toEqual([path, status]);
        expect([path, (await call('POST', `${path}/search`, ask)).status]).toEqual([path, status]);
      }
    }
    expect((await call('GET', '/profiles')).status).toBe(401);
    expect((await call('POST', '/profiles/search')).status).toBe(401);
  });

  it('of an org leave out the groups the caller is not in', async () => {
    const path = `/orgs/${orgId}/profiles`;
    const totalFor = async (as: string) => at(await call('GET', path, { as }), 'total');
    expect(await totalFor(viewer.as)).toBe(5);
    expect(await totalFor(owner.as)).toBe(6);
    expect(await totalFor(admin)).toBe(6);
    const orgViewer = await people.member('org', orgId, 'viewer');
    expect(await totalFor(orgViewer.as)).toBe(0);
    const search = await call('POST', `${path}/search`, {
      as: viewer.as,
      body: { name: 'elsewhere' },
    });
    expect(at(search, 'total')).toBe(0);
    const found = await call('POST', `${path}/search`, { as: admin, body: { name: 'elsewhere' } });
    expect(at(found, 'profiles')).toEqual([otherProfile]);
  });

  it('come in pages, in the order asked for', async () => {
    const ids = profiles.map((profile) => profile.id);
    const page = async (query: string) => {
      const answer = await call('GET', `/groups/${groupId}/profiles?${query}`, { as: viewer.as });
      expect([answer.status, at(answer, 'total')]).toEqual([200, 5]);
      const { profiles: shown } = Object(json(answer));
      return shown;
    };
    const names = async (query: string) =>
      Object.values<Profile>(await page(query)).map(({ name }) => name);
    const idsOf = async (query: string) =>
      Object.values<Profile>(await page(query)).map(({ id }) => id);

    expect(await idsOf('dir=asc')).toEqual(ids);
    expect(await idsOf('dir=desc')).toEqual(ids.toReversed());
    expect(await idsOf('limit=2&dir=asc')).toEqual(ids.slice(0, 2));
    expect(await idsOf('limit=2&offset=4&dir=asc')).toEqual(ids.slice(4));
    const sorted = ['100% cotton', '100x cotton', 'Alpha', 'beta', 'Ω-profile'];
    expect(await names('order=name&dir=asc')).toEqual(sorted);
    expect(await names('order=name')).toEqual(sorted.toReversed());
    const made = ['Alpha', 'beta', '100% cotton', '100x cotton', 'Ω-profile'];
    expect(await names('order=created_at&dir=asc')).toEqual(made);
    expect(await names('order=updated_at&dir=desc')).toEqual(made.toReversed());
  });

  it.each([
    [{ name: 'ALPH' }, ['Alpha']],
    [{ name: '100%' }, ['100% cotton']],
    [{ name: 'ω' }, ['Ω-profile']],
    [{ name: 'nothing' }, []],
    [{ metadata: { a: 1 } }, ['100x cotton', 'Alpha']],
    [{ metadata: { site: { city: 'Bern' } } }, ['Alpha']],
    [{ metadata: { tags: ['y'] } }, ['beta']],
    [{ metadata: { ключ: '"\\' } }, ['Ω-profile']],
    [{ metadata: {}, name: 'cotton' }, ['100% cotton', '100x cotton']],
    [{ metadata: { a: 2 }, name: 'alpha' }, []],
  ])('filtered by %j hold those alone, and say by what', async (filters, names) => {
    const { metadata, name } = { metadata: undefined, name: undefined, ...filters };
    const query = new URLSearchParams({
      order: 'name',
      dir: 'asc',
      ...(name === undefined ? {} : { name }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    }).toString();
    const expected = {
      total: names.length,
      offset: 0,
      limit: 10,
      order: 'name',
      dir: 'asc',
      ...filters,
      profiles: byName(...names),
    };
    for (const path of places()) {
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
    ['dir=down', 'dir'],
    ['name=a&name=b', 'name'],
    ['metadata=%7B', 'metadata'],
    ['metadata=%5B%5D', 'metadata'],
    ['metadata=7', 'metadata'],
    ['metadata=%7B%22a%22%3A1e400%7D', 'metadata'],
    [`metadata={"a":${'['.repeat(40)}${']'.repeat(40)}}`, 'metadata'],
  ])('refuse %s', async (query, field) => {
    for (const path of places()) {
      const answer = await call('GET', `${path}?${query}`, { as: viewer.as });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(textAt(answer, 'error')).toMatch(
        new RegExp(`^malformed entity specification: ${field} `),
      );
    }
  });

  it.each([
    'limit=&offset=&order=&dir=&name=&metadata=',
    'total=0',
    'total=0&email=x&email=y&tree=true',
  ])('take %s as nothing', async (query) => {
    for (const path of places()) {
      const answer = await call('GET', `${path}?${query}`, { as: viewer.as });
      expect([path, answer.status, json(answer)]).toEqual([
        path,
        200,
        { total: 5, offset: 0, limit: 10, profiles: profiles.toReversed() },
      ]);
    }
  });

  it('give up to 200 at once', async () => {
    const group = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: randomUUID() });
    const body = Array.from({ length: 201 }, (_, i) => ({ name: `profile ${i}` }));
    await call('POST', `/groups/${group}/profiles`, { as: owner.as, body });
    const answer = await call('GET', `/groups/${group}/profiles?limit=200`, { as: owner.as });
    expect([at(answer, 'total'), at(answer, 'limit')]).toEqual([201, 200]);
    expect(at(answer, 'profiles')).toHaveLength(200);
  });
});

describe('searches of profiles', () => {
  it('take what is empty as absent', async () => {
    const all = { total: 5, offset: 0, limit: 10, profiles: profiles.toReversed() };
    const body = { name: '', metadata: null, order: '', total: 0, colour: 'red' };
    for (const path of places()) {
      for (const ask of [{ body: {} }, { raw: '' }, { body }]) {
        const answer = await call('POST', `${path}/search`, { as: viewer.as, ...ask });
        expect([path, answer.status, json(answer)]).toEqual([path, 200, all]);
      }
    }
  });

  it('page by the body', async () => {
    const body = { limit: 2, offset: 1, order: 'name', dir: 'asc' };
    const answer = await call('POST', '/profiles/search', { as: viewer.as, body });
    expect(json(answer)).toEqual({
      total: 5,
      ...body,
      profiles: byName('100x cotton', 'Alpha'),
    });
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 201 }, 'limit'],
    [{ limit: '10' }, 'limit'],
    [{ offset: -1 }, 'offset'],
    [{ order: 'config' }, 'order'],
    [{ dir: 'down' }, 'dir'],
    [{ name: 7 }, 'name'],
    [{ metadata: '{}' }, 'metadata'],
    [{ metadata: [] }, 'metadata'],
    [[], 'body'],
  ])('refuse %j', async (body, field) => {
    for (const path of places()) {
      const answer = await call('POST', `${path}/search`, { as: viewer.as, body });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(textAt(answer, 'error')).toMatch(
        new RegExp(`^malformed entity specification: ${field} `),
      );
    }
  });
});

describe('deleting a profile', () => {
  it('takes an admin of its group', async () => {
    const profile = await createProfile(otherGroupId, randomUUID(), {});
    const path = `/svcthings/profiles/${profile.id}`;
    for (const role of ['viewer', 'editor'] as const) {
      const { as } = await people.member('group', otherGroupId, role);
      expect([role, (await call('DELETE', path, { as })).status]).toEqual([role, 403]);
    }
    expect((await call('DELETE', path, { as: outsider.as })).status).toBe(403);
    expect((await call('DELETE', path)).status).toBe(401);
    const { as } = await people.member('group', otherGroupId, 'admin');
    const deleted = await call('DELETE', path, { as });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await call('GET', path, { as })).status).toBe(404);
    expect((await call('DELETE', path, { as })).status).toBe(404);
    expect((await call('DELETE', '/profiles/no-uuid', { as })).status).toBe(400);
  });

  it('waits for the last of its things to go', async () => {
    const estate = await createEstate(owner.as);
    const path = `/profiles/${estate.profileId}`;
    const refused = await call('DELETE', path, { as: owner.as });
    expect([refused.status, json(refused)]).toMatchObject([
      409,
      { error: 'entity already exists: a thing is assigned to the profile' },
    ]);
    expect((await call('GET', path, { as: owner.as })).status).toBe(200);
    await call('DELETE', `/things/${estate.thingId}`, { as: owner.as });
    expect((await call('DELETE', path, { as: owner.as })).status).toBe(204);
  });

  it('against creating its first thing has one winner', async () => {
    for (let round = 0; round < 10; round++) {
      const profile = await createProfile(otherGroupId, randomUUID(), {});
      const [made, deleted] = await Promise.all([
        call('POST', `/profiles/${profile.id}/things`, {
          as: owner.as,
          body: [{ name: randomUUID(), type: 'device' }],
        }),
        call('DELETE', `/profiles/${profile.id}`, { as: owner.as }),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });
});

describe('races', () => {
  it('of fifty creates of one id have one winner', async () => {
    const id = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        call('POST', `/groups/${otherGroupId}/profiles`, {
          as: owner.as,
          body: [{ id, name: `race ${id} ${i}` }],
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(49);
  });

  it('between moves of one thing leave it in one group', async () => {
    const [one, two] = [await createEstate(owner.as), await createEstate(owner.as)];
    const [thing] = await createThings(owner.as, one.profileId, [
      { name: randomUUID(), type: 'device' },
    ]);
    const targets = [one, two];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        call('PATCH', `/things/${thing?.id}`, {
          as: owner.as,
          body: { profile_id: targets[i % 2]?.profileId, group_id: targets[i % 2]?.groupId },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const read = await call('GET', `/things/${thing?.id}`, { as: owner.as });
    const place = targets.find(({ profileId }) => profileId === at(read, 'profile_id'));
    expect(at(read, 'group_id')).toBe(place?.groupId);
  });
});
