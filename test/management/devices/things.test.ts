import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
} from '../../support/api/people.ts';

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
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

describe('things', () => {
  it('are created with a key and read back with it', async () => {
    const id = randomUUID();
    const externalKey = `ext-${randomUUID()}`;
    const chosen = `chosen ${randomUUID()}`;
    const body = [
      { id, name: 't1', type: 'sensor', metadata: { clé: 'é' }, external_key: externalKey },
      { name: 't2', type: 'gateway', key: chosen, group_id: absent, profile_id: absent },
    ];
    const path = `/profiles/${estate.profileId}/things`;
    const answer = await call('POST', path, { as: admin, body });
    expect(answer.status).toBe(201);
    const place = { group_id: estate.groupId, profile_id: estate.profileId, last_seen: null };
    const key = expect.stringMatching(uuidV4);
    expect(json(answer)).toEqual({
      things: [
        { ...body[0], ...place, key },
        { name: 't2', type: 'gateway', ...place, key: chosen, metadata: {}, id: key },
      ],
    });
    const read = await call('GET', `/svcthings/things/${id}`, { as: admin });
    expect([read.status, json(read)]).toEqual([200, at(answer, 'things', 0)]);
  });

  it('are refused when malformed, and when what must be unique is taken', async () => {
    const path = `/profiles/${estate.profileId}/things`;
    const external_key = `ext-${randomUUID()}`;
    await createThings(admin, estate.profileId, [{ name: 'u', type: 'device', external_key }]);
    const refused = async (body: unknown) => (await call('POST', path, { as: admin, body })).status;
    expect(await refused([])).toBe(400);
    expect(await refused([{ name: 'x' }])).toBe(400);
    expect(await refused([{ name: 'x', type: 'toaster' }])).toBe(400);
    expect(await refused([{ name: 'x', type: 'device', external_key: '1234' }])).toBe(400);
    expect(await refused([{ name: 'x', type: 'device', id: 'x' }])).toBe(400);
    expect(await refused([{ name: 'u', type: 'device' }])).toBe(409);
    expect(await refused([{ name: 'x', type: 'device', external_key }])).toBe(409);
    expect(await refused([{ name: 'x', type: 'device', id: estate.thingId }])).toBe(409);
    const both = [
      { name: 'all or none', type: 'device' },
      { name: 'u', type: 'device' },
    ];
    expect(await refused(both)).toBe(409);
    expect(await refused([both[0]])).toBe(201);
  });

  it('change where something is given', async () => {
    const [thing] = await createThings(admin, estate.profileId, [
      { name: 'old', type: 'device', metadata: { a: 1 } },
    ]);
    const path = `/things/${thing?.id}`;
    const put = async (body: unknown) => {
      const answer = await call('PUT', path, { as: admin, body });
      expect([answer.status, answer.text]).toEqual([200, '']);
      return json(await call('GET', path, { as: admin }));
    };
    const key = `key ${randomUUID()}`;
    const now = {
      id: thing?.id,
      group_id: estate.groupId,
      profile_id: estate.profileId,
      name: 'new',
      type: 'gateway',
      key,
      metadata: { a: 1 },
      last_seen: null,
    };
    expect(await put({ name: 'new', key, type: 'gateway' })).toEqual(now);
    expect(await put({ group_id: absent, profile_id: absent, external_key: 'other' })).toEqual(now);
    expect(await put({ metadata: null })).toEqual({ ...now, metadata: {} });
    const statusOf = async (body: unknown) => (await call('PUT', path, { as: admin, body })).status;
    expect(await statusOf({ key: null })).toBe(400);
    expect(await statusOf({ key: '' })).toBe(400);
    expect(await statusOf({ key: 'k'.repeat(4097) })).toBe(400);
    expect(await statusOf({ type: 'toaster' })).toBe(400);
    expect(await statusOf({ key: estate.key })).toBe(409);
    expect(await statusOf({ name: 'thing' })).toBe(409);
    expect(await statusOf([])).toBe(400);
  });

  it('are gone once deleted, key and all', async () => {
    const [thing] = await createThings(admin, estate.profileId, [{ name: 'gone', type: 'device' }]);
    const path = `/things/${thing?.id}`;
    const body = { key: thing?.key, type: 'internal' };
    expect((await call('POST', '/identify', { body })).status).toBe(200);
    const deleted = await call('DELETE', path, { as: admin });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await call('GET', path, { as: admin })).status).toBe(404);
    expect((await call('DELETE', path, { as: admin })).status).toBe(404);
    expect((await call('POST', '/identify', { body })).status).toBe(404);
    expect((await call('GET', '/metadata', { as: `Thing ${thing?.key}` })).status).toBe(401);
  });

  it('have an external key that is set, replaced and removed', async () => {
    const [thing] = await createThings(admin, estate.profileId, [{ name: 'ext', type: 'device' }]);
    const path = `/things/${thing?.id}/external-key`;
    const first = `ключ ${randomUUID()}`;
    const second = `ext-${randomUUID()}`;
    const identify = async (key: string) =>
      (await call('POST', '/identify', { body: { key, type: 'external' } })).status;

    for (const key of [first, second]) {
      const answer = await call('PATCH', path, { as: admin, body: { key } });
      expect([answer.status, answer.text]).toEqual([201, '']);
      expect(await identify(key)).toBe(200);
      const header = Buffer.from(`External ${key}`).toString('latin1');
      expect((await call('GET', '/metadata', { as: header })).status).toBe(200);
    }
    expect(await identify(first)).toBe(404);
    const read = await call('GET', `/things/${thing?.id}`, { as: admin });
    expect(at(read, 'external_key')).toBe(second);

    expect((await call('PATCH', path, { as: admin, body: { key: '1234' } })).status).toBe(400);
    expect((await call('PATCH', path, { as: admin, body: {} })).status).toBe(400);
    const other = `/things/${estate.thingId}/external-key`;
    expect((await call('PATCH', other, { as: admin, body: { key: second } })).status).toBe(409);

    const removed = await call('DELETE', path, { as: admin });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await identify(second)).toBe(404);
  });

  it('have no key in plain text in the database', async () => {
    const [row] = await people.rows('SELECT t::text AS text FROM things AS t WHERE id = $1', [
      estate.thingId,
    ]);
    expect(row?.['text']).not.toContain(estate.key);
    expect(row?.['text']).not.toContain(Buffer.from(estate.key).toString('hex'));
  });

  it('are deleted with their group and its profiles', async () => {
    const doomed = await createEstate(admin);
    await people.rows('DELETE FROM orgs WHERE id = $1', [doomed.orgId]);
    expect((await call('GET', `/things/${doomed.thingId}`, { as: admin })).status).toBe(404);
    expect((await call('GET', `/profiles/${doomed.profileId}`, { as: admin })).status).toBe(404);
  });
});

describe('things themselves', () => {
  it('read their metadata by either key', async () => {
    const external_key = `ext-${randomUUID()}`;
    const [thing] = await createThings(admin, estate.profileId, [
      { name: 'self', type: 'device', metadata: { a: { b: [1.5, 'x'] } }, external_key },
    ]);
    for (const as of [`Thing ${thing?.key}`, `External ${external_key}`, `thing ${thing?.key}`]) {
      const answer = await call('GET', '/metadata', { as });
      expect([answer.status, json(answer)]).toEqual([200, { metadata: { a: { b: [1.5, 'x'] } } }]);
    }
    const crossed = [`Thing ${external_key}`, `External ${thing?.key}`, `Bearer ${thing?.key}`];
    for (const as of [...crossed, admin, 'Thing ']) {
      expect((await call('GET', '/metadata', { as })).status).toBe(401);
    }
  });

  it('are identified by their keys', async () => {
    const identify = (body: unknown) => call('POST', '/identify', { body });
    const found = await identify({ key: estate.key, type: 'internal' });
    expect([found.status, json(found)]).toEqual([200, { id: estate.thingId }]);
    expect((await identify({ key: estate.key, type: 'external' })).status).toBe(404);
    expect((await identify({ key: 'nobody', type: 'internal' })).status).toBe(404);
    expect((await identify({ key: estate.key, type: 'other' })).status).toBe(400);
    expect((await identify({ key: estate.key })).status).toBe(400);
    expect((await identify({ type: 'internal' })).status).toBe(400);
  });

  it('can be guessed a thousand times a minute; known ones go on', async () => {
    const from = '127.0.0.41';
    const known = { body: { key: estate.key, type: 'internal' }, from };
    expect((await call('POST', '/identify', known)).status).toBe(200);
    const guess = () =>
      call('POST', '/identify', { body: { key: randomUUID(), type: 'external' }, from });
    const statuses: number[] = [];
    for (let i = 0; i < 1_000; i += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, guess));
      statuses.push(...answers.map((answer) => answer.status));
    }
    expect(new Set(statuses)).toEqual(new Set([404]));
    const refused = await guess();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await call('GET', '/metadata', { as: 'Thing guess', from })).status).toBe(429);
    expect((await call('POST', '/identify', known)).status).toBe(200);
    // A right guess is told from a wrong one no more.
    const [other] = await createThings(admin, estate.profileId, [
      { name: randomUUID(), type: 'device' },
    ]);
    const guessed = { body: { key: other?.key, type: 'internal' }, from };
    expect((await call('POST', '/identify', guessed)).status).toBe(429);
    expect((await call('POST', '/identify', { body: guessed.body })).status).toBe(200);
    // API keys are guessed at in the same way.
    expect((await call('GET', '/orgs', { as: 'Bearer mrk_guess', from })).status).toBe(429);
  });
});

describe('the journal of keys', () => {
  it('has each change of what a key means, and nothing else', async () => {
    const mine = await createEstate(admin);
    const thing = `/things/${mine.thingId}`;
    const rowsOf = async (change: () => Promise<unknown>) => {
      const [before] = await people.rows('SELECT pg_current_xact_id()::text AS id', []);
      await change();
      const rows = await people.rows(
        `SELECT encode(lookup, 'hex') AS lookup FROM key_changes WHERE position > $1::text::xid8`,
        [before?.['id']],
      );
      return rows.length;
    };
    const put = (path: string, body: unknown) => call('PUT', path, { as: admin, body });
    const external = `ext-${randomUUID()}`;
    const patch = () =>
      call('PATCH', `${thing}/external-key`, { as: admin, body: { key: external } });

    expect(await rowsOf(() => put(thing, { name: 'renamed', metadata: { a: 1 } }))).toBe(0);
    expect(await rowsOf(() => put(thing, { key: randomUUID() }))).toBe(2);
    expect(await rowsOf(patch)).toBe(3);
    const profile = `/profiles/${mine.profileId}`;
    expect(await rowsOf(() => put(profile, { name: 'renamed' }))).toBe(0);
    // One of a million things, too.
    expect(await rowsOf(() => put(profile, { config: { write: false } }))).toBe(1);
    const hook = [{ name: 'hook', url: 'https://example.com/' }];
    for (const place of [`groups/${mine.groupId}`, `orgs/${mine.orgId}`]) {
      const path = `/svcwebhooks/${place}/webhooks`;
      expect(await rowsOf(() => call('POST', path, { as: admin, body: hook }))).toBe(1);
    }
    const remove = () => call('DELETE', `${thing}/external-key`, { as: admin });
    expect(await rowsOf(remove)).toBe(3);
    expect(await rowsOf(() => call('DELETE', thing, { as: admin }))).toBe(1);
  });
});
