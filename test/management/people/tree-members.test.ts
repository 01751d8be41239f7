import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, at, call, json } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';

let admin: string;
let people: People;
let ada: Person;
let bob: Person;
let estate: Estate;
let orgId: string;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  ada = await people.register();
  bob = await people.register();
  estate = await createEstate(admin);
  orgId = await createdAt('/orgs', ada.as, { name: 'org' });
});

afterAll(() => people.close());

const create = (as: string, body: Record<string, unknown> = {}) =>
  createdAt('/groups', as, { name: `g-${randomUUID()}`, ...body });
const get = (path: string, as: string = ada.as) => call('GET', path, { as });
const add = (id: string, members: unknown, type: unknown = 'users', as = ada.as) =>
  call('POST', `/groups/${id}/members`, { as, body: { members, type } });
const remove = (id: string, body: unknown, as = ada.as) =>
  call('DELETE', `/groups/${id}/members`, { as, body });
const outcome = (answer: Answer) => [answer.status, answer.text];

describe('members of a hierarchical group', () => {
  it('of either type are listed by their ids', async () => {
    const id = await create(ada.as);
    const name = at(await get(`/groups/${id}`), 'name');
    expect(json(await get(`/groups/${id}/members`))).toEqual({
      limit: 10,
      total: 0,
      name,
      Members: [],
    });
    for (const [prefix, member, type] of [
      ['', 'b', 'users'],
      ['/svcauth', 'a/ü 😀', 'things'],
      ['/svcthings', 'c', 'users'],
    ]) {
      const body = { members: [member], type };
      const answer = await call('POST', `${prefix}/groups/${id}/members`, { as: ada.as, body });
      expect(outcome(answer)).toEqual([200, '']);
    }
    const a = { ID: 'a/ü 😀', Type: 'things' };
    const b = { ID: 'b', Type: 'users' };
    const c = { ID: 'c', Type: 'users' };
    const list = async (query: string) =>
      json(await get(`/svcauth/groups/${id}/members${query}`, bob.as));
    expect(await list('')).toEqual({ limit: 10, total: 3, name, Members: [c, b, a] });
    expect(await list('?type=users')).toEqual({
      limit: 10,
      total: 2,
      name,
      type: 'users',
      Members: [c, b],
    });
    expect(await list('?type=things&dir=asc')).toMatchObject({
      total: 1,
      dir: 'asc',
      Members: [a],
    });
    expect(await list('?limit=1&offset=1&order=type&dir=asc&level=7&total=0')).toEqual({
      limit: 1,
      offset: 1,
      order: 'type',
      dir: 'asc',
      total: 3,
      name,
      Members: [b],
    });
    expect(await list('?offset=3')).toEqual({ limit: 10, offset: 3, total: 3, name, Members: [] });
    for (const wrong of [
      'type=sensors',
      'limit=0',
      'limit=201',
      'offset=-1',
      'order=name',
      'dir=up',
    ]) {
      expect([wrong, (await get(`/groups/${id}/members?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });

  it.each([
    [{ type: 'users' }, 'members is missing'],
    [{ members: ['x'] }, 'type is missing'],
    [{ members: [], type: 'users' }, 'members must NOT have fewer than 1 items'],
    [{ members: ['x'], type: 'sensors' }, 'type must be one of users, things'],
    [{ members: 'x', type: 'users' }, 'members must be array'],
    [{ members: [''], type: 'users' }, 'members.0 must NOT have fewer than 1 characters'],
    [
      { members: ['x'.repeat(255)], type: 'users' },
      'members.0 must NOT have more than 254 characters',
    ],
    [{ members: [7], type: 'users' }, 'members.0 must be string'],
    [[], 'body must be object'],
  ])('are refused where malformed (%#)', async (body, what) => {
    const id = await create(ada.as);
    const answer = await call('POST', `/groups/${id}/members`, { as: ada.as, body });
    expect([answer.status, json(answer)]).toMatchObject([
      400,
      { error: `malformed entity specification: ${what}` },
    ]);
  });

  it('are in a group once, and are added all or none', async () => {
    const id = await create(ada.as);
    expect((await add(id, ['x'])).status).toBe(200);
    expect((await add(id, ['x'])).status).toBe(409);
    expect((await add(id, ['x'], 'things')).status).toBe(409);
    expect((await add(id, ['y', 'x'])).status).toBe(409);
    expect((await add(id, ['z', 'z'])).status).toBe(409);
    expect(at(await get(`/groups/${id}/members`), 'total')).toBe(1);
    const race = await Promise.all(
      Array.from({ length: 20 }, async () => (await add(id, ['w'])).status),
    );
    expect(race.toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(19).fill(409)]);
  });

  it('are removed all or none', async () => {
    const id = await create(ada.as);
    await add(id, ['a', 'b', 'c']);
    const total = async () => at(await get(`/groups/${id}/members`), 'total');
    expect((await remove(id, { members: ['a', 'nobody'], type: 'users' })).status).toBe(404);
    expect((await remove(id, { members: ['a'], type: 'things' })).status).toBe(404);
    expect((await remove(id, { members: [] })).status).toBe(400);
    expect((await remove(id, { members: ['a'], type: 'x' })).status).toBe(400);
    expect((await remove(id, {})).status).toBe(400);
    expect(await total()).toBe(3);
    expect(outcome(await remove(id, { members: ['a', 'a'], type: 'users' }))).toEqual([204, '']);
    expect(outcome(await remove(id, { members: ['b', 'c'] }))).toEqual([204, '']);
    expect(await total()).toBe(0);
  });

  it('that are users show their e-mails to those who may see them', async () => {
    const colleague = await people.member('org', orgId, 'viewer');
    const id = await create(ada.as);
    await add(id, [colleague.id.toUpperCase(), ada.id, bob.id, 'another system’s', randomUUID()]);
    await add(id, [estate.thingId], 'things');
    const look = async (as: string, query = '') => {
      const answer = await get(`/svcauth/groups/users/${id}?dir=asc&limit=5${query}`, as);
      expect(answer.status).toBe(200);
      return answer;
    };
    const emails = async (as: string) => {
      const answer = await look(as);
      const users = [0, 1, 2, 3, 4].map((i) => at(answer, 'users', i, 'email'));
      return users.filter((email) => typeof email === 'string').toSorted();
    };
    expect(await emails(bob.as)).toEqual([bob.email]);
    expect(await emails(ada.as)).toEqual([ada.email, colleague.email].toSorted());
    expect(await emails(colleague.as)).toEqual([ada.email, colleague.email].toSorted());
    expect(await emails(admin)).toEqual([ada.email, bob.email, colleague.email].toSorted());
    const plain = await get(`/groups/users/${id}`, bob.as);
    expect(json(plain)).toMatchObject({ total: 5, offset: 0, limit: 10 });
    expect(Object.keys(Object(json(plain))).toSorted()).toEqual([
      'limit',
      'offset',
      'total',
      'users',
    ]);
    expect(json(await look(ada.as, '&offset=4&order=created_at'))).toMatchObject({
      total: 5,
      offset: 4,
    });
    for (const wrong of ['limit=0', 'order=email', 'dir=x']) {
      expect((await get(`/groups/users/${id}?${wrong}`)).status).toBe(400);
    }
  });

  it('that are things show their keys to their editors, and when they were heard to viewers', async () => {
    const [editor, viewer] = [
      await people.member('group', estate.groupId, 'editor'),
      await people.member('group', estate.groupId, 'viewer'),
    ];
    const [thing] = await createThings(admin, estate.profileId, [
      { name: `t-${randomUUID()}`, type: 'device' },
    ]);
    if (thing === undefined) throw new Error('no thing was made');
    const id = await create(ada.as);
    await add(id, [thing.id], 'things');
    await add(id, ['0'], 'things');
    await add(id, [bob.id], 'users');
    const seenAt = '2026-11-21T10:00:00.000Z';
    const seen = { id: thing.id, last_seen: seenAt };
    const withKey = { ...seen, key: thing.key };
    const silent = { id: estate.thingId, last_seen: null };
    await people.rows('INSERT INTO things_seen (thing_id, seen_at) VALUES ($1, $2)', [
      thing.id,
      seenAt,
    ]);
    const head = { total: 2, offset: 0, limit: 10, order: 'id', direction: 'desc' };
    for (const prefix of ['', '/svcthings']) {
      for (const [as, things] of [
        [ada.as, [{ id: thing.id }, { id: '0' }]],
        [viewer.as, [seen, { id: '0' }]],
        [editor.as, [withKey, { id: '0' }]],
        [admin, [withKey, { id: '0' }]],
      ] as const) {
        const answer = await get(`${prefix}/groups/things/${id}`, as);
        expect([answer.status, json(answer)]).toEqual([200, { ...head, things }]);
      }
    }
    const page = await get(`/groups/things/${id}?limit=1&offset=1&dir=asc&order=id`);
    expect(json(page)).toMatchObject({
      total: 2,
      offset: 1,
      limit: 1,
      direction: 'asc',
      things: [{ id: thing.id }],
    });
    expect((await get(`/groups/things/${id}?limit=201`)).status).toBe(400);
    const other = await create(ada.as);
    await add(other, [estate.thingId], 'things');
    expect(at(await get(`/groups/things/${other}`, viewer.as), 'things')).toEqual([silent]);
  });
});
