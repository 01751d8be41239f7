import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';
import { oneOf, race } from '../race.ts';

let admin: string;
let people: People;
let owner: Person;
let stranger: Person;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
  stranger = await people.register();
});

afterAll(() => people.close());

const forms = ['', '/svcauth'];
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

describe('an org', () => {
  it.each(forms)('is created, read, listed, changed and deleted under %s/orgs', async (form) => {
    const person = await people.register();
    const body = { name: 'org', description: 'first', metadata: { a: 1 } };
    const created = await call('POST', `${form}/orgs`, { as: person.as, body });
    expect([created.status, created.text]).toEqual([201, '']);
    const location = String(created.headers['location']);
    const id = location.replace('/orgs/', '');
    const path = `${form}${location}`;

    const org = {
      ...body,
      id: expect.stringMatching(uuidV4),
      owner_id: person.id,
      created_at: expect.stringMatching(iso),
      updated_at: expect.stringMatching(iso),
    };
    const read = await call('GET', path, { as: person.as });
    expect([read.status, json(read)]).toEqual([200, org]);

    const list = await call('GET', `${form}/orgs`, { as: person.as });
    expect(list.status).toBe(200);
    expect(json(list)).toEqual({ total: 1, offset: 0, limit: 10, orgs: [{ ...org, id }] });

    const changed = await call('PUT', path, { as: person.as, body: { name: 'renamed' } });
    expect([changed.status, changed.text]).toEqual([200, '']);
    expect(json(await call('GET', path, { as: person.as }))).toEqual({ ...org, name: 'renamed' });

    const deleted = await call('DELETE', path, { as: person.as });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await call('GET', path, { as: person.as })).status).toBe(404);
    expect((await call('DELETE', path, { as: person.as })).status).toBe(404);
    expect(at(await call('GET', `${form}/orgs`, { as: person.as }), 'orgs')).toEqual([]);
  });

  it('may have the name of another', async () => {
    const ids = [
      await createdAt('/orgs', owner.as, { name: 'twin' }),
      await createdAt('/orgs', owner.as, { name: 'twin' }),
    ];
    expect(new Set(ids).size).toBe(2);
  });
});

describe('PUT /orgs/:id', () => {
  it('keeps absent members, clears null ones, and sets no others', async () => {
    const body = { name: 'org', description: 'd', metadata: { a: 1, b: { c: [] } } };
    const path = `/orgs/${await createdAt('/orgs', owner.as, body)}`;
    const before = await call('GET', path, { as: owner.as });
    const put = async (change: unknown) => {
      const answer = await call('PUT', path, { as: owner.as, body: change });
      expect([answer.status, answer.text]).toEqual([200, '']);
      return call('GET', path, { as: owner.as });
    };
    const updated_at = expect.stringMatching(iso);
    const now = { ...Object(json(before)), updated_at };
    expect(json(await put({}))).toEqual(now);
    const others = { id: absent, owner_id: stranger.id, created_at: '2000-01-01T00:00:00.000Z' };
    const after = await put(others);
    expect(json(after)).toEqual(now);
    expect(textAt(after, 'updated_at') >= textAt(before, 'updated_at')).toBe(true);
    expect(json(await put({ metadata: { d: 2 } }))).toEqual({ ...now, metadata: { d: 2 } });
    expect(json(await put({ name: 'n', description: null, metadata: null }))).toEqual({
      ...now,
      name: 'n',
      description: '',
      metadata: {},
    });
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x'.repeat(255) }, 'name'],
    [{ name: 1 }, 'name'],
    [{ description: 1 }, 'description'],
    [{ description: 'x'.repeat(1025) }, 'description'],
    [{ metadata: [] }, 'metadata'],
    [[], 'body'],
  ])('refuses %j', async (body, field) => {
    const path = `/orgs/${await createdAt('/orgs', owner.as, { name: 'org' })}`;
    const answer = await call('PUT', path, { as: owner.as, body });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(`malformed entity specification: ${field} `);
  });
});

describe('PUT and DELETE of an org', () => {
  it('are for its admins, and for its owner', async () => {
    const path = `/orgs/${await createdAt('/orgs', owner.as, { name: 'org' })}`;
    const orgAdmin = await people.member('org', path.slice(6), 'admin');
    const editor = await people.member('org', path.slice(6), 'editor');
    const put = (as: string) => call('PUT', path, { as, body: { name: 'new' } });
    expect((await put(orgAdmin.as)).status).toBe(200);
    expect((await put(editor.as)).status).toBe(403);
    expect((await put(stranger.as)).status).toBe(403);
    expect((await put('Bearer none')).status).toBe(401);
    for (const { as } of [orgAdmin, editor, stranger]) {
      expect((await call('DELETE', path, { as })).status).toBe(403);
    }
    expect((await call('DELETE', path)).status).toBe(401);
    expect((await call('DELETE', path, { as: admin })).status).toBe(204);
    expect((await put(owner.as)).status).toBe(404);
    expect((await call('DELETE', '/orgs/no-uuid', { as: owner.as })).status).toBe(400);
  });
});

describe('DELETE /orgs/:id', () => {
  it('deletes groups, profiles, things and memberships too, and the keys stop working', async () => {
    const estate = await createEstate(owner.as);
    const { orgId, groupId, profileId, thingId, key } = estate;
    const kept = await createEstate(owner.as);
    await people.member('org', orgId, 'viewer');
    await people.member('group', groupId, 'viewer');
    const publish = (thingKey: string) =>
      call('POST', '/http/messages', {
        as: `Thing ${thingKey}`,
        raw: '[{"n":"t","v":1}]',
        headers: { 'content-type': 'application/senml+json' },
      });
    expect((await publish(key)).status).toBe(202);

    expect((await call('DELETE', `/orgs/${orgId}`, { as: owner.as })).status).toBe(204);
    await eventually(async () => (await publish(key)).status === 401);
    const body = { key, type: 'internal' };
    expect((await call('POST', '/identify', { body })).status).toBe(404);
    const paths = [`/orgs/${orgId}`, `/groups/${groupId}`, `/profiles/${profileId}`];
    for (const path of [...paths, `/things/${thingId}`]) {
      expect([path, (await call('GET', path, { as: owner.as })).status]).toEqual([path, 404]);
    }
    const left = await people.rows(
      `SELECT 'org' FROM org_memberships WHERE org_id = $1
       UNION ALL SELECT 'group' FROM group_memberships WHERE group_id = $2`,
      [orgId, groupId],
    );
    expect(left).toEqual([]);
    const erased = 'SELECT thing_id FROM erased_things WHERE thing_id = ANY ($1)';
    expect(await people.rows(erased, [[thingId, kept.thingId]])).toEqual([{ thing_id: thingId }]);

    expect((await publish(kept.key)).status).toBe(202);
    expect((await call('GET', `/things/${kept.thingId}`, { as: owner.as })).status).toBe(200);
  });

  it('succeeds once of several at once', async () => {
    const { orgId } = await createEstate(owner.as);
    const statuses = await race(10, () => call('DELETE', `/orgs/${orgId}`, { as: owner.as }));
    expect(statuses).toEqual(oneOf(10, 204, 404));
  });
});

describe('GET /orgs', () => {
  it('lists the orgs of the caller, and all of them for the admin', async () => {
    const person = await people.register();
    const mine = await createdAt('/orgs', person.as, { name: 'a Mine' });
    const body = { name: 'b joined', metadata: { at: person.id } };
    const joined = await createdAt('/orgs', owner.as, body);
    await people.join('org', joined, person, 'viewer');
    const foreign = await createdAt('/orgs', owner.as, { name: person.id });

    const list = await call('GET', '/orgs?order=name&dir=asc', { as: person.as });
    expect([at(list, 'total'), at(list, 'orgs', 0, 'id'), at(list, 'orgs', 1, 'id')]).toEqual([
      2,
      mine,
      joined,
    ]);
    const named = await call('GET', '/orgs?name=mINE&total=0', { as: person.as });
    expect(json(named)).toMatchObject({ total: 1, name: 'mINE', orgs: [{ id: mine }] });
    const metadata = encodeURIComponent(JSON.stringify({ at: person.id }));
    const held = await call('GET', `/orgs?metadata=${metadata}`, { as: person.as });
    expect(json(held)).toMatchObject({ total: 1, orgs: [{ id: joined }] });

    const byName = (as: string) => call('GET', `/orgs?name=${person.id}`, { as });
    expect(at(await byName(person.as), 'total')).toBe(0);
    expect(json(await byName(admin))).toMatchObject({ total: 1, orgs: [{ id: foreign }] });
    expect((await call('GET', '/orgs')).status).toBe(401);
  });
});
