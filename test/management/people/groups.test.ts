import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';

let admin: string;
let people: People;
let owner: Person;
let viewer: Person;
let stranger: Person;
let estate: Estate;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
  stranger = await people.register();
  estate = await createEstate(owner.as);
  viewer = await people.member('org', estate.orgId, 'viewer');
  await people.join('group', estate.groupId, viewer, 'viewer');
});

afterAll(() => people.close());

const forms = ['', '/svcthings'];
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

function newGroup(body: unknown = { name: randomUUID() }, orgId = estate.orgId): Promise<string> {
  return createdAt(`/orgs/${orgId}/groups`, owner.as, body);
}

describe('a group', () => {
  it.each(forms)('is created, read, listed, changed and deleted under %s', async (form) => {
    const { as } = owner;
    const orgId = await createdAt('/orgs', as, { name: 'org' });
    const body = { name: 'group', description: 'first', metadata: { a: 1 } };
    const created = await call('POST', `${form}/orgs/${orgId}/groups`, { as, body });
    expect([created.status, created.text]).toEqual([201, '']);
    const location = String(created.headers['location']);
    expect(location).toMatch(/^\/groups\//);
    const path = `${form}${location}`;

    const group = {
      ...body,
      id: expect.stringMatching(uuidV4),
      org_id: orgId,
      created_at: expect.stringMatching(iso),
      updated_at: expect.stringMatching(iso),
    };
    const read = await call('GET', path, { as });
    expect([read.status, json(read)]).toEqual([200, group]);

    const list = await call('GET', `${form}/orgs/${orgId}/groups`, { as });
    expect(list.status).toBe(200);
    expect(json(list)).toEqual({ total: 1, offset: 0, limit: 10, groups: [group] });

    const changed = await call('PUT', path, { as, body: { name: 'renamed' } });
    expect([changed.status, changed.text]).toEqual([200, '']);
    expect(json(await call('GET', path, { as }))).toEqual({ ...group, name: 'renamed' });

    const deleted = await call('DELETE', path, { as });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await call('GET', path, { as })).status).toBe(404);
    expect((await call('DELETE', path, { as })).status).toBe(404);
    const after = await call('GET', `${form}/orgs/${orgId}/groups`, { as });
    expect([at(after, 'total'), at(after, 'groups')]).toEqual([0, []]);
  });

  it.each(forms)('is shown under %s/things and %s/profiles', async (form) => {
    const group = json(await call('GET', `/groups/${estate.groupId}`, { as: viewer.as }));
    const paths = [
      `${form}/things/${estate.thingId}/groups`,
      `${form}/profiles/${estate.profileId}/groups`,
    ];
    for (const path of paths) {
      for (const as of [viewer.as, owner.as, admin]) {
        const answer = await call('GET', path, { as });
        expect([path, answer.status, json(answer)]).toEqual([path, 200, group]);
      }
      expect((await call('GET', path, { as: stranger.as })).status).toBe(403);
      expect((await call('GET', path)).status).toBe(401);
    }
    for (const kind of ['things', 'profiles']) {
      for (const as of [stranger.as, admin]) {
        expect((await call('GET', `${form}/${kind}/${absent}/groups`, { as })).status).toBe(404);
        expect((await call('GET', `${form}/${kind}/x/groups`, { as })).status).toBe(400);
      }
    }
  });
});

describe('PUT /groups/:id', () => {
  it('keeps absent members, clears null ones, and sets no others', async () => {
    const name = randomUUID();
    const path = `/groups/${await newGroup({ name, description: 'd', metadata: { a: 1 } })}`;
    const before = await call('GET', path, { as: owner.as });
    const put = async (change: unknown) => {
      const answer = await call('PUT', path, { as: owner.as, body: change });
      expect([answer.status, answer.text]).toEqual([200, '']);
      return call('GET', path, { as: owner.as });
    };
    const now = { ...Object(json(before)), updated_at: expect.stringMatching(iso) };
    expect(json(await put({}))).toEqual(now);
    const after = await put({ id: absent, org_id: absent, created_at: '2000-01-01T00:00:00Z' });
    expect(json(after)).toEqual(now);
    expect(textAt(after, 'updated_at') >= textAt(before, 'updated_at')).toBe(true);
    expect(json(await put({ name, metadata: { b: 2 } }))).toEqual({ ...now, metadata: { b: 2 } });
    expect(json(await put({ description: null, metadata: null }))).toEqual({
      ...now,
      description: '',
      metadata: {},
    });
  });

  it('refuses a name that is taken in its org', async () => {
    const name = randomUUID();
    const id = await newGroup({ name });
    const path = `/groups/${await newGroup()}`;
    const taken = await call('PUT', path, { as: owner.as, body: { name } });
    expect([taken.status, json(taken)]).toMatchObject([
      409,
      { error: 'entity already exists: name' },
    ]);
    expect((await call('PUT', `/groups/${id}`, { as: owner.as, body: { name } })).status).toBe(200);
    const elsewhere = await createdAt('/orgs', owner.as, { name: 'org' });
    expect(await newGroup({ name }, elsewhere)).toMatch(uuidV4);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x'.repeat(255) }, 'name'],
    [{ name: 1 }, 'name'],
    [{ description: 1 }, 'description'],
    [{ metadata: [] }, 'metadata'],
    [[], 'body'],
  ])('refuses %j', async (body, field) => {
    const answer = await call('PUT', `/groups/${estate.groupId}`, { as: owner.as, body });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(`malformed entity specification: ${field} `);
  });
});

describe('PUT and DELETE of a group', () => {
  it('are for its admins, and for its owner, whatever they are in the org', async () => {
    const id = await newGroup();
    const path = `/groups/${id}`;
    const orgAdmin = await people.member('org', estate.orgId, 'admin');
    const groupAdmin = await people.member('group', id, 'admin');
    const editor = await people.member('group', id, 'editor');
    const put = (as: string) => call('PUT', path, { as, body: { description: 'new' } });
    expect((await put(groupAdmin.as)).status).toBe(200);
    for (const { as } of [editor, orgAdmin, stranger]) expect((await put(as)).status).toBe(403);
    expect((await put('Bearer none')).status).toBe(401);
    for (const { as } of [groupAdmin, editor, orgAdmin, stranger]) {
      expect((await call('DELETE', path, { as })).status).toBe(403);
    }
    expect((await call('DELETE', path)).status).toBe(401);
    expect((await call('DELETE', path, { as: admin })).status).toBe(204);
    expect((await put(groupAdmin.as)).status).toBe(404);
  });
});

describe('DELETE /groups/:id', () => {
  it('deletes profiles, things and memberships too, and the keys stop working', async () => {
    const { orgId, groupId, profileId, thingId, key } = await createEstate(owner.as);
    await people.join('group', groupId, viewer, 'viewer');
    const external = `ext-${randomUUID()}`;
    const setKey = `/things/${thingId}/external-key`;
    await call('PATCH', setKey, { as: owner.as, body: { key: external } });
    const publish = (as: string) =>
      call('POST', '/http/messages', {
        as,
        raw: '[{"n":"t","v":1}]',
        headers: { 'content-type': 'application/senml+json' },
      });
    const credentials = [`Thing ${key}`, `External ${external}`];
    for (const as of credentials) expect((await publish(as)).status).toBe(202);

    expect((await call('DELETE', `/groups/${groupId}`, { as: owner.as })).status).toBe(204);
    for (const as of credentials) {
      await eventually(async () => (await publish(as)).status === 401);
      expect((await call('GET', '/metadata', { as })).status).toBe(401);
    }
    for (const path of [`/groups/${groupId}`, `/profiles/${profileId}`, `/things/${thingId}`]) {
      expect([path, (await call('GET', path, { as: owner.as })).status]).toEqual([path, 404]);
    }
    const left = 'SELECT member_id FROM group_memberships WHERE group_id = $1';
    expect(await people.rows(left, [groupId])).toEqual([]);
    const erased = 'SELECT thing_id FROM erased_things WHERE thing_id = $1';
    expect(await people.rows(erased, [thingId])).toEqual([{ thing_id: thingId }]);
    expect((await call('GET', `/orgs/${orgId}`, { as: owner.as })).status).toBe(200);
    await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
  });
});

describe('GET /groups', () => {
  it.each(forms)('%s/groups: lists the groups of the caller, in all orgs', async (form) => {
    const person = await people.register();
    const elsewhere = await createEstate(owner.as);
    await people.join('group', estate.groupId, person, 'viewer');
    await people.join('group', elsewhere.groupId, person, 'editor');
    const answer = await call('GET', `${form}/groups?order=created_at&dir=asc`, { as: person.as });
    expect(answer.status).toBe(200);
    const group = {
      id: estate.groupId,
      org_id: estate.orgId,
      name: 'group',
      description: '',
      metadata: {},
      created_at: expect.stringMatching(iso),
      updated_at: expect.stringMatching(iso),
    };
    expect(json(answer)).toEqual({
      total: 2,
      offset: 0,
      limit: 10,
      order: 'created_at',
      dir: 'asc',
      groups: [group, { ...group, id: elsewhere.groupId, org_id: elsewhere.orgId }],
    });
    const none = await call('GET', `${form}/groups`, { as: stranger.as });
    expect(json(none)).toEqual({ total: 0, offset: 0, limit: 10, groups: [] });
    expect((await call('GET', `${form}/groups`)).status).toBe(401);
  });

  it('has no groups by membership of the org alone', async () => {
    const person = await people.member('org', estate.orgId, 'admin');
    expect(at(await call('GET', '/groups', { as: person.as }), 'total')).toBe(0);
  });

  it('filters by name and metadata, for the admin everything, and pages', async () => {
    const tag = randomUUID();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.push(await newGroup({ name: `${tag} ${name}`, metadata: { tag, name } }));
    }
    const list = (query: string, as = admin) => call('GET', `/groups?${query}`, { as });
    const query = `name=${tag.toUpperCase()}&order=name&total=0`;
    const page = await list(`${query}&dir=asc&limit=2&offset=1`);
    expect(json(page)).toMatchObject({
      total: 3,
      offset: 1,
      limit: 2,
      name: tag.toUpperCase(),
      groups: [{ id: ids[1] }, { id: ids[2] }],
    });
    expect(at(await list(query), 'groups', 0, 'id')).toBe(ids[2]);
    const metadata = encodeURIComponent(JSON.stringify({ tag, name: 'b' }));
    expect(json(await list(`metadata=${metadata}`))).toMatchObject({
      total: 1,
      metadata: { tag, name: 'b' },
      groups: [{ id: ids[1] }],
    });
    expect(at(await list(query, stranger.as), 'total')).toBe(0);
    for (const wrong of [
      'limit=0',
      'limit=201',
      'offset=-1',
      'order=org',
      'dir=x',
      'metadata=1',
      'name=a&name=b',
    ]) {
      expect([wrong, (await list(wrong)).status]).toEqual([wrong, 400]);
    }
  });
});

describe('GET /orgs/:id/groups', () => {
  it('has the groups of the caller; all of them for the owner and the platform admin', async () => {
    const { orgId, groupId } = await createEstate(owner.as);
    const second = await newGroup({ name: 'second' }, orgId);
    const orgAdmin = await people.member('org', orgId, 'admin');
    const member = await people.member('org', orgId, 'viewer');
    await people.join('group', second, member, 'viewer');
    await people.join('group', estate.groupId, member, 'viewer');
    const list = (as: string, query = '') => call('GET', `/orgs/${orgId}/groups${query}`, { as });
    const ids = (answer: Awaited<ReturnType<typeof list>>) => at(answer, 'groups');
    const both = [groupId, second]
      .toSorted()
      .toReversed()
      .map((id) => ({ id }));
    expect(ids(await list(owner.as))).toMatchObject(both);
    expect(ids(await list(admin))).toMatchObject(both);
    expect(ids(await list(admin))).toHaveLength(2);
    expect(json(await list(member.as))).toMatchObject({ total: 1, groups: [{ id: second }] });
    expect(json(await list(orgAdmin.as))).toMatchObject({ total: 0, groups: [] });
    expect(json(await list(owner.as, '?name=SEC'))).toMatchObject({
      total: 1,
      name: 'SEC',
      groups: [{ id: second }],
    });
    expect((await list(stranger.as)).status).toBe(403);
    expect((await list('Bearer none')).status).toBe(401);
    expect((await call('GET', `/orgs/${absent}/groups`, { as: admin })).status).toBe(404);
    expect((await call('GET', '/orgs/x/groups', { as: admin })).status).toBe(400);
  });
});
