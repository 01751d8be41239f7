import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, at, call, json } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';

/** A thing as it is made and shown to editors. */
type Thing = {
  id: string;
  name: string;
  type: string;
  group_id: string;
  profile_id: string;
  metadata: object;
  last_seen: null;
  key: string;
  external_key?: string;
};

let admin: string;
let people: People;
let owner: Person;
/** A viewer of the group, and an editor of the other group of the same org. */
let viewer: Person;
let outsider: Person;
let orgId: string;
let groupId: string;
let otherGroupId: string;
let profileId: string;
let otherProfileId: string;
const things: Thing[] = [];
let otherThing: Thing;

const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
  outsider = await people.register();
  orgId = await createdAt('/orgs', owner.as, { name: 'org' });
  groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
  otherGroupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'other' });
  profileId = await createProfile(groupId);
  otherProfileId = await createProfile(otherGroupId);
  viewer = await people.member('group', groupId, 'viewer');
  await people.join('org', orgId, viewer, 'viewer');
  for (const [name, type, metadata] of [
    ['Boiler', 'device', { a: 1, site: { city: 'Bern', floor: 2 } }],
    ['boiler probe', 'sensor', { a: 2, tags: ['x', 'y'] }],
    ['50% valve', 'actuator', {}],
    ['500 valve', 'controller', { a: 1 }],
    ['Ω-gate', 'gateway', { ключ: '"\\' }],
  ] as const) {
    things.push(await createThing(groupId, profileId, { name, type, metadata }));
  }
  const external_key = `ext-${randomUUID()}`;
  otherThing = await createThing(otherGroupId, otherProfileId, {
    name: 'elsewhere',
    type: 'device',
    metadata: { a: 1 },
    external_key,
  });
  things.sort((one, other) => (one.id < other.id ? -1 : 1));
});

afterAll(() => people.close());

function createProfile(group: string): Promise<string> {
  return createdAt(`/groups/${group}/profiles`, owner.as, [{ name: randomUUID() }]);
}

async function createThing(
  group: string,
  profile: string,
  given: Pick<Thing, 'name' | 'type' | 'metadata' | 'external_key'>,
): Promise<Thing> {
  const [made] = await createThings(owner.as, profile, [given]);
  if (made === undefined) throw new Error('no thing was made');
  const { id, key } = made;
  return { ...given, group_id: group, profile_id: profile, id, key, last_seen: null };
}

const withoutKeys = (shown: Thing[]) =>
  shown.map(({ key: _key, external_key: _external, ...rest }) => rest);

const patch = (as: string, id: string, body: unknown) =>
  call('PATCH', `/things/${id}`, { as, body });

describe('lists of things', () => {
  it('have each thing as it is read alone, on long pages too', async () => {
    const other = await people.register();
    const { groupId: group } = await createEstate(other.as);
    const body = [{ name: randomUUID() }];
    const profile = await createdAt(`/groups/${group}/profiles`, other.as, body);
    const metadata = {
      a: [1.5, null, { 'ü"': '\u2028\\' }],
      n: 1e20,
      s: '😀',
      o: {},
      deep: { x: '"' },
    };
    const made = await createThings(
      other.as,
      profile,
      Array.from({ length: 60 }, (_, i) => ({
        name: `"${i}"`,
        type: 'device' as const,
        metadata: i % 2 === 0 ? metadata : {},
      })),
    );
    const ids = made.map(({ id }) => id).toSorted();
    const all = await Promise.all(
      ids.map(async (id) => json(await call('GET', `/things/${id}`, { as: other.as }))),
    );
    for (const limit of [10, 11, 200]) {
      const path = `/profiles/${profile}/things?order=id&dir=asc&limit=${limit}&total=9`;
      const list = await call('GET', path, { as: other.as });
      const next = limit < 60 ? { next: expect.any(String) } : {};
      const page = { total: 60, offset: 0, limit, things: all.slice(0, limit), ...next };
      expect([list.status, json(list)]).toEqual([200, { order: 'id', dir: 'asc', ...page }]);
    }
  });

  it('show the keys of those things that the caller may edit', async () => {
    const both = await people.member('group', groupId, 'viewer');
    await people.join('group', otherGroupId, both, 'editor');
    await people.join('org', orgId, both, 'viewer');
    const mixed = {
      total: 6,
      offset: 0,
      limit: 10,
      things: [...withoutKeys(things), otherThing].toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    };
    const everything = [...things, otherThing].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    for (const path of ['/things', `/orgs/${orgId}/things`]) {
      expect(json(await call('GET', path, { as: both.as }))).toEqual(mixed);
      expect(json(await call('POST', `${path}/search`, { as: both.as }))).toEqual(mixed);
      const own = await call('GET', path, { as: owner.as });
      expect(json(own)).toEqual({ ...mixed, things: everything });
    }
    for (const path of [`/orgs/${orgId}/things`, `/orgs/${orgId}/things?name=`]) {
      expect(at(await call('GET', path, { as: admin }), 'things')).toEqual(everything);
    }
  });

  it('are gone through by cursors in every order, whatever comes and goes meanwhile', async () => {
    const path = `/groups/${groupId}/things`;
    const read = (query: Record<string, string>) =>
      call('GET', `${path}?${new URLSearchParams(query).toString()}`, { as: viewer.as });
    const of = (member: 'id' | 'name', answer: Answer) =>
      [at(answer, 'things')].flat().map((one) => Object(one)[member]);
    for (const order of ['id', 'name', 'type', 'created_at', 'updated_at', 'last_seen']) {
      for (const dir of ['asc', 'desc']) {
        const whole = of('id', await read({ order, dir, limit: '100' }));
        const seen: string[] = [];
        let cursor = '';
        do {
          const page = await read({ order, dir, limit: '2', ...(cursor === '' ? {} : { cursor }) });
          expect([page.status, at(page, 'total')]).toEqual([200, whole.length]);
          seen.push(...of('id', page));
          cursor = String(Object(json(page)).next ?? '');
        } while (cursor !== '');
        expect([order, dir, seen]).toEqual([order, dir, whole]);
      }
    }

    const search = { name: 'valve', order: 'name', dir: 'asc', limit: 1 };
    const [one, other] = of('name', await read({ name: 'valve', order: 'name', dir: 'asc' }));
    const first = await call('POST', `${path}/search`, { as: viewer.as, body: search });
    const cursor = at(first, 'next');
    const before = await createThing(groupId, profileId, {
      name: '0 valve',
      type: 'sensor',
      metadata: {},
    });
    const second = await call('POST', `${path}/search`, {
      as: viewer.as,
      body: { ...search, cursor },
    });
    expect([of('name', first), of('name', second)]).toEqual([[one], [other]]);
    await call('DELETE', `/things/${before.id}`, { as: owner.as });

    const forged = (held: object) => Buffer.from(JSON.stringify(held)).toString('base64url');
    const place = { order: 'created_at', dir: 'desc', value: 'no time', id: absent };
    for (const wrong of ['x', forged(place), String(cursor)]) {
      const answer = await read({ order: 'created_at', cursor: wrong });
      expect([wrong, answer.status]).toEqual([wrong, 400]);
    }
  });

  it('are sorted by type as well, and refused to things', async () => {
    const path = `/groups/${groupId}/things?order=type&dir=asc`;
    const answer = await call('GET', path, { as: viewer.as });
    const types = Object.values<Thing>(Object(json(answer)).things).map(({ type }) => type);
    expect(types).toEqual(['actuator', 'controller', 'device', 'gateway', 'sensor']);
    expect((await call('GET', '/things', { as: `Thing ${otherThing.key}` })).status).toBe(401);
  });
});

describe('moving a thing', () => {
  it('changes its profile, and its group to that of the profile', async () => {
    const thing = await createThing(groupId, profileId, {
      name: randomUUID(),
      type: 'device',
      metadata: { kept: true },
    });
    const read = async () => json(await call('GET', `/things/${thing.id}`, { as: owner.as }));
    const there = { profile_id: otherProfileId, group_id: otherGroupId };
    const moved = await call('PATCH', `/svcthings/things/${thing.id}`, {
      as: owner.as,
      body: there,
    });
    expect([moved.status, moved.text]).toEqual([200, '']);
    expect(await read()).toEqual({ ...thing, ...there });
    expect((await call('GET', `/things/${thing.id}`, { as: viewer.as })).status).toBe(403);

    const back = { profile_id: profileId.toUpperCase() };
    expect((await patch(owner.as, thing.id, back)).status).toBe(200);
    expect(await read()).toEqual(thing);
    const upper = { profile_id: profileId, group_id: groupId.toUpperCase() };
    expect((await patch(owner.as, thing.id, upper)).status).toBe(200);
    await call('DELETE', `/things/${thing.id}`, { as: owner.as });
  });

  it('is refused where the profile is of another group, absent or missing', async () => {
    const { thingId } = await createEstate(owner.as);
    for (const [body, status, what] of [
      [{ profile_id: profileId, group_id: otherGroupId }, 400, 'profile_id is not of the group'],
      [{ group_id: groupId }, 400, 'profile_id is missing'],
      [{}, 400, 'profile_id is missing'],
      [{ profile_id: 'no-uuid' }, 400, 'profile_id must match format "uuid"'],
      [{ profile_id: profileId, group_id: 7 }, 400, 'group_id must be string'],
      [{ profile_id: absent }, 404, 'profile'],
      [{ profile_id: profileId, group_id: absent }, 404, 'group'],
    ] as const) {
      const answer = await patch(owner.as, thingId, body);
      expect([body, answer.status]).toEqual([body, status]);
      const phrase = status === 404 ? 'entity not found' : 'malformed entity specification';
      expect(json(answer)).toMatchObject({ error: `${phrase}: ${what}` });
    }
    const good = { profile_id: profileId, group_id: groupId };
    expect((await patch(owner.as, absent, good)).status).toBe(404);
    expect((await patch(owner.as, 'no-uuid', good)).status).toBe(400);
    expect((await call('PATCH', `/things/${thingId}`, { body: good })).status).toBe(401);
  });

  it('needs an editor of both groups', async () => {
    const estate = await createEstate(owner.as);
    const there = { profile_id: profileId, group_id: groupId };
    const editorHere = await people.member('group', estate.groupId, 'editor');
    expect((await patch(editorHere.as, estate.thingId, there)).status).toBe(403);
    expect((await patch(editorHere.as, estate.thingId, { profile_id: profileId })).status).toBe(
      403,
    );
    await people.join('group', groupId, editorHere, 'viewer');
    expect((await patch(editorHere.as, estate.thingId, there)).status).toBe(403);
    const editorThere = await people.member('group', groupId, 'editor');
    await people.join('group', estate.groupId, editorThere, 'viewer');
    expect((await patch(editorThere.as, estate.thingId, there)).status).toBe(403);
    expect((await patch(outsider.as, estate.thingId, there)).status).toBe(403);

    const editorOfBoth = await people.member('group', estate.groupId, 'editor');
    const target = await createEstate(owner.as);
    await people.join('group', target.groupId, editorOfBoth, 'editor');
    const free = await createProfile(target.groupId);
    await call('DELETE', `/things/${target.thingId}`, { as: owner.as });
    const goes = { profile_id: free, group_id: target.groupId };
    expect((await patch(editorOfBoth.as, estate.thingId, goes)).status).toBe(200);
    const home = { profile_id: estate.profileId, group_id: estate.groupId };
    expect((await patch(admin, estate.thingId, home)).status).toBe(200);
  });

  it('is refused where its name is taken', async () => {
    const [one, two] = [await createEstate(owner.as), await createEstate(owner.as)];
    const answer = await patch(owner.as, one.thingId, { profile_id: two.profileId });
    expect([answer.status, json(answer)]).toMatchObject([
      409,
      { error: 'entity already exists: name' },
    ]);
  });

  it('is in the key journal', async () => {
    const [one, two] = [await createEstate(owner.as), await createEstate(owner.as)];
    const [before] = await people.rows('SELECT pg_current_xact_id()::text AS id', []);
    await call('DELETE', `/things/${two.thingId}`, { as: owner.as });
    expect((await patch(owner.as, one.thingId, { profile_id: two.profileId })).status).toBe(200);
    const journal = await people.rows(
      `SELECT count(*)::int AS of_it FROM key_changes, things
       WHERE things.id = $2 AND lookup = key_lookup AND position > $1::text::xid8`,
      [before?.['id'], one.thingId],
    );
    // What its key meant, and what it means.
    expect(journal).toEqual([{ of_it: 2 }]);
  });
});

describe('metadata of several things', () => {
  const put = (as: string, body: unknown) => call('PUT', '/things', { as, body });
  const metadataOf = async (id: string) =>
    at(await call('GET', `/things/${id}`, { as: owner.as }), 'metadata');

  it('is merged member by member, one level deep', async () => {
    const make = (metadata: object) =>
      createThing(otherGroupId, otherProfileId, { name: randomUUID(), type: 'device', metadata });
    const one = await make({ a: 1, deep: { x: 1, y: 2 }, list: [1] });
    const two = await make({ a: 1 });
    const three = await make({ a: 1 });
    const four = await make({ a: 1 });
    const answer = await call('PUT', '/svcthings/things', {
      as: owner.as,
      body: [
        { id: one.id, metadata: { deep: { z: 3 }, b: null, list: [] }, name: 'not this way' },
        { id: two.id.toUpperCase(), metadata: { a: 'é' } },
        { id: three.id },
        { id: four.id, metadata: null },
      ],
    });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await metadataOf(one.id)).toEqual({ a: 1, deep: { z: 3 }, b: null, list: [] });
    expect(await metadataOf(two.id)).toEqual({ a: 'é' });
    expect(await metadataOf(three.id)).toEqual({ a: 1 });
    expect(await metadataOf(four.id)).toEqual({});
    expect(at(await call('GET', `/things/${one.id}`, { as: owner.as }), 'name')).toBe(one.name);
  });

  it('changes all or none', async () => {
    const mine = await createEstate(owner.as);
    const theirs = await createEstate(outsider.as);
    const one = { id: mine.thingId, metadata: { changed: true } };
    const editor = await people.member('group', mine.groupId, 'editor');
    await people.join('group', theirs.groupId, editor, 'viewer');
    for (const [as, body, status] of [
      [owner.as, [one, { id: theirs.thingId, metadata: {} }], 403],
      [editor.as, [one, { id: theirs.thingId, metadata: {} }], 403],
      [owner.as, [one, { id: absent, metadata: {} }], 404],
      [owner.as, [one, { id: mine.thingId, metadata: {} }], 400],
      [owner.as, [one, { id: 'no-uuid', metadata: {} }], 400],
      [owner.as, [one, { metadata: {} }], 400],
      [owner.as, [one, { id: mine.thingId, metadata: [] }], 400],
      [owner.as, [], 400],
      [owner.as, one, 400],
    ] as const) {
      expect([body, (await put(as, body)).status]).toEqual([body, status]);
    }
    expect(await metadataOf(mine.thingId)).toEqual({});
    expect((await call('PUT', '/things', { body: [one] })).status).toBe(401);
    const viewers = await people.member('group', mine.groupId, 'viewer');
    expect((await put(viewers.as, [one])).status).toBe(403);
    expect((await put(editor.as, [one])).status).toBe(200);
    expect((await put(admin, [one, { id: theirs.thingId, metadata: { a: 1 } }])).status).toBe(200);
    expect(await metadataOf(mine.thingId)).toEqual({ changed: true });
  });

  it('changed by many at once keeps every change', async () => {
    const [one, two] = [await createEstate(owner.as), await createEstate(owner.as)];
    const ids = [one.thingId, two.thingId];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        put(
          owner.as,
          (i % 2 === 0 ? ids : ids.toReversed()).map((id) => ({ id, metadata: { [`k${i}`]: i } })),
        ),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const all = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, i]));
    for (const id of ids) expect(await metadataOf(id)).toEqual(all);
  });
});

describe('the id of a thing that is gone', () => {
  it('cannot be used again, whether its messages are erased or not', async () => {
    const estate = await createEstate(owner.as);
    await call('DELETE', `/things/${estate.thingId}`, { as: owner.as });
    const again = { as: owner.as, body: [{ id: estate.thingId, name: 'again', type: 'device' }] };
    const mustBeRefused = async () => {
      const refused = await call('POST', `/profiles/${estate.profileId}/things`, again);
      expect([refused.status, json(refused)]).toMatchObject([
        409,
        {
          error: 'entity already exists: id: a thing that is gone had it, and ids do not come back',
        },
      ]);
    };
    await mustBeRefused();
    await people.rows('DELETE FROM erased_things WHERE thing_id = $1', [estate.thingId]);
    await mustBeRefused();
  });
});
