import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../support/api/http.ts';
import { createdAt, createEstate, type Estate, loginAdmin, People } from '../support/api/people.ts';

let admin: string;
let people: People;
let estate: Estate;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  estate = await createEstate(admin);
});

afterAll(() => people.close());

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

describe('orgs', () => {
  it('are created with a Location, and read back whole', async () => {
    const person = await people.register();
    const body = { name: 'Ørg “1”', description: 'what it is', metadata: { a: [1, { b: null }] } };
    const created = await call('POST', '/orgs', { as: person.as, body });
    expect([created.status, created.text]).toEqual([201, '']);
    const location = String(created.headers['location']);
    expect(location).toMatch(/^\/orgs\//);

    const read = await call('GET', location, { as: person.as });
    expect(read.status).toBe(200);
    expect(json(read)).toEqual({
      ...body,
      id: expect.stringMatching(uuidV4),
      owner_id: person.id,
      created_at: expect.stringMatching(iso),
      updated_at: expect.stringMatching(iso),
    });
  });

  it.each([
    [{}, 'name is missing'],
    [{ name: '' }, 'name must NOT have fewer than 1 characters'],
    [{ name: 'x'.repeat(255) }, 'name must NOT have more than 254 characters'],
    [{ name: 7 }, 'name must be string'],
    [{ name: 'org', metadata: [] }, 'metadata must be object,null'],
    [{ name: 'org', description: {} }, 'description must be string'],
    [[{ name: 'org' }], 'body must be object'],
  ])('refuse %j', async (body, what) => {
    const answer = await call('POST', '/orgs', { as: admin, body });
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({ error: `malformed entity specification: ${what}` });
  });

  it('do not accept an owner, an id or times', async () => {
    const person = await people.register();
    const body = { name: 'org', id: absent, owner_id: absent, created_at: '2000-01-01T00:00:00Z' };
    const id = await createdAt('/orgs', person.as, body);
    expect(id).not.toBe(absent);
    const read = await call('GET', `/orgs/${id}`, { as: person.as });
    expect(at(read, 'owner_id')).toBe(person.id);
    expect(textAt(read, 'created_at') > '2020').toBe(true);
  });
});

describe('groups', () => {
  it('are created one at a time, or as a list', async () => {
    const path = `/svcthings/orgs/${estate.orgId}/groups`;
    const one = await call('POST', path, { as: admin, body: { name: 'one' } });
    expect([one.status, one.text]).toEqual([201, '']);
    const read = await call('GET', String(one.headers['location']), { as: admin });
    const group = {
      id: expect.stringMatching(uuidV4),
      org_id: estate.orgId,
      name: 'one',
      description: '',
      metadata: {},
      created_at: expect.stringMatching(iso),
      updated_at: expect.stringMatching(iso),
    };
    expect(json(read)).toEqual(group);

    const body = [{ name: 'two', description: 'second', metadata: { n: 2 } }, { name: 'three' }];
    const list = await call('POST', path, { as: admin, body });
    expect(list.status).toBe(201);
    expect(json(list)).toEqual({
      groups: [
        { ...group, ...body[0] },
        { ...group, ...body[1] },
      ],
    });
  });

  it('have unique names in their org, and are created all or none', async () => {
    const path = `/orgs/${estate.orgId}/groups`;
    await createdAt(path, admin, { name: 'taken' });
    expect((await call('POST', path, { as: admin, body: { name: 'taken' } })).status).toBe(409);
    const body = [{ name: 'fresh' }, { name: 'taken' }];
    expect((await call('POST', path, { as: admin, body })).status).toBe(409);
    await createdAt(path, admin, { name: 'fresh' });
    expect((await call('POST', path, { as: admin, body: [] })).status).toBe(400);
    expect((await call('POST', path, { as: admin, body: {} })).status).toBe(400);
  });

  it('belong to the owner of the org; another creator is an admin', async () => {
    const owner = await people.register();
    const orgId = await createdAt('/orgs', owner.as, { name: 'org' });
    const editor = await people.member('org', orgId, 'editor');
    const groupId = await createdAt(`/orgs/${orgId}/groups`, editor.as, { name: 'group' });
    const members = await people.rows(
      'SELECT member_id, role FROM group_memberships WHERE group_id = $1 ORDER BY role',
      [groupId],
    );
    expect(members).toEqual([
      { member_id: editor.id, role: 'admin' },
      { member_id: owner.id, role: 'owner' },
    ]);
  });
});

describe('profiles', () => {
  const config = {
    content_type: 'application/json',
    write: false,
    transformer: { data_filters: ['a.b'], data_field: 'd' },
  };

  it('are created as a list; a single one has a Location', async () => {
    const path = `/groups/${estate.groupId}/profiles`;
    const id = randomUUID();
    const body = [{ id, name: 'p1', metadata: { a: 1 }, config }];
    const one = await call('POST', path, { as: admin, body });
    expect(one.status).toBe(201);
    expect(one.headers['location']).toBe(`/profiles/${id}`);
    const profile = { ...body[0], group_id: estate.groupId };
    expect(json(one)).toEqual({ profiles: [profile] });
    expect(json(await call('GET', `/profiles/${id}`, { as: admin }))).toEqual(profile);

    const two = await call('POST', path, { as: admin, body: [{ name: 'p2' }, { name: 'p3' }] });
    expect(two.status).toBe(201);
    expect(two.headers['location']).toBeUndefined();
    expect([at(two, 'profiles', 0, 'name'), at(two, 'profiles', 1, 'name')]).toEqual(['p2', 'p3']);
  });

  it('are refused when malformed, and when their name or id is taken', async () => {
    const path = `/groups/${estate.groupId}/profiles`;
    const refused = async (body: unknown) => (await call('POST', path, { as: admin, body })).status;
    const versionOne = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(await refused({ name: 'not a list' })).toBe(400);
    expect(await refused([])).toBe(400);
    expect(await refused([{}])).toBe(400);
    expect(await refused([{ name: 'x', id: versionOne }])).toBe(400);
    expect(await refused([{ name: 'x', id: `urn:uuid:${randomUUID()}` }])).toBe(400);
    expect(await refused([{ name: 'x', config: { write: 'yes' } }])).toBe(400);
    expect(await refused([{ name: 'profile' }])).toBe(409);
    expect(await refused([{ name: 'x', id: estate.profileId }])).toBe(409);
    expect(await refused([{ name: 'same' }, { name: 'same' }])).toBe(409);
    expect(await refused([{ name: '😀'.repeat(1024) }])).toBe(201);
    expect(await refused([{ name: '😀'.repeat(1024) }])).toBe(409);
    expect(await refused([{ name: '😀'.repeat(1025) }])).toBe(400);
  });

  it('change where something is given, and empty what is null', async () => {
    const id = await createdAt(`/groups/${estate.groupId}/profiles`, admin, [
      { name: 'before', metadata: { a: 1 }, config },
    ]);
    const path = `/profiles/${id}`;
    const put = async (body: unknown) => {
      const answer = await call('PUT', path, { as: admin, body });
      expect([answer.status, answer.text]).toEqual([200, '']);
      return json(await call('GET', path, { as: admin }));
    };
    const now = { id, group_id: estate.groupId, name: 'after', metadata: { a: 1 }, config };
    expect(await put({ name: 'after' })).toEqual(now);
    expect(await put({})).toEqual(now);
    expect(await put({ config: { write: true }, group_id: absent, id: absent })).toEqual({
      ...now,
      config: { write: true },
    });
    expect(await put({ metadata: null, config: null })).toEqual({
      ...now,
      metadata: {},
      config: {},
    });
    expect((await call('PUT', path, { as: admin, body: { name: null } })).status).toBe(400);
    expect((await call('PUT', path, { as: admin, body: { name: 'profile' } })).status).toBe(409);
  });
});
