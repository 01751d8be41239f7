import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldEntries } from '../../api/management/audit/sql.ts';
import { openDatabase } from '../../api/stores/database.ts';
import { createBudgets } from '../../api/budgets/budgets.ts';
import { download } from '../reading/exported.ts';
import { at, call, json, textAt } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
  password,
} from '../support/api/people.ts';
import { system } from '../support/system.ts';

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

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);

type Entry = Record<string, unknown>;

async function entriesAt(path: string, as = admin): Promise<Entry[]> {
  const answer = await call('GET', path, { as });
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  const entries = at(answer, 'entries');
  return Array.isArray(entries) ? entries : [];
}

/** What the log has of something, the last first. */
function entriesOf(entityId: string): Promise<Entry[]> {
  return entriesAt(`/audit?limit=200&entity_id=${entityId}`);
}

async function newThing(given: object = {}, of = estate): Promise<string> {
  const [thing] = await createThings(owner.as, of.profileId, [
    { name: randomUUID(), type: 'device', ...given },
  ]);
  return thing?.id ?? '';
}

const told = (entry: Entry | undefined) => [
  entry?.['operation'],
  entry?.['action'],
  entry?.['changes'],
];

describe('an entry of the audit log', () => {
  it('says who changed what, when, and from where', async () => {
    const id = await newThing({ name: 'of before' });
    const requestId = randomUUID();
    await call('PUT', `/things/${id}`, {
      as: owner.as,
      body: { name: 'of after', type: 'sensor' },
      headers: { 'x-request-id': requestId },
      from: '127.0.0.9',
    });
    const [changed, made] = await entriesAt(
      `/orgs/${estate.orgId}/audit?entity_id=${id}`,
      owner.as,
    );
    const common = {
      id: expect.any(Number),
      at: iso,
      org_id: estate.orgId,
      group_id: estate.groupId,
      actor_type: 'user',
      actor_id: owner.id,
      actor_email: owner.email,
      kind: 'thing',
      entity_id: id,
    };
    expect(made).toEqual({
      ...common,
      address: '127.0.0.1',
      request_id: expect.any(String),
      operation: 'createThings',
      action: 'create',
      entity_name: 'of before',
      changes: { type: { to: 'device' }, profile_id: { to: estate.profileId } },
    });
    expect(changed).toEqual({
      ...common,
      address: '127.0.0.9',
      request_id: requestId,
      operation: 'updateThing',
      action: 'update',
      entity_name: 'of after',
      changes: {
        name: { from: 'of before', to: 'of after' },
        type: { from: 'device', to: 'sensor' },
      },
    });
  });

  it('names the API key that was used, and the thing that deletes its messages', async () => {
    const key = await call('POST', '/keys', { as: owner.as, body: { type: 2 } });
    const as = `Bearer ${textAt(key, 'value')}`;
    await call('PUT', `/groups/${estate.groupId}`, { as, body: { description: 'by a key' } });
    const [byKey] = await entriesOf(estate.groupId);
    expect([byKey?.['actor_id'], byKey?.['api_key_id']]).toEqual([owner.id, textAt(key, 'id')]);
    const [issued] = await entriesOf(textAt(key, 'id'));
    expect([told(issued)[0], issued?.['actor_id'], issued?.['org_id']]).toEqual([
      'issueKey',
      owner.id,
      undefined,
    ]);

    await call('DELETE', '/reader/senml?from=2001-01-01&to=2001-01-02', {
      as: `Thing ${estate.key}`,
    });
    const [byThing] = await entriesOf(estate.thingId);
    expect([byThing?.['actor_type'], byThing?.['actor_id'], byThing?.['kind']]).toEqual([
      'thing',
      estate.thingId,
      'messages',
    ]);
    expect(told(byThing)).toEqual([
      'deleteMessages_senml',
      'delete',
      {
        format: { from: 'senml' },
        from: { from: '2001-01-01T00:00:00.000000000Z' },
        to: { from: '2001-01-02T00:00:00.000000000Z' },
      },
    ]);
  });

  it('is written for each org whose messages are deleted, and for a restore', async () => {
    const person = await people.register();
    const [one, other] = [await createEstate(person.as), await createEstate(person.as)];
    const asked = await call('DELETE', '/reader/json?from=2001-01-01&to=2001-01-02', {
      as: person.as,
    });
    expect(asked.status).toBe(204);
    for (const { orgId } of [one, other]) {
      const [last] = await entriesAt(`/orgs/${orgId}/audit`, person.as);
      expect([last?.['operation'], last?.['request_id'], last?.['entity_id']]).toEqual([
        'deleteMessages_json',
        asked.headers['x-request-id'],
        undefined,
      ]);
    }

    const message = { publisher: one.thingId, protocol: 'http', name: 'a', value: 1, time: 1 };
    const file = { json_messages: [], senml_messages: [message] };
    const restored = await call('POST', '/reader/restore', { as: admin, body: file });
    expect([restored.status, restored.text]).toEqual([201, '']);
    const [last] = await entriesAt('/audit?kind=messages&action=restore');
    expect([last?.['request_id'], last?.['org_id']]).toEqual([
      restored.headers['x-request-id'],
      undefined,
    ]);
  });

  it('is written for a backup, and for each org whose messages are exported', async () => {
    const person = await people.register();
    const [one, other] = [await createEstate(person.as), await createEstate(person.as)];
    const path = '/reader/senml/export?convert=csv&name=level&from=-24h';
    const asked = await call('GET', path, { as: person.as });
    expect(asked.status).toBe(200);
    for (const { orgId } of [one, other]) {
      const [last, ...others] = await entriesAt(`/orgs/${orgId}/audit?action=export`, person.as);
      expect(others).toEqual([]);
      expect([last?.['kind'], last?.['request_id'], last?.['actor_id']]).toEqual([
        'messages',
        asked.headers['x-request-id'],
        person.id,
      ]);
      expect(last?.['changes']).toMatchObject({
        format: { to: 'senml' },
        convert: { to: 'csv' },
        name: { to: 'level' },
        from: { to: expect.stringMatching(/^\d{4}-.*\.\d{9}Z$/) },
      });
    }
    await call('GET', '/reader/json/export', { as: `Thing ${one.key}` });
    const [ofThing] = await entriesOf(one.thingId);
    expect([ofThing?.['actor_type'], ofThing?.['action']]).toEqual(['thing', 'export']);

    const backup = await call('GET', '/reader/backup', { as: admin });
    const [taken] = await entriesAt('/audit?action=backup&limit=1');
    expect([taken?.['request_id'], taken?.['operation'], taken?.['kind']]).toEqual([
      backup.headers['x-request-id'],
      'backupMessages',
      'messages',
    ]);
  });

  it('counts the failed logins of an account, and tells only platform admins', async () => {
    const person = await people.register();
    const failed = (email: string, from: string) =>
      call('POST', '/tokens', { body: { email, password: 'wrong password' }, from });
    await failed(person.email, '127.0.0.91');
    const [first] = await entriesOf(person.id);
    expect(first).toMatchObject({
      actor_type: 'guest',
      address: '127.0.0.91',
      operation: 'issueToken',
      action: 'failed_login',
      kind: 'user',
      entity_name: person.email,
      changes: { failures: { to: '1' } },
    });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => failed(person.email.toUpperCase(), '127.0.0.92')),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    const entries = (await entriesOf(person.id)).filter((one) => one['action'] === 'failed_login');
    expect(entries.map((one) => [one['id'], one['changes']])).toEqual([
      [
        first?.['id'],
        { failures: { to: '6' }, last_at: { to: iso }, last_address: { to: '127.0.0.92' } },
      ],
    ]);

    // Logins that name no account make one entry, whatever was typed, and nothing typed is written down.
    const unknown = `${randomUUID()}@example.com`;
    const signIn = await call('POST', '/console/sign-in', {
      body: { email: unknown, password: 'wrong password' },
      from: '127.0.0.93',
      headers: { origin: system().apiUrl },
    });
    expect(signIn.status).toBe(401);
    await failed(`${randomUUID()}@example.com`, '127.0.0.93');
    const ofNobody = (await entriesAt('/audit?action=failed_login&limit=200')).filter(
      (one) => one['entity_id'] === undefined,
    );
    expect(ofNobody).toHaveLength(1);
    expect(Object(ofNobody[0]?.['changes']).last_address).toEqual({ to: '127.0.0.93' });
    expect(JSON.stringify(ofNobody)).not.toContain(unknown);

    const orgs = await createEstate(person.as);
    expect(await entriesAt(`/orgs/${orgs.orgId}/audit?action=failed_login`, person.as)).toEqual([]);
  });

  it('says that the system did it where nobody asked', async () => {
    const hooks = [{ name: 'hook', url: 'https://example.com/hook' }];
    const path = `/things/${await newThing()}/webhooks`;
    const webhook = textAt(await call('POST', path, { as: owner.as, body: hooks }), 0, 'id');
    await people.rows(`UPDATE webhooks SET disabled_at = now(), disabled_why = $2 WHERE id = $1`, [
      webhook,
      'it failed for days',
    ]);
    const [disabled] = await entriesAt(`/orgs/${estate.orgId}/audit?entity_id=${webhook}`);
    expect(disabled).toEqual({
      id: expect.any(Number),
      at: iso,
      org_id: estate.orgId,
      group_id: estate.groupId,
      actor_type: 'system',
      action: 'update',
      kind: 'webhook',
      entity_id: webhook,
      entity_name: 'hook',
      changes: {
        disabled_at: { to: expect.any(String) },
        disabled_why: { to: 'it failed for days' },
      },
    });
  });

  it('tells of secrets that they were changed, and nothing of what they are', async () => {
    const secret = `very-secret-${randomUUID()}`;
    const org = await createEstate(owner.as);
    const person = await people.register();
    await call('PUT', `/things/${org.thingId}`, {
      as: owner.as,
      body: { key: secret, metadata: { secret } },
    });
    await call('PATCH', `/things/${org.thingId}/external-key`, {
      as: owner.as,
      body: { key: secret },
    });
    const hook = { name: 'hook', url: 'https://example.com/hook' };
    const path = `/things/${org.thingId}/webhooks`;
    const webhook = textAt(await call('POST', path, { as: owner.as, body: [hook] }), 0, 'id');
    await call('PUT', `/webhooks/${webhook}`, {
      as: owner.as,
      body: {
        secret,
        url: `https://example.com/${secret}`,
        headers: { 'X-Token': secret },
        metadata: { secret },
      },
    });
    const change = { old_password: password, password: secret };
    expect((await call('PATCH', '/password', { as: person.as, body: change })).status).toBe(201);

    const [external, key] = await entriesOf(org.thingId);
    expect(told(key)).toEqual(['updateThing', 'update', { key: {}, metadata: {} }]);
    expect(told(external)).toEqual(['setExternalKey', 'update', { external_key: {} }]);
    const changed = await entriesOf(webhook);
    expect(changed.map(told)).toEqual([
      ['updateWebhook', 'update', { secret: {}, url: {}, headers: {}, metadata: {} }],
      ['createWebhooks', 'create', { thing_id: { to: org.thingId } }],
    ]);
    const [newPassword] = await entriesOf(person.id);
    expect(told(newPassword)).toEqual(['changeOwnPassword', 'update', { password: {} }]);
    const rows = await people.rows(
      `SELECT FROM audit_entries WHERE strpos(audit_entries::text, $1) > 0`,
      [secret],
    );
    expect(rows).toEqual([]);
  });
});

describe('the audit log', () => {
  it('tells changes of one request as one, with their number, and by their request each', async () => {
    const own = await createEstate(owner.as);
    const three = Array.from({ length: 3 }, () => ({ name: randomUUID(), type: 'device' }));
    await createThings(owner.as, own.profileId, three);
    const path = `/orgs/${own.orgId}/audit?kind=thing`;
    const grouped = await entriesAt(`${path}&grouped=true`, owner.as);
    expect(grouped.map(({ entries }) => entries)).toEqual([3, undefined]);
    const each = await entriesAt(path, owner.as);
    expect([each.length, each[0]?.['id']]).toEqual([4, grouped[0]?.['id']]);
    const request = String(grouped[0]?.['request_id']);
    expect(await entriesAt(`${path}&request_id=${request}`, owner.as)).toEqual(each.slice(0, 3));
  });

  it('tells changes of one request as one that it made one after the other, and others by themselves', async () => {
    const { orgId } = await createEstate(owner.as);
    const entry = (request: string) => `
      INSERT INTO audit_entries (org_id, actor_type, request_id, action, kind, changes)
      VALUES ('${orgId}', 'system', ${request}, 'update', 'thing', '{}'),
             ('${orgId}', 'system', ${request}, 'update', 'thing', '{}')`;
    await people.rows(`DO $$ BEGIN ${entry("'r'")}; ${entry('NULL')}; ${entry("'r'")}; END $$`, []);
    const path = `/orgs/${orgId}/audit?kind=thing&action=update`;
    const grouped = await entriesAt(`${path}&grouped=true`, owner.as);
    expect(grouped.map(({ entries }) => entries)).toEqual([4, undefined, undefined]);
    expect(await entriesAt(path, owner.as)).toHaveLength(6);
  });

  it('has one entry for what is deleted, however much was in it, and keeps it', async () => {
    const { orgId, groupId, thingId } = await createEstate(owner.as);
    expect((await call('DELETE', `/orgs/${orgId}`, { as: owner.as })).status).toBe(204);
    expect((await call('GET', `/orgs/${orgId}/audit`, { as: owner.as })).status).toBe(404);
    const entries = await entriesAt(`/audit?limit=200&org_id=${orgId}`);
    expect(entries.map((entry) => entry['operation'])).toEqual([
      'deleteOrg',
      'createThings',
      'createProfiles',
      'createGroups',
      'createOrg',
    ]);
    expect((await entriesOf(groupId)).map((entry) => entry['action'])).toEqual(['create']);
    expect((await entriesOf(thingId)).map((entry) => entry['action'])).toEqual(['create']);

    const root = await createdAt('/groups', owner.as, { name: randomUUID() });
    const child = await createdAt('/groups', owner.as, { name: 'child', parent_id: root });
    await call('DELETE', `/groups/${root}`, { as: owner.as });
    expect(told((await entriesOf(root))[0])[0]).toBe('deleteTreeGroup');
    expect((await entriesOf(child)).map((entry) => entry['action'])).toEqual(['create']);
  });

  it('has an entry for each of several, and for each org of a move', async () => {
    const names = [randomUUID(), randomUUID(), randomUUID()];
    const things = await createThings(
      owner.as,
      estate.profileId,
      names.map((name) => ({ name, type: 'device' })),
    );
    const ids = things.map(({ id }) => id);
    await call('PATCH', '/things', { as: owner.as, body: { thing_ids: ids } });
    const found = await Promise.all(ids.map(entriesOf));
    expect(found.map((entries) => entries.map((entry) => entry['operation']))).toEqual(
      ids.map(() => ['deleteThings', 'createThings']),
    );

    const moved = await newThing();
    const there = await createEstate(owner.as);
    const body = { profile_id: there.profileId };
    expect((await call('PATCH', `/things/${moved}`, { as: owner.as, body })).status).toBe(200);
    const changes = {
      group_id: { from: estate.groupId, to: there.groupId },
      profile_id: { from: estate.profileId, to: there.profileId },
    };
    for (const { orgId } of [estate, there]) {
      const [last] = await entriesAt(`/orgs/${orgId}/audit?entity_id=${moved}`, owner.as);
      expect(told(last)).toEqual(['moveThing', 'update', changes]);
    }
  });

  it('has nothing of what was refused or changed nothing', async () => {
    const { orgId, groupId } = await createEstate(owner.as);
    const before = await entriesAt(`/orgs/${orgId}/audit?limit=200`);
    const profile = [{ name: 'profile' }];
    const taken = await call('POST', `/groups/${groupId}/profiles`, {
      as: owner.as,
      body: profile,
    });
    expect(taken.status).toBe(409);
    const same = await call('PUT', `/groups/${groupId}`, { as: owner.as, body: { name: 'group' } });
    expect(same.status).toBe(200);
    expect(await entriesAt(`/orgs/${orgId}/audit?limit=200`)).toEqual(before);
  });

  it('has all changes that are made at once, each with what was before it', async () => {
    const id = await newThing({ name: 'start' });
    const names = Array.from({ length: 20 }, () => randomUUID());
    const answers = await Promise.all(
      names.map((name) => call('PUT', `/things/${id}`, { as: owner.as, body: { name } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const entries = (await entriesOf(id)).filter((entry) => entry['action'] === 'update');
    const steps = new Map(
      entries.map((entry) => {
        const { from, to } = Object(Object(entry['changes']).name);
        return [String(from), String(to)];
      }),
    );
    const way: string[] = [];
    for (let name = steps.get('start'); name !== undefined; name = steps.get(name)) way.push(name);
    expect(way.toSorted()).toEqual(names.toSorted());
  });

  it('is searched by who, what and when, page by page', async () => {
    const { orgId, groupId, thingId } = await createEstate(owner.as);
    const member = await people.member('org', orgId, 'admin');
    const rename = (name: string) =>
      call('PUT', `/orgs/${orgId}`, { as: member.as, body: { name } });
    await rename('one');
    const between = new Date().toISOString();
    await rename('two');
    const find = async (query: string) =>
      (await entriesAt(`/orgs/${orgId}/audit?${query}`, member.as)).map(
        (entry) => entry['operation'],
      );
    expect(await find(`actor=${member.email.toUpperCase()}`)).toEqual(['updateOrg', 'updateOrg']);
    expect(await find(`actor=${member.id}&from=${between}`)).toEqual(['updateOrg']);
    expect(await find(`operation=updateOrg&to=${between}`)).toEqual(['updateOrg']);
    expect(await find(`kind=thing`)).toEqual(['createThings']);
    expect(await find(`action=create&kind=group`)).toEqual(['createGroups']);
    expect(await find(`entity_id=${thingId}`)).toEqual(['createThings']);
    expect(await find(`entity_id=${groupId}&action=delete`)).toEqual([]);

    const page = await call('GET', `/orgs/${orgId}/audit?limit=2&offset=1&dir=asc`, {
      as: member.as,
    });
    expect([at(page, 'total'), at(page, 'entries', 0, 'operation')]).toEqual([7, 'createGroups']);
    const wrong = await call('GET', `/orgs/${orgId}/audit?actr=x`, { as: member.as });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('actor')]);
  });

  it('is exported as CSV and NDJSON, the earliest first', async () => {
    const formula = '=cmd("x"), y';
    const orgId = await createdAt('/orgs', owner.as, { name: formula });
    await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
    const listed = await entriesAt(`/orgs/${orgId}/audit?dir=asc`);
    const asked = `/orgs/${orgId}/audit/export`;
    const lines = await call('GET', asked, { as: owner.as });
    expect(lines.headers['content-type']).toBe('application/x-ndjson');
    expect(lines.headers['content-disposition']).toBe('attachment; filename="audit.ndjson"');
    const parsed = lines.text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(parsed).toEqual(listed);

    const csv = await call('GET', `${asked}?convert=csv&kind=org`, { as: owner.as });
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [head, row, ...rest] = csv.text.split('\n');
    expect(head).toMatch(/^"id","at","org_id",/);
    expect(row).toContain(`"${orgId}","'=cmd(""x""), y","{}"`);
    expect(rest).toEqual(['']);
    const marked = await download(owner.as, `${asked}?convert=csv&kind=org&bom=true`);
    expect(marked.text).toBe(`\uFEFF${csv.text}`);
    expect((await call('GET', `${asked}?bom=true`, { as: owner.as })).status).toBe(400);
  });

  it('forgets what is older than it is kept', async () => {
    const { orgId } = await createEstate(owner.as);
    const entries = () => people.rows('SELECT id FROM audit_entries WHERE org_id = $1', [orgId]);
    await people.rows(
      `UPDATE audit_entries SET at = now() - interval '31 days 1 minute'
       WHERE org_id = $1 AND kind <> 'org'`,
      [orgId],
    );
    const pool = new Pool({ connectionString: system().databaseUrl, max: 1 });
    const db = openDatabase(pool, pool, createBudgets());
    expect(await entries()).toHaveLength(4);
    await deleteOldEntries(db, 31);
    await pool.end();
    expect(await entries()).toHaveLength(1);
  });
});

it('a change whose entry can not be written does not happen', async () => {
  const id = await newThing({ name: 'stays' });
  const constraint = 'audit_entries_test';
  await people.rows(
    `ALTER TABLE audit_entries ADD CONSTRAINT ${constraint}
     CHECK (entity_name IS DISTINCT FROM 'must not be') NOT VALID`,
    [],
  );
  try {
    const body = { name: 'must not be' };
    expect((await call('PUT', `/things/${id}`, { as: owner.as, body })).status).not.toBe(200);
  } finally {
    await people.rows(`ALTER TABLE audit_entries DROP CONSTRAINT ${constraint}`, []);
  }
  const thing = json(await call('GET', `/things/${id}`, { as: owner.as }));
  expect(thing).toMatchObject({ name: 'stays' });
});
