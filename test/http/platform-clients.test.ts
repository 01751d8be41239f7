import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { at, call, json, textAt } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  login,
  loginAdmin,
  password,
  People,
  type Person,
} from '../support/api/people.ts';

/** What the clients of the platform send, in their own forms. */

let admin: string;
let people: People;
let owner: Person;
let estate: Estate;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
});

afterAll(() => people.close());

const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function status(path: string, as = owner.as): Promise<number> {
  return call('GET', path, { as }).then((answer) => answer.status);
}

function things(names: string[]): Promise<{ id: string; key: string }[]> {
  const body = names.map((name) => ({ name, type: 'device' }));
  return createThings(owner.as, estate.profileId, body);
}

describe('webhooks in the form of the SDK', () => {
  it('are answered wrapped where an element has an id, be it empty', async () => {
    const answer = await call('POST', `/svcwebhooks/things/${estate.thingId}/webhooks`, {
      as: owner.as,
      body: [{ id: '', name: 'hook', url: 'https://example.com/', headers: null, metadata: null }],
    });
    expect([answer.status, at(answer, 'webhooks', 0, 'name')]).toEqual([201, 'hook']);
    expect(textAt(answer, 'webhooks', 0, 'id')).not.toBe('');
  });
});

describe('a key given at creation', () => {
  const create = (body: unknown) =>
    call('POST', `/profiles/${estate.profileId}/things`, { as: owner.as, body });

  it('is kept, and known', async () => {
    const keys = [randomUUID(), `burned in ${'k'.repeat(4_000)}`];
    const made = await create(
      keys.map((key) => ({
        name: randomUUID(),
        type: 'device',
        key,
        external_key: key.slice(-36),
      })),
    );
    expect([made.status, ...keys.map((_, i) => at(made, 'things', i, 'key'))]).toEqual([
      201,
      ...keys,
    ]);
    for (const [i, key] of keys.entries()) {
      const identified = await call('POST', '/identify', { body: { key, type: 'internal' } });
      expect(json(identified)).toEqual({ id: at(made, 'things', i, 'id') });
    }
  });

  it('is generated where it is absent or empty', async () => {
    const made = await create([
      { name: randomUUID(), type: 'device', key: '' },
      { name: randomUUID(), type: 'device' },
    ]);
    expect(textAt(made, 'things', 0, 'key')).toHaveLength(36);
    expect(textAt(made, 'things', 1, 'key')).toHaveLength(36);
  });

  it('is unique, in a batch too, and no longer than a key may be', async () => {
    const key = randomUUID();
    const thing = (more: object) => ({ name: randomUUID(), type: 'device', ...more });
    const twice = await create([thing({ key }), thing({ key })]);
    expect([twice.status, at(twice, 'error')]).toEqual([409, expect.stringContaining('key')]);
    const twiceExternal = await create([
      thing({ external_key: key }),
      thing({ external_key: key }),
    ]);
    expect(twiceExternal.status).toBe(409);
    expect((await create([thing({ key })])).status).toBe(201);
    expect((await create([thing({}), thing({ key })])).status).toBe(409);
    expect((await create([thing({ key: 'k'.repeat(4_097) })])).status).toBe(400);
  });
});

describe('users', () => {
  it('are created with their metadata, and can read themselves', async () => {
    const email = `${randomUUID()}@example.com`;
    const metadata = { floor: 3 };
    const id = await createdAt('/users', admin, { email, password, metadata });
    const as = await login(email);
    expect(json(await call('GET', '/svcusers/users/profile', { as }))).toEqual({
      id,
      email,
      metadata,
    });
    expect(await status('/users/profile', 'Bearer rubbish')).toBe(401);
  });
});

describe('memberships', () => {
  it('without a role are those of viewers, and have their place and times', async () => {
    const [inOrg, inGroup] = [await people.register(), await people.register()];
    const { orgId, groupId } = estate;
    await call('POST', `/orgs/${orgId}/memberships`, {
      as: owner.as,
      body: { org_memberships: [{ email: inOrg.email, role: '' }] },
    });
    const times = { created_at: iso, updated_at: iso };
    const view = await call('GET', `/orgs/${orgId}/members/${inOrg.id}`, { as: owner.as });
    const member = { email: inOrg.email, role: 'viewer', org_id: orgId, ...times };
    expect(json(view)).toEqual({ member_id: inOrg.id, ...member });
    const list = `/orgs/${orgId}/memberships?email=${inOrg.email}`;
    expect(at(await call('GET', list, { as: owner.as }), 'org_memberships', 0)).toEqual(json(view));

    const path = `/groups/${groupId}/memberships`;
    await call('POST', path, { as: owner.as, body: [{ member_id: inGroup.id }] });
    const listed = await call('GET', `${path}?email=${inGroup.email}`, { as: owner.as });
    expect(at(listed, 'group_memberships')).toEqual([
      { member_id: inGroup.id, email: inGroup.email, role: 'viewer', group_id: groupId, ...times },
    ]);
  });

  it('of a group are made and changed from a bare list, whose mistakes are named', async () => {
    const person = await people.register();
    const path = `/groups/${estate.groupId}/memberships`;
    const send = (method: 'POST' | 'PUT', body: unknown) =>
      call(method, path, { as: owner.as, body });
    const member = { member_id: person.id, role: 'viewer' };
    expect((await send('POST', [member])).status).toBe(201);
    expect((await send('PUT', [{ ...member, role: 'editor' }])).status).toBe(200);
    const listed = await call('GET', `${path}?email=${person.email}`, { as: owner.as });
    expect(at(listed, 'group_memberships', 0, 'role')).toBe('editor');
    expect((await send('POST', [])).status).toBe(400);
    const wrong = await send('POST', [{ member_id: 'x' }]);
    expect([wrong.status, at(wrong, 'error')]).toEqual([
      400,
      expect.stringContaining('0.member_id'),
    ]);
    // Nobody's role is lowered because it was left out.
    expect((await send('PUT', [{ member_id: person.id }])).status).toBe(400);
  });
});

describe('an invite', () => {
  it('is found at its Location, and names the invitee', async () => {
    const invitee = await people.register();
    const id = await createdAt(`/orgs/${estate.orgId}/invites`, owner.as, {
      email: invitee.email,
      role: 'viewer',
    });
    const invite = await call('GET', `/svcauth/invites/${id}`, { as: invitee.as });
    expect([at(invite, 'id'), at(invite, 'invitee_id')]).toEqual([id, invitee.id]);
    const path = `/users/${invitee.id}/invites/received`;
    const received = await call('GET', path, { as: invitee.as });
    expect(at(received, 'invites', 0, 'invitee_id')).toBe(invitee.id);
  });
});

describe('several at once', () => {
  it('are deleted, all or none', async () => {
    const [one, two] = await things([randomUUID(), randomUUID()]);
    const remove = (ids: unknown) =>
      call('PATCH', '/svcthings/things', { as: owner.as, body: { thing_ids: ids } });
    expect((await remove([one?.id, absent])).status).toBe(404);
    expect((await remove([])).status).toBe(400);
    expect(await status(`/things/${one?.id}`)).toBe(200);
    expect((await remove([one?.id, two?.id.toUpperCase(), two?.id])).status).toBe(204);
    expect(await status(`/things/${one?.id}`)).toBe(404);
    const key = { key: two?.key, type: 'internal' };
    expect((await call('POST', '/identify', { body: key })).status).toBe(404);
  });

  it('need the permission for each of them', async () => {
    const editor = await people.member('group', estate.groupId, 'editor');
    const foreign = await createEstate((await people.register()).as);
    const [thing] = await things([randomUUID()]);
    const wrong = [
      ['/things', { thing_ids: [thing?.id, foreign.thingId] }, owner.as],
      ['/things', { thing_ids: [thing?.id] }, editor.as],
      ['/profiles', { profile_ids: [foreign.profileId] }, owner.as],
      ['/groups', { group_ids: [estate.groupId, foreign.groupId] }, owner.as],
    ] as const;
    for (const [path, body, as] of wrong) {
      expect([path, (await call('PATCH', path, { as, body })).status]).toEqual([path, 403]);
    }
    expect(await status(`/things/${thing?.id}`)).toBe(200);
    expect(await status(`/groups/${estate.groupId}`)).toBe(200);
  });

  it('are profiles that no thing uses, and groups with all in them', async () => {
    const groupId = await createdAt(`/orgs/${estate.orgId}/groups`, owner.as, { name: 'doomed' });
    const profiles = `/groups/${groupId}/profiles`;
    const free = await createdAt(profiles, owner.as, [{ name: 'free' }]);
    const taken = await createdAt(profiles, owner.as, [{ name: 'taken' }]);
    const [thing] = await createThings(owner.as, taken, [{ name: 'thing', type: 'device' }]);
    const remove = (path: string, body: unknown) => call('PATCH', path, { as: owner.as, body });
    expect((await remove('/profiles', { profile_ids: [free, taken] })).status).toBe(409);
    expect(await status(`/profiles/${free}`)).toBe(200);
    expect((await remove('/profiles', { profile_ids: [free] })).status).toBe(204);
    expect(await status(`/profiles/${free}`)).toBe(404);
    expect((await remove('/groups', { group_ids: [groupId] })).status).toBe(204);
    expect(await status(`/things/${thing?.id}`)).toBe(404);
  });
});

describe('searches', () => {
  it('accept the filters of the lists as a body, and answer like them', async () => {
    const name = randomUUID();
    const orgId = await createdAt('/orgs', owner.as, { name, metadata: { a: 1 } });
    const groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name });
    const search = (path: string, body?: unknown) =>
      call('POST', `${path}/search`, { as: owner.as, body });
    const orgs = await search('/orgs', { name: name.slice(3), metadata: { a: 1 }, limit: 5 });
    expect([orgs.status, at(orgs, 'total'), at(orgs, 'limit')]).toEqual([200, 1, 5]);
    expect(at(orgs, 'orgs', 0, 'id')).toBe(orgId);
    for (const path of ['/groups', `/orgs/${orgId}/groups`, `/svcthings/orgs/${orgId}/groups`]) {
      const groups = await search(path, { name });
      expect([groups.status, at(groups, 'total'), at(groups, 'groups', 0, 'id')]).toEqual([
        200,
        1,
        groupId,
      ]);
    }
    const other = await search(`/orgs/${estate.orgId}/groups`, { name });
    expect([at(other, 'total'), at(other, 'groups')]).toEqual([0, []]);
    const users = await search('/users', { email: owner.email });
    expect([at(users, 'total'), at(users, 'Users', 0, 'id')]).toEqual([1, owner.id]);
    expect((await search('/users')).status).toBe(200);
  });
});

describe('durations', () => {
  it.each([
    [10 * 3_600 * 1e9, 10 * 3_600],
    [1e9, 1],
    [1e9 - 1, 1e9 - 1],
    [100 * 365.25 * 86_400 * 1e9, 100 * 365.25 * 86_400],
  ])('of %d are %d seconds', async (duration, seconds) => {
    const issued = await call('POST', '/keys', { as: owner.as, body: { type: 2, duration } });
    expect(issued.status).toBe(201);
    const [from, to] = [textAt(issued, 'issued_at'), textAt(issued, 'expires_at')];
    expect((Date.parse(to) - Date.parse(from)) / 1_000).toBeCloseTo(seconds, 0);
  });

  it('of a certificate without a unit are hours', async () => {
    const body = { thing_id: estate.thingId, ttl: '24', key_type: 'ecdsa' };
    const before = Date.now();
    const issued = await call('POST', '/certs', { as: owner.as, body });
    const hours = (Date.parse(textAt(issued, 'expires_at')) - before) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
  });
});

describe('a request without a body that names a content type', () => {
  it.each(['application/json', 'application/senml+json'])(
    'is read without it (%s)',
    async (type) => {
      const headers = { 'content-type': type };
      const ask = (method: 'GET' | 'PUT' | 'DELETE', path: string, raw?: string) =>
        call(method, path, { as: owner.as, headers, ...(raw === undefined ? {} : { raw }) });
      const [thing] = await things([randomUUID()]);
      expect((await ask('GET', '/svcthings/things?total=0&offset=0&limit=100&dir=')).status).toBe(
        200,
      );
      expect((await ask('DELETE', `/svcthings/things/${thing?.id}`)).status).toBe(204);
      const body = { type: 2, duration: 0 };
      const key = textAt(await call('POST', '/svcauth/keys', { as: owner.as, body }), 'id');
      expect((await ask('GET', `/svcauth/keys/${key}`)).status).toBe(200);
      expect((await ask('DELETE', `/svcauth/keys/${key}`)).status).toBe(204);
      for (const path of ['/reader/json', `/reader/senml/${estate.thingId}`]) {
        const query = `${path}?agg_value=1&limit=100&offset=0&subtopic=nowhere`;
        expect([path, (await ask('DELETE', query)).status]).toEqual([path, 204]);
      }
      // Of a length of 0, as Go sends an empty reader.
      const certificate = { thing_id: estate.thingId, ttl: '1h', key_bits: 256, key_type: 'ecdsa' };
      const issued = await call('POST', '/certs', { as: owner.as, body: certificate });
      const renewed = await ask('PUT', `/certs/${textAt(issued, 'serial')}`, '');
      expect(renewed.status).toBe(200);
      const serials = `/svccerts/things/${estate.thingId}/serials?offset=0&limit=10`;
      expect((await ask('GET', serials)).status).toBe(200);
      expect((await ask('DELETE', `/certs/${textAt(renewed, 'serial')}`, '')).status).toBe(200);
    },
  );
});

describe('addresses', () => {
  it.each(['/reader/health', '/http/health', '/svcthings/health', '/health'])(
    'of health: %s tells what runs',
    async (path) => {
      const answer = await call('GET', path);
      expect(json(answer)).toMatchObject({
        status: 'pass',
        version: expect.stringMatching(/./),
        commit: expect.any(String),
        description: expect.stringMatching(/./),
        build_time: expect.any(String),
      });
    },
  );

  it('may end in a slash, of messages with and without their prefix', async () => {
    const sent = `/svcauth/users/${owner.id}/invites/sent/?total=0&offset=0&limit=10`;
    expect(at(await call('GET', sent, { as: owner.as }), 'limit')).toBe(10);
    for (const path of ['/http/messages/', '/messages/', '/messages', '/messages/a/b']) {
      const answer = await call('POST', path, {
        as: `Thing ${estate.key}`,
        raw: '[{"n":"t","v":1}]',
        headers: { 'content-type': 'application/senml+json' },
      });
      expect([path, answer.status]).toEqual([path, 202]);
    }
  });
});

describe('messages', () => {
  it('are exported in the form and by the aggregates that are asked for', async () => {
    const [thing] = await things([randomUUID()]);
    const sent = await call('POST', '/http/messages', {
      as: `Thing ${thing?.key}`,
      body: [0, 60, 3_600].map((t, v) => ({ n: 't', v, t: 1_800_000_000 + t })),
      headers: { 'content-type': 'application/senml+json' },
    });
    expect(sent.status).toBe(202);
    const mine = `agg_value=1&limit=100&offset=0&publisher=${thing?.id}`;
    const of = (query: string) =>
      call('GET', `/reader/senml/export?${mine}&${query}`, { as: owner.as });
    const times = await eventually(async () => {
      const text = (await of('convert=json&time_format=RfC3339&order=time&dir=asc')).text;
      expect(text.match(/"time":"[^"]*"/g)).toHaveLength(3);
      return text.match(/"time":"[^"]*"/g);
    });
    expect(times?.[0]).toMatch(/"2027-01-15T08:00:00(\.0+)?Z"/);
    const hourly = await of('convert=json&agg_type=max&agg_interval=hour');
    expect(json(hourly)).toMatchObject([{ value: 2 }, { value: 1 }]);
    const none = await of('convert=csv&subtopic=nowhere');
    expect([none.status, none.text.trim().split('\n')]).toMatchObject([200, { length: 1 }]);
    const search = { publisher: thing?.id, agg_type: 'max', agg_interval: 'hour', agg_value: 1 };
    const found = await call('POST', '/reader/senml/search', {
      as: owner.as,
      body: [{ ...search, agg_fields: ['value'], limit: 10 }],
    });
    expect([found.status, at(found, 0, 'total')]).toEqual([200, 2]);
  });

  it('of a profile whose data_filters holds an empty path are kept whole', async () => {
    const config = { transformer: { data_filters: [''], data_field: '', time_field: '' } };
    const profiles = `/groups/${estate.groupId}/profiles`;
    const profileId = await createdAt(profiles, owner.as, [{ name: randomUUID(), config }]);
    const [thing] = await createThings(owner.as, profileId, [{ name: 'whole', type: 'device' }]);
    const payload = { a: 1, b: { c: 2 } };
    const sent = await call('POST', '/http/messages', { as: `Thing ${thing?.key}`, body: payload });
    expect(sent.status).toBe(202);
    await eventually(async () => {
      const page = await call('GET', `/reader/json?publisher=${thing?.id}`, { as: owner.as });
      expect(at(page, 'messages', 0, 'payload')).toEqual(payload);
    });
  });
});

describe('a webhook that is updated with what was read', () => {
  it('does not change', async () => {
    const path = `/svcwebhooks/things/${estate.thingId}/webhooks`;
    const body = [
      { id: '', name: 'whole', url: 'https://example.com/', headers: {}, metadata: {} },
    ];
    const made = await call('POST', path, { as: owner.as, body });
    const hook = `/svcwebhooks/webhooks/${textAt(made, 'webhooks', 0, 'id')}`;
    const before = await call('GET', hook, { as: owner.as });
    const sent = { ...Object(json(before)), name: 'renamed' };
    expect((await call('PUT', hook, { as: owner.as, body: sent })).status).toBe(200);
    const after = await call('GET', hook, { as: owner.as });
    expect(json(after)).toMatchObject({ ...Object(json(before)), name: 'renamed' });
    const gone = { webhook_ids: [textAt(after, 'id')] };
    expect(
      (await call('PATCH', '/svcwebhooks/webhooks', { as: owner.as, body: gone })).status,
    ).toBe(204);
  });
});
