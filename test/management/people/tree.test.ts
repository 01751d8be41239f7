import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, at, call, json } from '../../support/api/http.ts';
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
let ada: Person;
let bob: Person;
let estate: Estate;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  ada = await people.register();
  bob = await people.register();
  estate = await createEstate(admin);
});

afterAll(() => people.close());

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const absent = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const create = (as: string, body: Record<string, unknown> = {}) =>
  createdAt('/groups', as, { name: `g-${randomUUID()}`, ...body });
const get = (path: string, as: string = ada.as) => call('GET', path, { as });
const add = (id: string, members: unknown, type: unknown = 'users', as = ada.as) =>
  call('POST', `/groups/${id}/members`, { as, body: { members, type } });
const remove = (id: string, body: unknown, as = ada.as) =>
  call('DELETE', `/groups/${id}/members`, { as, body });
const outcome = (answer: Answer) => [answer.status, answer.text];

/** Names from the root down; gives their ids in that order. */
async function createLine(levels: number): Promise<string[]> {
  const ids: string[] = [];
  for (let level = 1; level <= levels; level++) {
    const parent = ids.at(-1);
    ids.push(await create(ada.as, parent === undefined ? {} : { parent_id: parent }));
  }
  return ids;
}

/** A group as it is read, of whose texts nothing is known. */
function shown(path: string[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: path.at(-1),
    ...(path.length > 1 ? { parent_id: path.at(-2) } : {}),
    name: expect.any(String),
    description: '',
    metadata: {},
    owner_id: ada.id,
    level: path.length,
    path: path.join('.'),
    created_at: expect.stringMatching(iso),
    updated_at: expect.stringMatching(iso),
    ...more,
  };
}

/** The ids of a line, each as it is read. */
const line = (ids: string[], from: number, to: number) =>
  ids.map((_, i) => shown(ids.slice(0, i + 1))).slice(from, to);

/** The same, each within the one before. */
function nested(ids: string[], from: number, to: number): Record<string, unknown>[] {
  const path = ids.slice(0, from + 1);
  return from === to ? [] : [shown(path, { children: nested(ids, from + 1, to) })];
}

describe('a hierarchical group', () => {
  it.each(['', '/svcauth', '/svcthings', '/svcusers'])(
    'is made and read at %s/groups',
    async (at_) => {
      const body = { name: `Hof „${randomUUID()}“`, description: 'd', metadata: { a: [1] } };
      const created = await call('POST', `${at_}/groups`, { as: ada.as, body });
      expect(outcome(created)).toEqual([201, '']);
      const location = String(created.headers['location']);
      expect(location.slice('/groups/'.length)).toMatch(ulid);
      const id = location.slice('/groups/'.length);
      for (const path of [location, `${at_}${location}`, `${at_}/groups/${id.toLowerCase()}`]) {
        const read = await get(path, bob.as);
        expect([read.status, json(read)]).toEqual([200, shown([id], body)]);
      }
    },
  );

  it('has a parent, which anyone may read and no update changes', async () => {
    const root = await create(ada.as, { parent_id: null });
    const child = await create(ada.as, { parent_id: root.toLowerCase() });
    expect(json(await get(`/groups/${child}`, bob.as))).toEqual(shown([root, child]));
    const other = await create(ada.as);
    const body = { parent_id: other, id: other, owner_id: bob.id, level: 9 };
    expect(outcome(await call('PUT', `/groups/${child}`, { as: ada.as, body }))).toEqual([200, '']);
    expect(json(await get(`/groups/${child}`))).toEqual(shown([root, child]));
  });

  it.each([
    [{}, 'name is missing'],
    [{ name: '' }, 'name must NOT have fewer than 1 characters'],
    [{ name: 'x'.repeat(255) }, 'name must NOT have more than 254 characters'],
    [{ name: 'x', description: 'x'.repeat(1025) }, 'description must NOT have more than 1024'],
    [{ name: 'x', metadata: [] }, 'metadata must be object,null'],
    [{ name: 'x', parent_id: 7 }, 'parent_id must be string,null'],
    [[{ name: 'x' }], 'body must be object'],
  ])('refuses what is malformed (%#)', async (body, what) => {
    const answer = await call('POST', '/groups', { as: ada.as, body });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
  });

  it('takes a name of 254 characters and a description of 1024', async () => {
    const name = `😀${randomUUID()}`.padEnd(255, 'x');
    const id = await create(ada.as, { name, description: '😀'.repeat(1024) });
    expect(json(await get(`/groups/${id}`))).toMatchObject({ name });
  });

  it('of an unknown parent is a 404, whatever that is called', async () => {
    for (const parent of [absent, randomUUID(), 'nothing', '']) {
      const body = { name: 'x', parent_id: parent };
      const answer = await call('POST', '/groups', { as: ada.as, body });
      expect([parent, answer.status]).toEqual([parent, 404]);
    }
  });

  it('has a unique name under its parent, and among the roots', async () => {
    const name = `n-${randomUUID()}`;
    const root = await create(ada.as, { name });
    const again = async (as: string, body: Record<string, unknown>) =>
      (await call('POST', '/groups', { as, body: { name, ...body } })).status;
    expect(await again(bob.as, {})).toBe(409);
    expect(await again(ada.as, { parent_id: root })).toBe(201);
    expect(await again(ada.as, { parent_id: root })).toBe(409);
    const other = await create(ada.as, { parent_id: root });
    const put = await call('PUT', `/groups/${other}`, { as: ada.as, body: { name } });
    expect([put.status, json(put)]).toMatchObject([409, { error: 'entity already exists: name' }]);
  });

  it.each([true, false])('is created once by twenty equal requests (root: %s)', async (isRoot) => {
    const parent = isRoot ? {} : { parent_id: await create(ada.as) };
    const body = { name: `race-${randomUUID()}`, ...parent };
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await call('POST', '/groups', { as: ada.as, body })).status,
      ),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(19).fill(409)]);
  });

  it('changes where something is given, and empties what is null', async () => {
    const given = { description: 'd', metadata: { a: 1 } };
    const id = await create(ada.as, given);
    const put = async (body: unknown) => {
      expect(outcome(await call('PUT', `/svcauth/groups/${id}`, { as: ada.as, body }))).toEqual([
        200,
        '',
      ]);
      return json(await get(`/groups/${id}`));
    };
    const name = `new-${randomUUID()}`;
    expect(await put({ name })).toEqual(shown([id], { ...given, name }));
    expect(await put({})).toEqual(shown([id], { ...given, name }));
    expect(await put({ metadata: { b: 2 } })).toEqual(
      shown([id], { ...given, name, metadata: { b: 2 } }),
    );
    expect(await put({ metadata: null, description: null })).toEqual(shown([id], { name }));
    const refused = async (body: unknown) =>
      (await call('PUT', `/groups/${id}`, { as: ada.as, body })).status;
    expect(await refused({ name: null })).toBe(400);
    expect(await refused({ name: '' })).toBe(400);
    expect(await refused({ description: 'x'.repeat(1025) })).toBe(400);
    expect(await refused({ metadata: 'x' })).toBe(400);
    expect(await refused([])).toBe(400);
  });

  it('is deleted with all under it', async () => {
    const ids = await createLine(3);
    const [root = '', child = '', leaf = ''] = ids;
    const beside = await create(ada.as, { parent_id: root });
    expect(outcome(await call('DELETE', `/groups/${child}`, { as: ada.as }))).toEqual([204, '']);
    expect((await get(`/groups/${leaf}`)).status).toBe(404);
    expect((await get(`/groups/${beside}`)).status).toBe(200);
    expect(outcome(await call('DELETE', `/svcauth/groups/${root}`, { as: admin }))).toEqual([
      204,
      '',
    ]);
    expect((await get(`/groups/${beside}`)).status).toBe(404);
    expect((await call('DELETE', `/groups/${root}`, { as: ada.as })).status).toBe(404);
  });

  it('is not deleted while it, or one under it, has members', async () => {
    const [root = '', child = '', leaf = ''] = await createLine(3);
    await add(leaf, ['someone']);
    for (const id of [root, child, leaf]) {
      const answer = await call('DELETE', `/groups/${id}`, { as: ada.as });
      expect([answer.status, json(answer)]).toMatchObject([
        409,
        { error: 'entity already exists: members' },
      ]);
    }
    expect((await get(`/groups/${leaf}`)).status).toBe(200);
    await remove(leaf, { members: ['someone'] });
    expect((await call('DELETE', `/groups/${root}`, { as: ada.as })).status).toBe(204);
  });

  it('is either deleted or gets a member or a child, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const [root = '', child = ''] = await createLine(2);
      const [deleted, added, made] = await Promise.all([
        call('DELETE', `/groups/${root}`, { as: ada.as }),
        add(child, ['late']),
        call('POST', '/groups', { as: ada.as, body: { name: 'late', parent_id: child } }),
      ]);
      const left = await people.rows('SELECT id FROM tree_groups WHERE path @> ARRAY[$1]', [root]);
      expect([204, 409]).toContain(deleted.status);
      expect([200, 404]).toContain(added.status);
      if (added.status === 404)
        expect(at(added, 'error')).toBe('entity not found: hierarchical group');
      expect([201, 404]).toContain(made.status);
      expect(deleted.status === 204).toBe(added.status === 404);
      if (deleted.status === 204) expect(left).toEqual([]);
    }
  });

  it('is changed by its creator and the platform admin only', async () => {
    const id = await create(ada.as);
    const member = `m-${randomUUID()}`;
    const writes = (as: string) => [
      () => call('PUT', `/groups/${id}`, { as, body: { description: 'x' } }),
      () => call('POST', '/groups', { as, body: { name: `c-${randomUUID()}`, parent_id: id } }),
      () => add(id, [member], 'things', as),
      () => remove(id, { members: [member] }, as),
      () => call('DELETE', `/groups/${id}`, { as }),
    ];
    const refusal = {
      error: 'failed to perform authorization over the entity: needs the creator of the group',
    };
    for (const write of writes(bob.as)) {
      const answer = await write();
      expect([answer.status, json(answer)]).toMatchObject([403, refusal]);
    }
    const statuses: number[] = [];
    for (const write of writes(admin)) statuses.push((await write()).status);
    expect(statuses).toEqual([200, 201, 200, 204, 204]);
  });
});

describe('ancestors and descendants of a group', () => {
  let ids: string[];

  beforeAll(async () => {
    ids = await createLine(6);
  });

  it.each([1, 2, 3, 4, 5])('reach as far as level %i says', async (level) => {
    const [root = '', leaf = ''] = [ids[0], ids[5]];
    const name = (id: string) => get(`/groups/${id}`).then((read) => at(read, 'name'));
    const head = { total: 6, level };
    for (const prefix of ['', '/svcauth']) {
      const look = async (id: string, which: string, tree: string) => {
        const answer = await get(`${prefix}/groups/${id}/${which}?level=${level}${tree}`, bob.as);
        expect(answer.status).toBe(200);
        return json(answer);
      };
      for (const tree of ['', '&tree=false', '&tree=']) {
        expect(await look(leaf, 'parents', tree)).toEqual({
          ...head,
          name: await name(leaf),
          groups: line(ids, 5 - level, 6),
        });
        expect(await look(root, 'children', tree)).toEqual({
          ...head,
          name: await name(root),
          groups: line(ids, 0, level + 1),
        });
      }
      expect(await look(leaf, 'parents', '&tree=true')).toEqual({
        ...head,
        name: await name(leaf),
        groups: nested(ids, 5 - level, 6),
      });
      expect(await look(root, 'children', '&tree=true')).toEqual({
        ...head,
        name: await name(root),
        groups: nested(ids, 0, level + 1),
      });
    }
  });

  it('reach one level where none is given, and end with the tree', async () => {
    const [first = '', second = '', third = ''] = ids;
    expect(json(await get(`/groups/${third}/parents`))).toMatchObject({
      total: 3,
      level: 1,
      groups: line(ids, 1, 3),
    });
    expect(json(await get(`/groups/${second}/children`))).toMatchObject({
      total: 5,
      level: 1,
      groups: line(ids, 1, 3),
    });
    expect(json(await get(`/groups/${first}/parents?level=5`))).toMatchObject({
      total: 1,
      level: 5,
      groups: line(ids, 0, 1),
    });
    const last = ids[5] ?? '';
    expect(json(await get(`/groups/${last}/children?level=5&tree=true`))).toMatchObject({
      total: 1,
      groups: [shown(ids, { children: [] })],
    });
  });

  it('hold every branch, nearest first, a page at a time if asked', async () => {
    const root = await create(ada.as);
    const left = await create(ada.as, { parent_id: root });
    const right = await create(ada.as, { parent_id: root });
    const under = await create(ada.as, { parent_id: left });
    const groups = [[root], [root, left], [root, right], [root, left, under]].map((path) =>
      shown(path),
    );
    const path = `/groups/${root}/children?level=5`;
    const head = { total: 4, level: 5, name: expect.any(String) };
    const sorted = [
      groups[0],
      ...groups.slice(1, 3).toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1)),
      groups[3],
    ];
    expect(json(await get(path))).toEqual({ ...head, groups: sorted });
    expect(json(await get(`${path}&limit=2&offset=2`))).toEqual({
      ...head,
      limit: 2,
      offset: 2,
      groups: sorted.slice(2),
    });
    expect(json(await get(`${path}&offset=4`))).toEqual({ ...head, offset: 4, groups: [] });
    const tree = await get(`${path}&tree=true`);
    expect(at(tree, 'groups', 'length')).toBe(1);
    expect(at(tree, 'groups', 0, 'children', 'length')).toBe(2);
  });

  it.each([
    'level=0',
    'level=6',
    'level=-1',
    'level=1.5',
    'level=x',
    'level=1&level=2',
    'tree=yes',
    'tree=1',
    'tree=true&tree=true',
    'limit=0',
    'limit=1001',
    'offset=-1',
  ])('are refused with %s', async (query) => {
    for (const which of ['parents', 'children']) {
      const answer = await get(`/groups/${ids[0]}/${which}?${query}`);
      expect([which, answer.status]).toEqual([which, 400]);
      expect(at(answer, 'error')).toContain(
        `malformed entity specification: ${query.split('=')[0]} `,
      );
    }
  });
});

describe('members', () => {
  it('are found with the groups they are in', async () => {
    const member = `sensor/${randomUUID()} é`;
    const [root = '', child = ''] = await createLine(2);
    const other = await create(ada.as, { metadata: { a: 1 } });
    for (const id of [root, child, other]) await add(id, [member], 'things');
    const path = `/members/${encodeURIComponent(member)}/groups`;
    const groups = [shown([root]), shown([root, child]), shown([other], { metadata: { a: 1 } })];
    const byId = groups.toSorted((a, b) => (String(a['id']) < String(b['id']) ? 1 : -1));
    for (const prefix of ['', '/svcauth', '/svcthings']) {
      const answer = await get(`${prefix}${path}`, bob.as);
      expect([answer.status, json(answer)]).toEqual([
        200,
        { total: 3, level: 0, name: '', groups: byId },
      ]);
    }
    expect(json(await get(`${path}?limit=1&offset=1&order=id&dir=asc`))).toEqual({
      total: 3,
      level: 0,
      name: '',
      limit: 1,
      offset: 1,
      order: 'id',
      dir: 'asc',
      groups: [byId[1]],
    });
    const filtered = await get(`${path}?metadata=${encodeURIComponent('{"a":1}')}`);
    expect(json(filtered)).toMatchObject({ total: 1, metadata: { a: 1 }, groups: [{ id: other }] });
    expect(json(await get(`${path}?name=nothing-like-it`))).toMatchObject({ total: 0, groups: [] });
    const nobody = await get(`/members/${randomUUID()}/groups`);
    expect(json(nobody)).toEqual({ total: 0, level: 0, name: '', groups: [] });
    expect((await get(`/members/${'x'.repeat(255)}/groups`)).status).toBe(400);
    expect((await get('/members/a%00b/groups')).status).toBe(400);
    expect((await get(`${path}?limit=0`)).status).toBe(400);
  });
});

describe('every path of hierarchical groups', () => {
  const paths = (id: string) =>
    [
      ['GET', `/groups/${id}`],
      ['PUT', `/groups/${id}`],
      ['DELETE', `/groups/${id}`],
      ['GET', `/groups/${id}/parents`],
      ['GET', `/groups/${id}/children`],
      ['POST', `/groups/${id}/members`],
      ['DELETE', `/groups/${id}/members`],
      ['GET', `/groups/${id}/members`],
      ['GET', `/groups/users/${id}`],
      ['GET', `/groups/things/${id}`],
    ] as const;
  const body = { members: ['x'], type: 'users' };

  it('wants a user', async () => {
    const all = [...paths(absent), ['POST', '/groups'], ['GET', '/members/x/groups']] as const;
    for (const [method, path] of all) {
      for (const as of [undefined, `Thing ${estate.key}`, 'Bearer nonsense']) {
        const sent = method === 'GET' ? {} : { body: { name: 'x' } };
        const answer = await call(method, path, { ...(as === undefined ? {} : { as }), ...sent });
        expect([method, path, answer.status]).toEqual([method, path, 401]);
      }
    }
  });

  it('is a 404 for a group that is not there, and a 400 for what can be none', async () => {
    const isBare = (method: string, path: string) =>
      method === 'GET' || (method === 'DELETE' && !path.endsWith('/members'));
    const withBody = (method: string, path: string) => (isBare(method, path) ? {} : { body });
    for (const [method, path] of paths(absent)) {
      const answer = await call(method, path, { as: admin, ...withBody(method, path) });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    for (const id of [
      'x',
      `${absent}0`,
      `8${absent.slice(1)}`,
      absent.replace('Z', 'U'),
      'users',
    ]) {
      for (const [method, path] of paths(id)) {
        const answer = await call(method, path, { as: admin, ...withBody(method, path) });
        expect([method, path, answer.status]).toEqual([method, path, 400]);
        expect(at(answer, 'error')).toMatch(/^malformed entity specification: id /);
      }
    }
  });

  it('is apart from groups of orgs', async () => {
    const read = await get(`/groups/${estate.groupId}`, admin);
    expect(json(read)).toMatchObject({ id: estate.groupId, org_id: estate.orgId });
    expect((await get(`/groups/${randomUUID()}`, admin)).status).toBe(404);
    const post = { as: admin, body: [{ name: 'x' }] };
    expect((await call('POST', `/groups/${absent}/profiles`, post)).status).toBe(400);
  });

  it('tells which methods it takes', async () => {
    for (const id of [absent, estate.groupId]) {
      const answer = await call('PATCH', `/groups/${id}`, { as: admin });
      expect(answer.status).toBe(405);
      expect(String(answer.headers['allow'])).toContain('GET');
    }
    const users = await call('POST', `/groups/users/${absent}`, { as: admin, body });
    expect([users.status, users.headers['allow']]).toEqual([405, 'GET, HEAD']);
    const members = await call('PUT', `/svcauth/groups/${absent}/members`, { as: admin, body });
    expect([members.status, members.headers['allow']]).toEqual([405, 'DELETE, GET, HEAD, POST']);
  });
});
