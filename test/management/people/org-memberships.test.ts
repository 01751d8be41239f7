import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, type Method } from '../../support/api/http.ts';
import { createdAt, loginAdmin, People, type Person } from '../../support/api/people.ts';
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

const forms = ['', '/svcauth'];
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

function newOrg(): Promise<string> {
  return createdAt('/orgs', owner.as, { name: 'org' });
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

/** One of the people who are in no org yet. */
function other(index: number): Person {
  const person = others[index];
  if (person === undefined) throw new Error(`there is no person ${index}`);
  return person;
}

function set(method: 'POST' | 'PUT', orgId: string, list: unknown, as = owner.as) {
  return call(method, `/orgs/${orgId}/memberships`, { as, body: { org_memberships: list } });
}

function remove(orgId: string, ids: unknown, as = owner.as) {
  return call('PATCH', `/orgs/${orgId}/memberships`, { as, body: { member_ids: ids } });
}

/** Who is in an org as what, as its owner sees it. */
async function rolesIn(orgId: string): Promise<Record<string, unknown>> {
  const list = await call('GET', `/orgs/${orgId}/memberships?limit=200`, { as: owner.as });
  const members: unknown = at(list, 'org_memberships');
  if (!Array.isArray(members)) throw new Error(`no list: ${list.text}`);
  return Object.fromEntries(
    members.map((one: { member_id: string; role: string }) => [one.member_id, one.role]),
  );
}

describe('members of an org', () => {
  it.each(forms)('are added, seen, changed and removed under %s/orgs', async (form) => {
    const orgId = await newOrg();
    const path = `${form}/orgs/${orgId}/memberships`;
    const [first, second] = [other(0), other(1)];
    const body = {
      org_memberships: [
        { email: first.email.toUpperCase(), role: 'viewer' },
        { email: second.email, role: 'admin' },
      ],
    };
    const added = await call('POST', path, { as: owner.as, body });
    expect([added.status, added.text]).toEqual([200, '']);

    const place = { org_id: orgId, created_at: iso, updated_at: iso };
    const member = { member_id: first.id, email: first.email, role: 'viewer', ...place };
    const one = await call('GET', `${form}/orgs/${orgId}/members/${first.id}`, { as: second.as });
    expect([one.status, json(one)]).toEqual([200, member]);

    const list = await call('GET', `${path}?order=email&dir=asc`, { as: first.as });
    expect(list.status).toBe(200);
    expect(json(list)).toEqual({
      total: 3,
      offset: 0,
      limit: 10,
      order: 'email',
      dir: 'asc',
      org_memberships: [
        member,
        { member_id: second.id, email: second.email, role: 'admin', ...place },
        { member_id: owner.id, email: owner.email, role: 'owner', ...place },
      ].toSorted((a, b) => (a.email < b.email ? -1 : 1)),
    });

    const changes = { org_memberships: [{ email: first.email, role: 'editor' }] };
    const changed = await call('PUT', path, { as: second.as, body: changes });
    expect([changed.status, changed.text]).toEqual([200, '']);
    expect(await rolesIn(orgId)).toEqual({
      [owner.id]: 'owner',
      [first.id]: 'editor',
      [second.id]: 'admin',
    });

    const leaving = { member_ids: [first.id, second.id.toUpperCase(), first.id] };
    const removed = await call('PATCH', path, { as: owner.as, body: leaving });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await rolesIn(orgId)).toEqual({ [owner.id]: 'owner' });
    expect((await call('GET', `/orgs/${orgId}`, { as: first.as })).status).toBe(403);
  });

  it('can do at once what their role lets them, and no longer once it is taken', async () => {
    const orgId = await newOrg();
    const { as, email } = other(0);
    const group = () => call('POST', `/orgs/${orgId}/groups`, { as, body: { name: randomUUID() } });
    await set('POST', orgId, [{ email, role: 'viewer' }]);
    expect((await group()).status).toBe(403);
    await set('PUT', orgId, [{ email, role: 'editor' }]);
    expect((await group()).status).toBe(201);
  });
});

describe('a list of memberships', () => {
  it.each(['POST', 'PUT'] as const)('is refused by %s when it is malformed', async (method) => {
    const orgId = await newOrg();
    const { email } = other(0);
    if (method === 'PUT') await set('POST', orgId, [{ email, role: 'viewer' }]);
    const before = await rolesIn(orgId);
    const withoutRole: readonly [unknown, string][] = [
      [[{ email }], 'org_memberships.0.role is missing'],
      [[{ email, role: '' }], 'org_memberships.0.role must be one of admin, editor, viewer'],
    ];
    const lists: readonly [unknown, string][] = [
      [[], 'org_memberships must NOT have fewer than 1 items'],
      [undefined, 'org_memberships is missing'],
      [{ email, role: 'editor' }, 'org_memberships must be array'],
      [[{ role: 'editor' }], 'org_memberships.0.email is missing'],
      [[{ email: '', role: 'editor' }], 'org_memberships.0.email must NOT have fewer'],
      [[{ email: 1, role: 'editor' }], 'org_memberships.0.email must be string'],
      [[{ email, role: 'owner' }], 'org_memberships.0.role must be one of admin, editor, viewer'],
      [[{ email, role: 'boss' }], 'org_memberships.0.role must be one of admin, editor, viewer'],
      [['text'], 'org_memberships.0 must be object'],
      // A new member without a role is a viewer; nobody's role is lowered because it was left out.
      ...(method === 'PUT' ? withoutRole : []),
    ];
    for (const [list, what] of lists) {
      const answer = await set(method, orgId, list);
      expect([list, answer.status]).toEqual([list, 400]);
      expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
    }
    expect(await rolesIn(orgId)).toEqual(before);
  });

  it.each(['POST', 'PUT'] as const)(
    'is refused whole by %s for an unknown e-mail',
    async (method) => {
      const orgId = await newOrg();
      const { id, email } = other(0);
      if (method === 'PUT') await set('POST', orgId, [{ email, role: 'viewer' }]);
      for (const unknown of [`${randomUUID()}@example.com`, 'no address']) {
        const answer = await set(method, orgId, [
          { email, role: 'editor' },
          { email: unknown, role: 'editor' },
        ]);
        expect([answer.status, json(answer)]).toMatchObject([
          404,
          { error: 'entity not found: user: org_memberships.1.email' },
        ]);
      }
      expect((await rolesIn(orgId))[id]).toBe(method === 'PUT' ? 'viewer' : undefined);
    },
  );

  it('adds nobody twice, and then none of the others', async () => {
    const orgId = await newOrg();
    const [first, second] = [other(0), other(1)];
    await set('POST', orgId, [{ email: first.email, role: 'viewer' }]);
    const again = await set('POST', orgId, [
      { email: second.email, role: 'editor' },
      { email: first.email, role: 'editor' },
    ]);
    expect([again.status, json(again)]).toMatchObject([
      409,
      { error: 'entity already exists: email' },
    ]);
    const twice = [
      { email: second.email, role: 'editor' },
      { email: second.email.toUpperCase(), role: 'viewer' },
    ];
    expect((await set('POST', orgId, twice)).status).toBe(409);
    expect((await set('POST', orgId, [{ email: owner.email, role: 'viewer' }])).status).toBe(409);
    expect(await rolesIn(orgId)).toEqual({ [owner.id]: 'owner', [first.id]: 'viewer' });
  });

  it('changes members only, each to one role, all or none', async () => {
    const orgId = await newOrg();
    const [first, second] = [other(0), other(1)];
    await set('POST', orgId, [{ email: first.email, role: 'viewer' }]);
    const before = await rolesIn(orgId);
    const editor = { email: first.email, role: 'editor' };
    const nobody = await set('PUT', orgId, [editor, { email: second.email, role: 'editor' }]);
    expect([nobody.status, json(nobody)]).toMatchObject([
      404,
      { error: 'entity not found: member' },
    ]);
    const twice = await set('PUT', orgId, [editor, { email: first.email, role: 'admin' }]);
    expect(twice.status).toBe(400);
    expect(at(twice, 'error')).toContain('org_memberships names a member twice');
    for (const as of [owner.as, admin]) {
      const own = await set('PUT', orgId, [editor, { email: owner.email, role: 'admin' }], as);
      expect(own.status).toBe(403);
    }
    expect(await rolesIn(orgId)).toEqual(before);
  });
});

describe('PATCH /orgs/:id/memberships', () => {
  it('never takes the owner, and then none of the others', async () => {
    const orgId = await newOrg();
    const orgAdmin = other(0);
    await set('POST', orgId, [{ email: orgAdmin.email, role: 'admin' }]);
    for (const as of [owner.as, orgAdmin.as, admin]) {
      const answer = await remove(orgId, [orgAdmin.id, owner.id], as);
      expect([answer.status, json(answer)]).toMatchObject([
        403,
        {
          error: 'failed to perform authorization over the entity: an owner stays what they are',
        },
      ]);
    }
    expect(await rolesIn(orgId)).toEqual({ [owner.id]: 'owner', [orgAdmin.id]: 'admin' });
  });

  it('takes members only, all or none', async () => {
    const orgId = await newOrg();
    const { id, email } = other(0);
    await set('POST', orgId, [{ email, role: 'viewer' }]);
    expect((await remove(orgId, [id, stranger.id])).status).toBe(404);
    expect((await remove(orgId, [id, absent])).status).toBe(404);
    expect((await rolesIn(orgId))[id]).toBe('viewer');
    expect((await remove(orgId, [id])).status).toBe(204);
    expect((await remove(orgId, [id])).status).toBe(404);
  });

  it.each([
    [{ member_ids: [] }, 'member_ids must NOT have fewer than 1 items'],
    [{}, 'member_ids is missing'],
    [{ member_ids: ['no-uuid'] }, 'member_ids.0 must match format'],
    [{ member_ids: [1] }, 'member_ids.0 must be string'],
    [{ member_ids: absent }, 'member_ids must be array'],
    [[], 'body must be object'],
  ])('refuses %j', async (body, what) => {
    const path = `/orgs/${await newOrg()}/memberships`;
    const answer = await call('PATCH', path, { as: owner.as, body });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
  });

  it('takes members out of the groups of the org as well, and of no other', async () => {
    const leaving = other(0);
    const orgs = [await newOrg(), await newOrg()] as const;
    const groups = await Promise.all(
      orgs.map((id) => createdAt(`/orgs/${id}/groups`, owner.as, { name: 'group' })),
    );
    for (const orgId of orgs) await people.join('org', orgId, leaving, 'editor');
    for (const groupId of groups) await people.join('group', groupId, leaving, 'editor');
    expect((await remove(orgs[0], [leaving.id])).status).toBe(204);
    const statuses = groups.map(
      async (id) => (await call('GET', `/groups/${id}`, { as: leaving.as })).status,
    );
    expect(await Promise.all(statuses)).toEqual([403, 200]);
  });

  it('leaves who owns a group of the org where they are', async () => {
    const orgId = await newOrg();
    const groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
    const groupOwner = await people.member('org', orgId, 'editor');
    await people.join('group', groupId, groupOwner, 'owner');
    expect((await remove(orgId, [groupOwner.id])).status).toBe(403);
    expect((await rolesIn(orgId))[groupOwner.id]).toBe('editor');
    expect((await call('GET', `/groups/${groupId}`, { as: groupOwner.as })).status).toBe(200);
  });
});

describe('GET /orgs/:id/memberships', () => {
  it('filters by e-mail and role, pages, and ignores what it does not know', async () => {
    const orgId = await newOrg();
    const [first, second, third] = [other(0), other(1), other(2)];
    await set('POST', orgId, [
      { email: first.email, role: 'editor' },
      { email: second.email, role: 'editor' },
      { email: third.email, role: 'viewer' },
    ]);
    const list = (query: string) =>
      call('GET', `/orgs/${orgId}/memberships?${query}`, { as: owner.as });
    const editors = [first.id, second.id].toSorted().toReversed();
    const all = await list('role=editor&total=0&metadata=%7B&name=x');
    expect(json(all)).toMatchObject({
      total: 2,
      role: 'editor',
      org_memberships: editors.map((member_id) => ({ member_id })),
    });
    expect(all.text).not.toMatch(/metadata|name/);
    const part = third.email.slice(4, 30).toUpperCase();
    expect(json(await list(`email=${part}`))).toMatchObject({
      total: 1,
      email: part,
      org_memberships: [{ member_id: third.id, email: third.email, role: 'viewer' }],
    });
    expect(json(await list('limit=1&offset=3&order=role&dir=asc'))).toMatchObject({
      total: 4,
      offset: 3,
      limit: 1,
      org_memberships: [{ member_id: third.id }],
    });
    expect(json(await list('email=%25'))).toMatchObject({ total: 0, org_memberships: [] });
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

describe('GET /orgs/:id/members/:memberId', () => {
  it('tells who is no member from who may not look', async () => {
    const orgId = await newOrg();
    const view = (id: string, as: string) => call('GET', `/orgs/${orgId}/members/${id}`, { as });
    expect((await view(owner.id, owner.as)).status).toBe(200);
    expect((await view(owner.id, admin)).status).toBe(200);
    expect((await view(stranger.id, owner.as)).status).toBe(404);
    expect((await view(absent, owner.as)).status).toBe(404);
    expect((await view('no-uuid', owner.as)).status).toBe(400);
    expect((await view(owner.id, stranger.as)).status).toBe(403);
    expect((await view(owner.id, 'Bearer none')).status).toBe(401);
  });
});

describe('memberships of an org', () => {
  const asked: readonly [Method, () => unknown][] = [
    ['GET', () => undefined],
    ['POST', () => ({ org_memberships: [{ email: stranger.email, role: 'viewer' }] })],
    ['PUT', () => ({ org_memberships: [{ email: other(1).email, role: 'viewer' }] })],
    ['PATCH', () => ({ member_ids: [other(1).id] })],
  ];

  it.each(asked)('%s: for members to see, and for admins to set', async (method, body) => {
    const orgId = await newOrg();
    const [editor, viewer] = [other(0), other(1)];
    await people.join('org', orgId, editor, 'editor');
    await people.join('org', orgId, viewer, 'viewer');
    const ask = async (as: string, id = orgId) =>
      (await call(method, `/orgs/${id}/memberships`, { as, body: body() })).status;
    const good = method === 'GET' ? 200 : 403;
    expect(await ask(editor.as)).toBe(good);
    expect(await ask(viewer.as)).toBe(good);
    expect(await ask(stranger.as)).toBe(403);
    expect(await ask('Bearer none')).toBe(401);
    expect(await ask(owner.as, absent)).toBe(404);
    expect(await ask(admin, absent)).toBe(404);
    expect(await ask(owner.as, 'no-uuid')).toBe(400);
    expect(await ask(admin)).toBe(method === 'PATCH' ? 204 : 200);
  });

  it('have one winner of twenty at once, to come and to go', async () => {
    const orgId = await newOrg();
    const { id, email } = other(0);
    const come = await race(20, () => set('POST', orgId, [{ email, role: 'viewer' }]));
    expect(come).toEqual(oneOf(20, 200, 409));
    expect(await race(20, () => remove(orgId, [id]))).toEqual(oneOf(20, 204, 404));
  });

  it('do not lock each other out when lists cross', async () => {
    const orgId = await newOrg();
    const many = await registerMany(300);
    const list = many.map(({ email }) => ({ email, role: 'viewer' }));
    const ids = many.map(({ id }) => id);
    for (let round = 0; round < 5; round++) {
      const come = await statusesOf([
        set('POST', orgId, list),
        set('POST', orgId, list.toReversed()),
      ]);
      expect(come).toEqual([200, 409]);
      const change = await statusesOf([
        set('PUT', orgId, list),
        set('PUT', orgId, list.toReversed()),
      ]);
      expect(change).toEqual([200, 200]);
      const go = await statusesOf([remove(orgId, ids), remove(orgId, ids.toReversed())]);
      expect(go).toEqual([204, 404]);
    }
  });
});
