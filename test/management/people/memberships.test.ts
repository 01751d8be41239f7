import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, type Method } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';
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

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

type User = { id: string; email: string };

/** What has members. */
type Place = {
  kind: 'org' | 'group';
  prefix: string;
  create: () => Promise<string>;
  /** How a request names a user, and how it may as well. */
  naming: (user: User) => object;
  otherwise: (user: User) => object;
  /** Malformed names. */
  malformed: readonly [object, string][];
  /** Names of nobody, and what is said of each when a user is added to a list or changed in it. */
  unknown: readonly [object, Readonly<Record<'POST' | 'PUT', string>>][];
  added: { status: number; text: string };
  exists: string;
};

const noUser = 'entity not found: user: org_memberships.1.email';

const places: readonly Place[] = [
  {
    kind: 'org',
    prefix: '/svcauth',
    create: () => createdAt('/orgs', owner.as, { name: 'org' }),
    naming: ({ email }) => ({ email }),
    otherwise: ({ email }) => ({ email: email.toUpperCase() }),
    malformed: [
      [{}, 'org_memberships.0.email is missing'],
      [{ email: '' }, 'org_memberships.0.email must NOT have fewer'],
      [{ email: 1 }, 'org_memberships.0.email must be string'],
    ],
    unknown: [
      [{ email: 'nobody@example.com' }, { POST: noUser, PUT: noUser }],
      [{ email: 'no address' }, { POST: noUser, PUT: noUser }],
    ],
    added: { status: 200, text: '' },
    exists: 'entity already exists: email',
  },
  {
    kind: 'group',
    prefix: '/svcthings',
    create: async () => (await createEstate(owner.as)).groupId,
    naming: ({ id }) => ({ member_id: id }),
    otherwise: ({ id }) => ({ member_id: id.toUpperCase() }),
    malformed: [
      [{}, 'group_memberships.0.member_id is missing'],
      [{ member_id: 'x' }, 'group_memberships.0.member_id must match format'],
      [{ member_id: 1 }, 'group_memberships.0.member_id must be string'],
    ],
    unknown: [
      [
        { member_id: absent },
        { POST: 'entity not found: user: member_id', PUT: 'entity not found: member' },
      ],
    ],
    added: { status: 201, text: '{}' },
    exists: 'entity already exists: member_id',
  },
];

/** Users who never log in. */
async function registerMany(times: number): Promise<User[]> {
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

/** One of the people who are nowhere a member yet. */
function other(index: number): Person {
  const person = others[index];
  if (person === undefined) throw new Error(`there is no person ${index}`);
  return person;
}

/** One place, with its memberships as its owner sees and sets them. */
class Memberships {
  readonly id: string;
  readonly path: string;
  readonly list: string;

  private constructor({ kind }: Place, id: string) {
    this.id = id;
    this.path = `/${kind}s/${id}/memberships`;
    this.list = `${kind}_memberships`;
  }

  static async of(place: Place): Promise<Memberships> {
    return new Memberships(place, await place.create());
  }

  set(method: 'POST' | 'PUT', list: unknown, as = owner.as) {
    return call(method, this.path, { as, body: { [this.list]: list } });
  }

  remove(ids: unknown, as = owner.as) {
    return call('PATCH', this.path, { as, body: { member_ids: ids } });
  }

  async roles(): Promise<Record<string, unknown>> {
    const answer = await call('GET', `${this.path}?limit=200`, { as: owner.as });
    const members: unknown = at(answer, this.list);
    if (!Array.isArray(members)) throw new Error(`no list: ${answer.text}`);
    return Object.fromEntries(
      members.map((one: { member_id: string; role: string }) => [one.member_id, one.role]),
    );
  }
}

describe.each(places)('memberships of a place: $kind', (place) => {
  const { kind, naming, otherwise } = place;
  const list = `${kind}_memberships`;
  const as = (user: User, role: string) => ({ ...naming(user), role });

  it.each(['', place.prefix])('are added, read, changed and removed under %s/', async (prefix) => {
    const memberships = await Memberships.of(place);
    const path = `${prefix}${memberships.path}`;
    const [first, second] = [other(0), other(1)];
    const body = { [list]: [{ ...otherwise(first), role: 'viewer' }, as(second, 'admin')] };
    const added = await call('POST', path, { as: owner.as, body });
    expect(added).toMatchObject(place.added);

    const read = await call('GET', `${path}?order=email&dir=asc`, { as: first.as });
    expect(read.status).toBe(200);
    const common = { [`${kind}_id`]: memberships.id, created_at: iso, updated_at: iso };
    expect(json(read)).toEqual({
      total: 3,
      offset: 0,
      limit: 10,
      order: 'email',
      dir: 'asc',
      [list]: [
        { member_id: first.id, email: first.email, role: 'viewer', ...common },
        { member_id: second.id, email: second.email, role: 'admin', ...common },
        { member_id: owner.id, email: owner.email, role: 'owner', ...common },
      ].toSorted((a, b) => (a.email < b.email ? -1 : 1)),
    });

    const changes = { [list]: [{ ...otherwise(first), role: 'editor' }] };
    const changed = await call('PUT', path, { as: second.as, body: changes });
    expect([changed.status, changed.text]).toEqual([200, '']);
    // Members of an org are named by their ids as well, and as lists show them.
    const both = [
      { member_id: first.id, role: 'viewer' },
      { member_id: first.id, email: first.email },
    ];
    for (const name of kind === 'org' ? both : []) {
      const again = await memberships.set('PUT', [{ ...name, role: 'editor' }], second.as);
      expect(again.status).toBe(200);
    }
    const roles = { [owner.id]: 'owner', [first.id]: 'editor', [second.id]: 'admin' };
    expect(await memberships.roles()).toEqual(roles);

    const leaving = { member_ids: [first.id, second.id.toUpperCase(), first.id] };
    const removed = await call('PATCH', path, { as: owner.as, body: leaving });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await memberships.roles()).toEqual({ [owner.id]: 'owner' });
    const answer = await call('GET', `/${kind}s/${memberships.id}`, { as: first.as });
    expect(answer.status).toBe(403);
  });

  it('give the rights of a role with the next request', async () => {
    const memberships = await Memberships.of(place);
    const member = other(0);
    const create = async () => {
      const [path, body] =
        kind === 'org' ? ['groups', { name: randomUUID() }] : ['profiles', [{ name: 'p' }]];
      return (await call('POST', `/${kind}s/${memberships.id}/${path}`, { as: member.as, body }))
        .status;
    };
    await memberships.set('POST', [as(member, 'viewer')]);
    expect(await create()).toBe(403);
    await memberships.set('PUT', [as(member, 'editor')]);
    expect(await create()).toBe(201);
  });

  it.each(['POST', 'PUT'] as const)('are refused by %s when malformed', async (method) => {
    const memberships = await Memberships.of(place);
    const member = other(0);
    if (method === 'PUT') await memberships.set('POST', [as(member, 'viewer')]);
    const before = await memberships.roles();
    const roles = `${list}.0.role must be one of admin, editor, viewer`;
    const withoutRole: readonly [unknown, string][] = [
      [[naming(member)], `${list}.0.role is missing`],
      [[as(member, '')], roles],
    ];
    const lists: readonly [unknown, string][] = [
      [[], `${list} must NOT have fewer than 1 items`],
      [undefined, `${list} is missing`],
      [as(member, 'editor'), `${list} must be array`],
      [[as(member, 'owner')], roles],
      [[as(member, 'boss')], roles],
      [['text'], `${list}.0 must be object`],
      ...place.malformed.map(([name, what]): [unknown, string] => [
        [{ ...name, role: 'editor' }],
        what,
      ]),
      // A new member without a role is a viewer; nobody's role is lowered because it was left out.
      ...(method === 'PUT' ? withoutRole : []),
    ];
    for (const [given, what] of lists) {
      const answer = await memberships.set(method, given);
      expect([given, answer.status]).toEqual([given, 400]);
      expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
    }
    expect(await memberships.roles()).toEqual(before);
  });

  it.each(['POST', 'PUT'] as const)(
    'are refused whole by %s where one user is not registered',
    async (method) => {
      const memberships = await Memberships.of(place);
      const member = other(0);
      if (method === 'PUT') await memberships.set('POST', [as(member, 'viewer')]);
      for (const [name, errors] of place.unknown) {
        const both = [as(member, 'editor'), { ...name, role: 'editor' }];
        const answer = await memberships.set(method, both);
        expect([answer.status, json(answer)]).toMatchObject([404, { error: errors[method] }]);
      }
      expect((await memberships.roles())[member.id]).toBe(method === 'PUT' ? 'viewer' : undefined);
    },
  );

  it('are added once: a list with a member is refused whole', async () => {
    const memberships = await Memberships.of(place);
    const [first, second] = [other(0), other(1)];
    const twice = [as(second, 'editor'), { ...otherwise(second), role: 'viewer' }];
    expect((await memberships.set('POST', twice)).status).toBe(409);
    expect(await memberships.roles()).toEqual({ [owner.id]: 'owner' });

    await memberships.set('POST', [as(first, 'viewer')]);
    const again = await memberships.set('POST', [as(second, 'editor'), as(first, 'editor')]);
    expect([again.status, json(again)]).toMatchObject([409, { error: place.exists }]);
    expect((await memberships.set('POST', [as(owner, 'viewer')])).status).toBe(409);
    expect(await memberships.roles()).toEqual({ [owner.id]: 'owner', [first.id]: 'viewer' });
  });

  it('are changed of members only, each to one role, all or none', async () => {
    const memberships = await Memberships.of(place);
    const [first, second] = [other(0), other(1)];
    await memberships.set('POST', [as(first, 'viewer')]);
    const before = await memberships.roles();
    const editor = as(first, 'editor');
    const noMember = await memberships.set('PUT', [editor, as(second, 'editor')]);
    expect([noMember.status, json(noMember)]).toMatchObject([
      404,
      { error: 'entity not found: member' },
    ]);
    const twice = [editor, { ...otherwise(first), role: 'admin' }];
    const refused = await memberships.set('PUT', twice);
    expect(refused.status).toBe(400);
    expect(at(refused, 'error')).toContain(`${list} names a member twice`);
    for (const caller of [owner.as, admin]) {
      const own = [editor, as(owner, 'admin')];
      expect((await memberships.set('PUT', own, caller)).status).toBe(403);
    }
    expect(await memberships.roles()).toEqual(before);
  });

  it('are not removed of an owner, nor any others of the same list', async () => {
    const memberships = await Memberships.of(place);
    const placeAdmin = other(0);
    await memberships.set('POST', [as(placeAdmin, 'admin')]);
    for (const caller of [owner.as, placeAdmin.as, admin]) {
      const answer = await memberships.remove([placeAdmin.id, owner.id], caller);
      const error = 'failed to perform authorization over the entity: an owner stays what they are';
      expect([answer.status, json(answer)]).toMatchObject([403, { error }]);
    }
    const roles = { [owner.id]: 'owner', [placeAdmin.id]: 'admin' };
    expect(await memberships.roles()).toEqual(roles);
  });

  it('are removed of members only, all or none', async () => {
    const memberships = await Memberships.of(place);
    const member = other(0);
    await memberships.set('POST', [as(member, 'viewer')]);
    expect((await memberships.remove([member.id, stranger.id])).status).toBe(404);
    expect((await memberships.remove([member.id, absent])).status).toBe(404);
    expect((await memberships.roles())[member.id]).toBe('viewer');
    expect((await memberships.remove([member.id])).status).toBe(204);
    expect((await memberships.remove([member.id])).status).toBe(404);
  });

  it.each([
    [{ member_ids: [] }, 'member_ids must NOT have fewer than 1 items'],
    [{}, 'member_ids is missing'],
    [{ member_ids: ['no-uuid'] }, 'member_ids.0 must match format'],
    [{ member_ids: [1] }, 'member_ids.0 must be string'],
    [{ member_ids: absent }, 'member_ids must be array'],
    [[], 'body must be object'],
  ])('are not removed by %j', async (body, what) => {
    const { path } = await Memberships.of(place);
    const answer = await call('PATCH', path, { as: owner.as, body });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
  });

  it('are filtered by e-mail and role, and paged', async () => {
    const memberships = await Memberships.of(place);
    const [first, second, third] = [other(0), other(1), other(2)];
    const three = [as(first, 'editor'), as(second, 'editor'), as(third, 'viewer')];
    await memberships.set('POST', three);
    const read = (query: string) => call('GET', `${memberships.path}?${query}`, { as: owner.as });
    const editors = [first.id, second.id].toSorted().toReversed();
    // Parameters that it does not know are ignored.
    const all = await read('role=editor&total=0&metadata=%7B&name=x');
    expect(json(all)).toMatchObject({
      total: 2,
      role: 'editor',
      [list]: editors.map((member_id) => ({ member_id })),
    });
    expect(all.text).not.toMatch(/metadata|name/);
    const part = third.email.slice(4, 30).toUpperCase();
    expect(json(await read(`email=${part}`))).toMatchObject({
      total: 1,
      email: part,
      [list]: [{ member_id: third.id, email: third.email, role: 'viewer' }],
    });
    expect(json(await read('limit=1&offset=3&order=role&dir=asc'))).toMatchObject({
      total: 4,
      offset: 3,
      limit: 1,
      [list]: [{ member_id: third.id }],
    });
    expect(json(await read('email=%25'))).toMatchObject({ total: 0, [list]: [] });
    for (const query of [
      'role=boss',
      'order=password',
      'dir=up',
      'limit=0',
      'offset=-1',
      'role=editor&role=viewer',
    ]) {
      expect([query, (await read(query)).status]).toEqual([query, 400]);
    }
  });

  const requests: readonly [Method, () => unknown, number][] = [
    ['GET', () => undefined, 200],
    ['POST', () => ({ [list]: [as(stranger, 'viewer')] }), place.added.status],
    ['PUT', () => ({ [list]: [as(other(1), 'viewer')] }), 200],
    ['PATCH', () => ({ member_ids: [other(1).id] }), 204],
  ];

  it.each(requests)('are read by members and set by admins: %s', async (method, body, success) => {
    const { orgId, groupId } = await createEstate(owner.as);
    const id = kind === 'org' ? orgId : groupId;
    const [editor, viewer, orgAdmin] = [other(0), other(1), other(2)];
    await people.join(kind, id, editor, 'editor');
    await people.join(kind, id, viewer, 'viewer');
    const ask = async (caller: string, where = id) =>
      (await call(method, `/${kind}s/${where}/memberships`, { as: caller, body: body() })).status;
    const forMembers = method === 'GET' ? 200 : 403;
    expect(await ask(editor.as)).toBe(forMembers);
    expect(await ask(viewer.as)).toBe(forMembers);
    expect(await ask(stranger.as)).toBe(403);
    if (kind === 'group') {
      await people.join('org', orgId, orgAdmin, 'admin');
      expect(await ask(orgAdmin.as)).toBe(403);
    }
    expect(await ask('Bearer none')).toBe(401);
    expect(await ask(owner.as, absent)).toBe(404);
    expect(await ask(admin, absent)).toBe(404);
    expect(await ask(owner.as, 'no-uuid')).toBe(400);
    expect(await ask(admin)).toBe(success);
  });

  it('are added by one of twenty equal requests at once, and removed by one', async () => {
    const memberships = await Memberships.of(place);
    const member = other(0);
    const added = await race(20, () => memberships.set('POST', [as(member, 'viewer')]));
    expect(added).toEqual(oneOf(20, place.added.status, 409));
    expect(await race(20, () => memberships.remove([member.id]))).toEqual(oneOf(20, 204, 404));
  });

  it('do not lock each other out when two lists have opposite orders', async () => {
    const memberships = await Memberships.of(place);
    const many = await registerMany(300);
    const all = many.map((user) => as(user, 'viewer'));
    const ids = many.map(({ id }) => id);
    for (let round = 0; round < 5; round++) {
      const added = await statusesOf([
        memberships.set('POST', all),
        memberships.set('POST', all.toReversed()),
      ]);
      expect(added).toEqual([place.added.status, 409]);
      const changed = await statusesOf([
        memberships.set('PUT', all),
        memberships.set('PUT', all.toReversed()),
      ]);
      expect(changed).toEqual([200, 200]);
      const removed = await statusesOf([
        memberships.remove(ids),
        memberships.remove(ids.toReversed()),
      ]);
      expect(removed).toEqual([204, 404]);
    }
  });
});

describe('a membership of an org', () => {
  it('is read alone; who is no member is a 404, and who may not look gets 403', async () => {
    const orgId = await createdAt('/orgs', owner.as, { name: 'org' });
    const member = other(0);
    await people.join('org', orgId, member, 'viewer');
    const view = (id: string, as: string, prefix = '') =>
      call('GET', `${prefix}/orgs/${orgId}/members/${id}`, { as });
    for (const prefix of ['', '/svcauth']) {
      const answer = await view(member.id, owner.as, prefix);
      expect([answer.status, json(answer)]).toEqual([
        200,
        {
          member_id: member.id,
          email: member.email,
          role: 'viewer',
          org_id: orgId,
          created_at: iso,
          updated_at: iso,
        },
      ]);
    }
    expect((await view(owner.id, admin)).status).toBe(200);
    expect((await view(stranger.id, owner.as)).status).toBe(404);
    expect((await view(absent, owner.as)).status).toBe(404);
    expect((await view('no-uuid', owner.as)).status).toBe(400);
    expect((await view(owner.id, stranger.as)).status).toBe(403);
    expect((await view(owner.id, 'Bearer none')).status).toBe(401);
  });

  it('ends with those of its groups, and of no others', async () => {
    const leaving = other(0);
    const orgs = [
      await createdAt('/orgs', owner.as, { name: 'org' }),
      await createdAt('/orgs', owner.as, { name: 'org' }),
    ] as const;
    const groups = await Promise.all(
      orgs.map((id) => createdAt(`/orgs/${id}/groups`, owner.as, { name: 'group' })),
    );
    for (const orgId of orgs) await people.join('org', orgId, leaving, 'editor');
    for (const groupId of groups) await people.join('group', groupId, leaving, 'editor');
    const body = { member_ids: [leaving.id] };
    const path = `/orgs/${orgs[0]}/memberships`;
    expect((await call('PATCH', path, { as: owner.as, body })).status).toBe(204);
    const statuses = groups.map(
      async (id) => (await call('GET', `/groups/${id}`, { as: leaving.as })).status,
    );
    expect(await Promise.all(statuses)).toEqual([403, 200]);
  });

  it('does not end while its user owns a group of the org', async () => {
    const orgId = await createdAt('/orgs', owner.as, { name: 'org' });
    const groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
    const groupOwner = await people.member('org', orgId, 'editor');
    await people.join('group', groupId, groupOwner, 'owner');
    const body = { member_ids: [groupOwner.id] };
    const path = `/orgs/${orgId}/memberships`;
    expect((await call('PATCH', path, { as: owner.as, body })).status).toBe(403);
    const member = await call('GET', `/orgs/${orgId}/members/${groupOwner.id}`, { as: owner.as });
    expect(at(member, 'role')).toBe('editor');
    expect((await call('GET', `/groups/${groupId}`, { as: groupOwner.as })).status).toBe(200);
  });
});
