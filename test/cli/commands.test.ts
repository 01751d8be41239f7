import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { loginAdmin, People, type Person } from '../support/api/people.ts';
import { system } from '../support/system.ts';
import { doneHere, doneIdHere, doneJsonHere } from './running/here.ts';
import { type Home, newHome, run } from './running/millrace.ts';

/** Every command of the management side, typed as the platform's documents have it. */

let home: Home;
let person: Person;
let token: string;
let orgId: string;
let groupId: string;
let profileId: string;

beforeAll(async () => {
  const people = new People();
  person = await people.register();
  await people.close();
  token = person.as.replace('Bearer ', '');
  home = { dir: inject('systemDataDir'), url: system().apiUrl };
  orgId = await doneIdHere(home, ['orgs', 'create', '{"name":"my-org"}', token]);
  groupId = await doneIdHere(home, ['groups', 'create', '{"name":"my-group"}', orgId, token]);
  profileId = await doneIdHere(home, [
    'profiles',
    'create',
    '{"name":"my-profile"}',
    groupId,
    token,
  ]);
});

describe('orgs and their members', () => {
  it('create, get, update and delete take the body, the id and the token in this order', async () => {
    const created = await doneHere(home, ['orgs', 'create', '{"name":"other"}', token]);
    const id = created.replace('created: ', '').trim();
    expect(created).toBe(`created: ${id}\n`);
    expect(await doneHere(home, ['orgs', 'update', '{"description":"d"}', id, token])).toBe('ok\n');
    expect(await doneJsonHere(home, ['orgs', 'get', id, token])).toMatchObject({
      id,
      description: 'd',
    });
    expect(
      await doneJsonHere(home, ['orgs', 'get', 'all', '-n=other', '-l', '5', token]),
    ).toMatchObject({
      total: 1,
      limit: 5,
      orgs: [{ id, name: 'other' }],
    });
    expect(await doneHere(home, ['orgs', 'delete', id, token, '--yes'])).toBe('ok\n');
    expect(await run(home, ['orgs', 'get', 'by-id', id, token])).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringContaining('entity not found'),
    });
  });

  it('changes in an org are shown and exported by who made them and what they changed', async () => {
    const shown = await doneJsonHere(home, ['orgs', 'audit', orgId, token, '--kind', 'group']);
    expect(shown).toMatchObject({ total: 1, entries: [{ operation: 'createGroups' }] });
    const exported = ['orgs', 'audit', 'export', orgId, token, '--operation', 'createProfiles'];
    const file = await doneHere(home, [...exported, '--convert', 'csv']);
    expect([file.includes('my-profile'), file.includes('my-group')]).toEqual([true, false]);
    const admin = (await loginAdmin()).replace('Bearer ', '');
    const all = ['orgs', 'audit', 'all', admin, '--org', orgId, '--actor', person.email];
    expect(await doneJsonHere(home, [...all, '--kind', 'org'])).toMatchObject({
      total: 1,
      entries: [{ operation: 'createOrg', entity_name: 'my-org' }],
    });
  });

  it('memberships of an org are made, shown, changed and removed', async () => {
    const people = new People();
    const other = await people.register();
    await people.close();
    const member = JSON.stringify([{ email: other.email, role: 'viewer' }]);
    await doneHere(home, ['org_memberships', 'create', member, orgId, token]);
    const shown = await doneJsonHere(home, ['org_memberships', 'get', other.id, orgId, token]);
    expect(shown).toMatchObject({
      member_id: other.id,
      email: other.email,
      role: 'viewer',
    });
    await doneHere(home, [
      'org_memberships',
      'update',
      member.replace('viewer', 'editor'),
      orgId,
      token,
    ]);
    expect(await doneJsonHere(home, ['org_memberships', 'get', 'all', orgId, token])).toMatchObject(
      {
        org_memberships: expect.arrayContaining([expect.objectContaining({ role: 'editor' })]),
      },
    );

    const inGroup = JSON.stringify([{ member_id: other.id, role: 'viewer' }]);
    await doneHere(home, ['group_memberships', 'create', inGroup, groupId, token]);
    await doneHere(home, [
      'group_memberships',
      'update',
      inGroup.replace('viewer', 'editor'),
      groupId,
      token,
    ]);
    expect(await doneJsonHere(home, ['group_memberships', 'get', groupId, token])).toMatchObject({
      total: 2,
      group_memberships: expect.arrayContaining([
        expect.objectContaining({ member_id: other.id, email: other.email, role: 'editor' }),
      ]),
    });
    const ids = JSON.stringify([other.id]);
    await doneHere(home, ['group_memberships', 'delete', ids, groupId, token, '--yes']);
    await doneHere(home, ['org_memberships', 'delete', ids, orgId, token, '--yes']);
    expect(await doneJsonHere(home, ['org_memberships', 'get', 'all', orgId, token])).toMatchObject(
      {
        total: 1,
      },
    );
  });
});

describe('groups, profiles and things', () => {
  it('groups are listed, shown by a thing or profile of theirs, changed and deleted', async () => {
    const [first, second] = await doneJsonHere(home, [
      'groups',
      'create',
      '[{"name":"a"},{"name":"b"}]',
      orgId,
      token,
    ]).then((made) => Object(made).groups.map(({ id }: { id: string }) => id));
    await doneHere(home, ['groups', 'update', '{"name":"c"}', first, token]);
    expect(await doneJsonHere(home, ['groups', 'get', first, token])).toMatchObject({ name: 'c' });
    expect(await doneJsonHere(home, ['groups', 'get', 'by-org', orgId, token])).toMatchObject({
      total: 3,
    });
    expect(await doneJsonHere(home, ['groups', 'profile', profileId, token])).toMatchObject({
      id: groupId,
    });
    expect(await doneJsonHere(home, ['groups', 'profiles', groupId, token])).toMatchObject({
      profiles: [{ id: profileId }],
    });
    await doneHere(home, ['groups', 'delete', second, token, '--yes']);
    await doneHere(home, ['groups', 'delete', first, token, '--yes']);
  });

  it('a thing is created, read, changed, moved and deleted, and its keys identify it', async () => {
    const made = await doneJsonHere(home, [
      'things',
      'create',
      '{"name":"my-device","type":"device","metadata":{"key1":"value1"}}',
      profileId,
      token,
    ]);
    const [thing] = Object(made).things;
    expect(thing).toMatchObject({ name: 'my-device', profile_id: profileId, group_id: groupId });
    const { id, key } = thing;
    expect(await doneJsonHere(home, ['things', 'identify', key])).toEqual({ id });
    expect(await doneJsonHere(home, ['things', 'metadata', key])).toEqual({
      metadata: { key1: 'value1' },
    });
    await doneHere(home, ['things', 'external-key', 'set', `ext-${id}`, id, token]);
    expect(await doneJsonHere(home, ['things', 'identify', 'external', `ext-${id}`])).toEqual({
      id,
    });
    await doneHere(home, ['things', 'external-key', 'remove', id, token, '--yes']);
    await doneHere(home, ['things', 'update', '{"name":"renamed"}', id, token]);
    const changes = JSON.stringify([{ id, metadata: { key2: 2 } }]);
    await doneHere(home, ['things', 'update-metadata', changes, token]);
    expect(await doneJsonHere(home, ['things', 'get', 'by-id', id, token])).toMatchObject({
      name: 'renamed',
      metadata: { key1: 'value1', key2: 2 },
    });

    const other = await doneIdHere(home, ['profiles', 'create', '{"name":"next"}', groupId, token]);
    await doneHere(home, ['things', 'move', JSON.stringify({ profile_id: other }), id, token]);
    expect(await doneJsonHere(home, ['profiles', 'get', 'by-thing', id, token])).toMatchObject({
      id: other,
    });
    expect(await doneJsonHere(home, ['groups', 'thing', id, token])).toMatchObject({ id: groupId });
    const lists = [
      ['get', 'all', '--metadata', '{"key2":2}'],
      ['get', 'by-profile', other],
      ['get', 'by-group', groupId],
      ['get', 'by-org', orgId],
      ['search', '{"name":"renamed"}'],
      ['search', 'by-profile', '{}', other],
    ];
    const answers = lists.map((list) => doneJsonHere(home, ['things', ...list, token]));
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ things: [{ id }] });
    await doneHere(home, ['things', 'delete', id, token, '--yes']);
    await doneHere(home, ['profiles', 'delete', other, token, '--yes']);
  });

  it('profiles keep their configuration', async () => {
    const id = await doneIdHere(home, [
      'profiles',
      'create',
      '{"name":"p","config":{"content_type":"application/json"}}',
      groupId,
      token,
    ]);
    await doneHere(home, ['profiles', 'update', '{"metadata":{"a":1}}', id, token]);
    expect(await doneJsonHere(home, ['profiles', 'get', id, token])).toMatchObject({
      metadata: { a: 1 },
      config: { content_type: 'application/json' },
    });
    expect(
      await doneJsonHere(home, ['profiles', 'search', 'by-group', '{"name":"p"}', groupId, token]),
    ).toMatchObject({ profiles: expect.arrayContaining([expect.objectContaining({ id })]) });
    await doneHere(home, ['profiles', 'delete', id, token, '--yes']);
  });
});

describe('users and keys', () => {
  it('the admin creates a user, who gets a token, changes metadata and password', async () => {
    const { adminEmail, adminPassword } = system();
    const admin = await doneIdHere(home, ['users', 'token', adminEmail], `${adminPassword}\n`);
    const email = `${randomUUID()}@example.com`;
    const id = await doneIdHere(home, ['users', 'create', email, admin], 'password123\n');
    const own = await doneIdHere(
      home,
      ['users', 'token', email, '--password-stdin'],
      'password123\n',
    );
    expect(await doneHere(home, ['users', 'update', '{"key1":"value1"}', own])).toBe('ok\n');
    expect(await doneJsonHere(home, ['users', 'get', own])).toEqual({
      id,
      email,
      metadata: { key1: 'value1' },
    });
    expect(await doneJsonHere(home, ['users', 'get', id, admin])).toMatchObject({ email });
    expect(await doneJsonHere(home, ['users', 'get', 'all', '-e', email, admin])).toMatchObject({
      Users: [{ id, email }],
    });
    await doneHere(home, ['users', 'password', own], 'password123\npassword456\n');
    expect((await run(home, ['users', 'token', email], 'password123\n')).code).toBe(1);
  });

  it('an API key is issued for a duration, works, is listed and revoked', async () => {
    const issued = Object(await doneJsonHere(home, ['keys', 'issue', '10h', token]));
    const lifetime = Date.parse(issued.expires_at) - Date.parse(issued.issued_at);
    expect(lifetime).toBe(36_000_000);
    expect(await doneJsonHere(home, ['orgs', 'get', orgId, issued.value])).toMatchObject({
      id: orgId,
    });
    expect(await doneJsonHere(home, ['keys', 'retrieve', issued.id, token])).toMatchObject({
      issuer_id: person.id,
      type: 2,
    });
    expect(await doneJsonHere(home, ['keys', 'get', 'all', token])).toMatchObject({ total: 1 });
    await doneHere(home, ['keys', 'revoke', issued.id, token, '--yes']);
    const after = await run(home, ['orgs', 'get', orgId, issued.value]);
    expect(after).toMatchObject({ code: 1, error: expect.stringContaining('millrace login') });
    expect(after.error).not.toContain(issued.value);
  });
});

describe('output', () => {
  it('shows the same list as JSON, lines, CSV and a table', async () => {
    const list = ['groups', 'get', 'all', token];
    expect(await doneJsonHere(home, list)).toMatchObject({ groups: [{ id: groupId }] });
    const lines = (await doneHere(home, [...list, '-o', 'ndjson'])).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: groupId }]);
    expect(await doneHere(home, [...list, '-o=csv'])).toMatch(
      new RegExp(`^id,org_id,name,description,metadata,created_at,updated_at\r\n${groupId},`),
    );
    expect(await doneHere(home, [...list, '-o', 'table'])).toContain(
      `my-group  ${groupId}  ${orgId}`,
    );
    expect(await doneHere(home, [...list, '--raw'])).toMatch(/^\{"total":1,.*\}\n$/);
  });

  it('-o with a number is the offset, and a page has at most --limit', async () => {
    expect(
      await doneJsonHere(home, ['groups', 'get', 'all', '-o', '1', '-l', '1', token]),
    ).toMatchObject({
      offset: 1,
      limit: 1,
      groups: [],
    });
  });

  it('health is shown without a token', async () => {
    await eventually(async () => {
      expect(await doneJsonHere(home, ['health'])).toMatchObject({ status: 'pass' });
    });
  });

  it('each service is called at the address of its flag', async () => {
    const away: Home = { ...home, url: 'http://127.0.0.1:9' };
    const { url } = home;
    expect((await run(away, ['health'])).code).toBe(1);
    expect(await doneJsonHere(away, ['health', '-t', url])).toMatchObject({ status: 'pass' });
    await Promise.all([
      doneJsonHere(away, ['orgs', 'get', 'all', `--auth-url=${url}/svcauth`, token]),
      doneJsonHere(away, ['things', 'get', 'all', '-t', `${url}/svcthings/`, token]),
      doneJsonHere(away, ['users', 'get', person.id, '-u', `${url}/svcusers`, token]),
      doneJsonHere(away, ['messages', 'read', 'json', '--reader-url', `${url}/reader`, token]),
    ]);
  });
});

describe('login', () => {
  it('keeps a token for its server until logout, in a file that only its owner can read', async () => {
    const own = newHome(home.url);
    const { password } = await import('../support/api/people.ts');
    expect(await run(own, ['login', person.email], `${password}\n`)).toMatchObject({
      code: 0,
      out: '',
      error: expect.stringContaining(`logged in as ${person.email}`),
    });
    const { statSync } = await import('node:fs');
    const file = statSync(`${own.dir}/config/millrace/logins.json`);
    expect(file.mode & 0o777).toBe(0o600);
    expect(await doneJsonHere(own, ['orgs', 'get', orgId])).toMatchObject({ id: orgId });
    expect(await doneJsonHere(own, ['users', 'get'])).toMatchObject({ id: person.id });

    const elsewhere = await run({ ...own, url: 'http://127.0.0.1:9' }, ['orgs', 'get', orgId]);
    expect(elsewhere).toMatchObject({ code: 2, error: expect.stringContaining('millrace login') });

    await doneHere(own, ['logout']);
    expect((await run(own, ['orgs', 'get', orgId])).code).toBe(2);
  });

  it('a wrong password stores nothing and is not shown', async () => {
    const own = newHome(home.url);
    const refused = await run(own, ['login', person.email], 'not-the-password\n');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.error).not.toContain('not-the-password');
    expect((await run(own, ['orgs', 'get', orgId])).code).toBe(2);
  });
});
