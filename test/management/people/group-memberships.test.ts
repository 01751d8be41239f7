import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, type Method } from '../../support/api/http.ts';
import { createEstate, loginAdmin, People, type Person } from '../../support/api/people.ts';
import { oneOf, race, statusesOf } from '../race.ts';

let admin: string;
let people: People;
let owner: Person;
let others: Person[];
let stranger: Person;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
  others = await Promise.all(Array.from({ length: 4 }, () => people.register()));
  stranger = await people.register();
});

afterAll(() => people.close());

const forms = ['', '/svcthings'];
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

async function newGroup(): Promise<string> {
  return (await createEstate(owner.as)).groupId;
}

/** Users who never log in. */
async function registerMany(times: number): Promise<{ id: string; email: string }[]> {
  const many = Array.from({ length: times }, () => randomUUID()).map((id) => ({
    id,
    email: `${id}@example.com`,
  }));
  await people.rows(
    `INSERT INTO users (id, email, password_hash)
     SELECT id, email, '' FROM unnest($1::uuid[], $2::text[]) AS given (id, email)`,
    [many.map(({ id }) => id), many.map(({ email }) => email)],
  );
  return many;
}

/** One of the people who are in no group yet. */
function other(index: number): Person {
  const person = others[index];
  if (person === undefined) throw new Error(`there is no person ${index}`);
  return person;
}

function set(method: 'POST' | 'PUT', groupId: string, list: unknown, as = owner.as) {
  const body = { group_memberships: list };
  return call(method, `/groups/${groupId}/memberships`, { as, body });
}

function remove(groupId: string, ids: unknown, as = owner.as) {
  return call('PATCH', `/groups/${groupId}/memberships`, { as, body: { member_ids: ids } });
}

/** Who is in a group as what, as its owner sees it. */
async function rolesIn(groupId: string): Promise<Record<string, unknown>> {
  const list = await call('GET', `/groups/${groupId}/memberships?limit=200`, { as: owner.as });
  const members: unknown = at(list, 'group_memberships');
  if (!Array.isArray(members)) throw new Error(`no list: ${list.text}`);
  return Object.fromEntries(
    members.map((one: { member_id: string; role: string }) => [one.member_id, one.role]),
  );
}

describe('members of a group', () => {
  it.each(forms)('are added, seen, changed and removed under %s/groups', async (form) => {
    const groupId = await newGroup();
    const path = `${form}/groups/${groupId}/memberships`;
    const [first, second] = [other(0), other(1)];
    const body = {
      group_memberships: [
        { member_id: first.id.toUpperCase(), role: 'viewer' },
        { member_id: second.id, role: 'admin' },
      ],
    };
    const added = await call('POST', path, { as: owner.as, body });
    expect([added.status, json(added)]).toEqual([201, {}]);

    const list = await call('GET', `${path}?order=email&dir=asc`, { as: first.as });
    expect(list.status).toBe(200);
    const place = { group_id: groupId, created_at: iso, updated_at: iso };
    expect(json(list)).toEqual({
      total: 3,
      offset: 0,
      limit: 10,
      order: 'email',
      dir: 'asc',
      group_memberships: [
        { member_id: first.id, email: first.email, role: 'viewer', ...place },
        { member_id: second.id, email: second.email, role: 'admin', ...place },
        { member_id: owner.id, email: owner.email, role: 'owner', ...place },
      ].toSorted((a, b) => (a.email < b.email ? -1 : 1)),
    });

    const changes = { group_memberships: [{ member_id: first.id.toUpperCase(), role: 'editor' }] };
    const changed = await call('PUT', path, { as: second.as, body: changes });
    expect([changed.status, changed.text]).toEqual([200, '']);
    expect(await rolesIn(groupId)).toEqual({
      [owner.id]: 'owner',
      [first.id]: 'editor',
      [second.id]: 'admin',
    });

    const leaving = { member_ids: [first.id, second.id.toUpperCase(), first.id] };
    const removed = await call('PATCH', path, { as: owner.as, body: leaving });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await rolesIn(groupId)).toEqual({ [owner.id]: 'owner' });
    expect((await call('GET', `/groups/${groupId}`, { as: first.as })).status).toBe(403);
  });

  it('can do at once what their role lets them', async () => {
    const groupId = await newGroup();
    const { id, as } = other(0);
    const profile = () =>
      call('POST', `/groups/${groupId}/profiles`, { as, body: [{ name: 'p' }] });
    await set('POST', groupId, [{ member_id: id, role: 'viewer' }]);
    expect((await profile()).status).toBe(403);
    await set('PUT', groupId, [{ member_id: id, role: 'editor' }]);
    expect((await profile()).status).toBe(201);
  });
});

describe('a list of memberships', () => {
  it.each(['POST', 'PUT'] as const)('is refused by %s when it is malformed', async (method) => {
    const groupId = await newGroup();
    const member_id = other(0).id;
    if (method === 'PUT') await set('POST', groupId, [{ member_id, role: 'viewer' }]);
    const before = await rolesIn(groupId);
    const withoutRole: readonly [unknown, string][] = [
      [[{ member_id }], 'group_memberships.0.role is missing'],
      [[{ member_id, role: '' }], 'group_memberships.0.role must be one of admin, editor, viewer'],
    ];
    const lists: readonly [unknown, string][] = [
      [[], 'group_memberships must NOT have fewer than 1 items'],
      [undefined, 'group_memberships is missing'],
      [{ member_id, role: 'editor' }, 'group_memberships must be array'],
      [[{ role: 'editor' }], 'group_memberships.0.member_id is missing'],
      [[{ member_id: 'x', role: 'editor' }], 'group_memberships.0.member_id must match format'],
      [[{ member_id: 1, role: 'editor' }], 'group_memberships.0.member_id must be string'],
      [[{ member_id, role: 'owner' }], 'group_memberships.0.role must be one of admin, editor'],
      [[{ member_id, role: 'boss' }], 'group_memberships.0.role must be one of admin, editor'],
      [['text'], 'group_memberships.0 must be object'],
      // A new member without a role is a viewer; nobody's role is lowered because it was left out.
      ...(method === 'PUT' ? withoutRole : []),
    ];
    for (const [list, what] of lists) {
      const answer = await set(method, groupId, list);
      expect([list, answer.status]).toEqual([list, 400]);
      expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
    }
    expect(await rolesIn(groupId)).toEqual(before);
  });

  it('adds registered users only, each once, all or none', async () => {
    const groupId = await newGroup();
    const [first, second] = [other(0), other(1)];
    const editor = { member_id: first.id, role: 'editor' };
    const unknown = await set('POST', groupId, [editor, { member_id: absent, role: 'editor' }]);
    expect([unknown.status, json(unknown)]).toMatchObject([
      404,
      { error: 'entity not found: user: member_id' },
    ]);
    const twice = [editor, { member_id: first.id.toUpperCase(), role: 'viewer' }];
    expect((await set('POST', groupId, twice)).status).toBe(409);
    expect(await rolesIn(groupId)).toEqual({ [owner.id]: 'owner' });

    await set('POST', groupId, [editor]);
    const again = await set('POST', groupId, [{ member_id: second.id, role: 'admin' }, editor]);
    expect([again.status, json(again)]).toMatchObject([
      409,
      { error: 'entity already exists: member_id' },
    ]);
    const own = [{ member_id: owner.id, role: 'viewer' }];
    expect((await set('POST', groupId, own)).status).toBe(409);
    expect(await rolesIn(groupId)).toEqual({ [owner.id]: 'owner', [first.id]: 'editor' });
  });

  it('changes members only, each to one role, all or none', async () => {
    const groupId = await newGroup();
    const [first, second] = [other(0), other(1)];
    await set('POST', groupId, [{ member_id: first.id, role: 'viewer' }]);
    const before = await rolesIn(groupId);
    const editor = { member_id: first.id, role: 'editor' };
    for (const member_id of [second.id, absent]) {
      const answer = await set('PUT', groupId, [editor, { member_id, role: 'editor' }]);
      expect(answer.status).toBe(404);
    }
    const twice = [editor, { member_id: first.id.toUpperCase(), role: 'admin' }];
    const refused = await set('PUT', groupId, twice);
    expect(refused.status).toBe(400);
    expect(at(refused, 'error')).toContain('group_memberships names a member twice');
    for (const as of [owner.as, admin]) {
      const own = [editor, { member_id: owner.id, role: 'admin' }];
      expect((await set('PUT', groupId, own, as)).status).toBe(403);
    }
    expect(await rolesIn(groupId)).toEqual(before);
  });
});

describe('PATCH /groups/:id/memberships', () => {
  it('never takes the owner, and then none of the others', async () => {
    const groupId = await newGroup();
    const groupAdmin = other(0);
    await set('POST', groupId, [{ member_id: groupAdmin.id, role: 'admin' }]);
    for (const as of [owner.as, groupAdmin.as, admin]) {
      expect((await remove(groupId, [groupAdmin.id, owner.id], as)).status).toBe(403);
    }
    expect(await rolesIn(groupId)).toEqual({ [owner.id]: 'owner', [groupAdmin.id]: 'admin' });
  });

  it('takes members only, all or none', async () => {
    const groupId = await newGroup();
    const { id } = other(0);
    await set('POST', groupId, [{ member_id: id, role: 'viewer' }]);
    expect((await remove(groupId, [id, stranger.id])).status).toBe(404);
    expect((await remove(groupId, [id, absent])).status).toBe(404);
    expect((await rolesIn(groupId))[id]).toBe('viewer');
    expect((await remove(groupId, [id])).status).toBe(204);
    expect((await remove(groupId, [id])).status).toBe(404);
  });

  it.each([
    [{ member_ids: [] }, 'member_ids must NOT have fewer than 1 items'],
    [{}, 'member_ids is missing'],
    [{ member_ids: ['no-uuid'] }, 'member_ids.0 must match format'],
    [{ member_ids: [1] }, 'member_ids.0 must be string'],
    [{ member_ids: absent }, 'member_ids must be array'],
    [[], 'body must be object'],
  ])('refuses %j', async (body, what) => {
    const path = `/groups/${await newGroup()}/memberships`;
    const answer = await call('PATCH', path, { as: owner.as, body });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
  });
});

describe('GET /groups/:id/memberships', () => {
  it('filters by e-mail and role, pages, and ignores what it does not know', async () => {
    const groupId = await newGroup();
    const [first, second, third] = [other(0), other(1), other(2)];
    await set('POST', groupId, [
      { member_id: first.id, role: 'editor' },
      { member_id: second.id, role: 'editor' },
      { member_id: third.id, role: 'viewer' },
    ]);
    const list = (query: string) =>
      call('GET', `/groups/${groupId}/memberships?${query}`, { as: owner.as });
    const editors = [first.id, second.id].toSorted().toReversed();
    const all = await list('role=editor&total=0&metadata=%7B&name=x');
    expect(json(all)).toMatchObject({
      total: 2,
      role: 'editor',
      group_memberships: editors.map((member_id) => ({ member_id })),
    });
    expect(all.text).not.toMatch(/metadata|name/);
    const part = third.email.slice(4, 30).toUpperCase();
    expect(json(await list(`email=${part}`))).toMatchObject({
      total: 1,
      email: part,
      group_memberships: [{ member_id: third.id, email: third.email, role: 'viewer' }],
    });
    expect(json(await list('limit=1&offset=3&order=role&dir=asc'))).toMatchObject({
      total: 4,
      offset: 3,
      limit: 1,
      group_memberships: [{ member_id: third.id }],
    });
    for (const query of [
      'role=boss',
      'order=password',
      'dir=up',
      'limit=0',
      'offset=-1',
      'role=editor&role=viewer',
    ]) {
      expect([query, (await list(query)).status]).toEqual([query, 400]);
    }
  });
});

describe('memberships of a group', () => {
  const asked: readonly [Method, () => unknown, number][] = [
    ['GET', () => undefined, 200],
    ['POST', () => ({ group_memberships: [{ member_id: stranger.id, role: 'viewer' }] }), 201],
    ['PUT', () => ({ group_memberships: [{ member_id: other(1).id, role: 'viewer' }] }), 200],
    ['PATCH', () => ({ member_ids: [other(1).id] }), 204],
  ];

  it.each(asked)('%s: for members to see, and for admins to set', async (method, body, good) => {
    const { groupId, orgId } = await createEstate(owner.as);
    const [editor, viewer, orgAdmin] = [other(0), other(1), other(2)];
    await people.join('group', groupId, editor, 'editor');
    await people.join('group', groupId, viewer, 'viewer');
    await people.join('org', orgId, orgAdmin, 'admin');
    const ask = async (as: string, id = groupId) =>
      (await call(method, `/groups/${id}/memberships`, { as, body: body() })).status;
    const toMembers = method === 'GET' ? 200 : 403;
    expect(await ask(editor.as)).toBe(toMembers);
    expect(await ask(viewer.as)).toBe(toMembers);
    expect(await ask(orgAdmin.as)).toBe(403);
    expect(await ask(stranger.as)).toBe(403);
    expect(await ask('Bearer none')).toBe(401);
    expect(await ask(owner.as, absent)).toBe(404);
    expect(await ask(admin, absent)).toBe(404);
    expect(await ask(owner.as, 'no-uuid')).toBe(400);
    expect(await ask(admin)).toBe(good);
  });

  it('have one winner of twenty at once, to come and to go', async () => {
    const groupId = await newGroup();
    const { id } = other(0);
    const come = await race(20, () => set('POST', groupId, [{ member_id: id, role: 'viewer' }]));
    expect(come).toEqual(oneOf(20, 201, 409));
    expect(await race(20, () => remove(groupId, [id]))).toEqual(oneOf(20, 204, 404));
  });

  it('do not lock each other out when lists cross', async () => {
    const groupId = await newGroup();
    const many = await registerMany(300);
    const list = many.map(({ id }) => ({ member_id: id, role: 'viewer' }));
    const ids = many.map(({ id }) => id);
    for (let round = 0; round < 5; round++) {
      const come = await statusesOf([
        set('POST', groupId, list),
        set('POST', groupId, list.toReversed()),
      ]);
      expect(come).toEqual([201, 409]);
      const change = await statusesOf([
        set('PUT', groupId, list),
        set('PUT', groupId, list.toReversed()),
      ]);
      expect(change).toEqual([200, 200]);
      const go = await statusesOf([remove(groupId, ids), remove(groupId, ids.toReversed())]);
      expect(go).toEqual([204, 404]);
    }
  });
});
