import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json } from '../support/api/http.ts';
import { createEstate, createThings, type Estate, loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { type EndedHere, type Here, runHere } from './running/here.ts';

/** What the client asks before, and what it refuses, before anything is done. */

const configDir = mkdtempSync(join(tmpdir(), 'millrace-careful-'));
afterAll(() => rmSync(configDir, { recursive: true }));

let as: string;
let estate: Estate;

beforeAll(async () => {
  as = await loginAdmin();
  estate = await createEstate(as);
});

function type(words: readonly string[], how: Partial<Here> = {}): Promise<EndedHere> {
  return runHere(words, {
    url: system().apiUrl,
    configDir,
    token: as.replace('Bearer ', ''),
    ...how,
  });
}

/** A thing that has sent two records of each of these names, under the subtopic of the name. */
async function thingThatSent(...names: string[]) {
  const body = [{ name: randomUUID(), type: 'sensor' }];
  const [thing] = await createThings(as, estate.profileId, body);
  if (thing === undefined) throw new Error('no thing was made');
  for (const name of names) {
    const pack = JSON.stringify([
      { n: name, v: 1 },
      { n: name, v: 2, t: 1 },
    ]);
    expect(await type(['messages', 'send', name, pack, thing.key])).toMatchObject({ code: 0 });
  }
  const left = async (query = '') => {
    const answer = await call('GET', `/reader/senml?publisher=${thing.id}${query}`, { as });
    return Number(at(answer, 'total'));
  };
  await eventually(async () => (await left()) === names.length * 2);
  return { ...thing, left };
}

describe('a command that removes', () => {
  it('deletes the messages that match its filters, and no others', async () => {
    const thing = await thingThatSent('keep', 'drop');
    const ended = await type(['messages', 'delete', 'senml', thing.id, '--name', 'drop', '--yes']);
    expect(ended).toMatchObject({ code: 0, error: 'removed 2 senml messages\n' });
    expect(await thing.left()).toBe(2);
    const all = ['messages', 'delete', 'all-senml', '--publisher', thing.id, '--senml-value', '1'];
    expect(await type([...all, '--yes'])).toMatchObject({ code: 0 });
    expect(await thing.left('&v=2')).toBe(1);
    expect(await thing.left()).toBe(1);
  });

  it('says how many and asks; after "no" it does nothing', async () => {
    const thing = await thingThatSent('a');
    const command = ['messages', 'delete', 'senml', thing.id];
    const refused = await type(command, { terminal: true, stdin: 'n' });
    expect(refused).toMatchObject({
      code: 1,
      error: expect.stringContaining('nothing was removed'),
    });
    expect(refused.error).toContain('Remove 2 senml messages? [y/N]');
    expect(await thing.left()).toBe(2);
    expect(await type(command, { terminal: true, stdin: 'y' })).toMatchObject({ code: 0 });
    expect(await thing.left()).toBe(0);
  });

  it('ends with 2 without --yes and without a terminal, and says what would be removed', async () => {
    const { orgId, groupId, profileId, thingId } = await createEstate(as);
    for (const [words, what] of [
      [['orgs', 'delete', orgId], 'the org "org" with 1 group, 1 profile, 1 thing'],
      [['groups', 'delete', groupId], 'the group "group" with 1 profile, 1 thing'],
      [['profiles', 'delete', profileId], 'the profile "profile"'],
      [['things', 'delete', thingId], 'the thing "thing" with all messages'],
      [['things', 'delete', JSON.stringify([thingId, estate.thingId])], '2 things'],
      [['messages', 'delete', 'json', thingId], '0 json messages'],
      [['messages', 'delete', 'all-json', '--publisher', thingId], 'up to 0 json messages'],
    ] as const) {
      const ended = await type(words);
      expect(ended.code, words.join(' ')).toBe(2);
      expect(ended.error).toContain(`this removes ${what}`);
      expect(ended.error).toContain('add --yes');
    }
    expect((await call('GET', `/things/${thingId}`, { as })).status).toBe(200);
    expect(await type(['orgs', 'delete', orgId, '--yes'])).toMatchObject({
      code: 0,
      error: expect.stringMatching(/^removed the org "org" with 1 group, 1 profile, 1 thing/),
    });
    expect((await call('GET', `/things/${thingId}`, { as })).status).toBe(404);
  });

  it.each([
    [['messages', 'delete', 'senml', 'THING', '--limit', '1'], '--limit'],
    [['messages', 'delete', 'senml', 'THING', '--publisher', 'THING'], '--publisher'],
    [['orgs', 'delete', 'ORG', '--name', 'x'], '--name'],
    [
      ['things', 'delete', 'THING', '--metadata', '{}', '--subtopic', 's'],
      '--metadata and --subtopic',
    ],
  ])('refuses flags that it would ignore: %j', async (words, flags) => {
    const given = words.map((word) =>
      word.replace('THING', estate.thingId).replace('ORG', estate.orgId),
    );
    expect(await type([...given, '--yes'])).toMatchObject({
      code: 2,
      error: expect.stringMatching(new RegExp(`^(?=.*${flags.split(' ')[0]}).*nothing was done`)),
    });
    expect((await call('GET', `/things/${estate.thingId}`, { as })).status).toBe(200);
  });
});

describe('a command that revokes or declines', () => {
  it('says what, and asks', async () => {
    const issued = await type(['keys', 'issue', '60', '-o', 'json']);
    const key: { id: string } = JSON.parse(issued.out.toString());
    const made = await type(['certs', 'issue', estate.thingId, '--keytype', 'ecdsa', '-o', 'json']);
    const { serial }: { serial: string } = JSON.parse(made.out.toString());
    await type(['things', 'external-key', 'set', `key-${estate.thingId}`, estate.thingId]);
    for (const [words, question] of [
      [['keys', 'revoke', key.id], `Revoke the API key ${key.id}, issued at 20`],
      [['certs', 'revoke', serial], `Revoke the certificate ${serial}?`],
      [
        ['things', 'external-key', 'remove', estate.thingId],
        'Remove the external key of the thing "thing"?',
      ],
    ] as const) {
      const refused = await type(words, { terminal: true, stdin: 'n' });
      expect(refused).toMatchObject({ code: 1, error: expect.stringContaining(question) });
      expect(refused.error).toMatch(/nothing was (revoked|removed)/);
      expect(await type(words)).toMatchObject({ code: 2, error: expect.stringContaining('--yes') });
    }
    expect(json(await call('GET', `/keys/${key.id}`, { as }))).toMatchObject({ id: key.id });
    expect(await type(['keys', 'revoke', key.id, '--yes'])).toMatchObject({
      code: 0,
      error: expect.stringMatching(/^revoked the API key/),
    });
    expect((await call('GET', `/keys/${key.id}`, { as })).status).toBe(404);
  });
});

describe('lists of things', () => {
  it('filter by silence, and sort', async () => {
    const { groupId, profileId } = await createEstate(as);
    await createThings(as, profileId, [
      { name: 'b', type: 'gateway' },
      { name: 'a', type: 'gateway' },
    ]);
    const names = async (...words: string[]) => {
      const { code, out, error } = await type([...words, '--type', 'gateway', '-o', 'json']);
      if (code !== 0) throw new Error(error);
      const { things }: { things: { name: string }[] } = JSON.parse(out.toString());
      return things.map(({ name }) => name);
    };
    const since = '2026-01-01T00:00:00Z';
    const list = ['things', 'get', 'by-group', groupId];
    expect(await names(...list, '--silent-since', since, '--order', 'name')).toEqual(['b', 'a']);
    expect(await names(...list, '--order', 'name', '--dir', 'asc')).toEqual(['a', 'b']);
    expect(await names(...list, '--seen-since', since)).toEqual([]);
    const search = ['things', 'search', 'by-group', '--group', groupId];
    expect(await names(...search, '--silent-since', since, '--name', 'A')).toEqual(['a']);
    expect(await names(...search, '--seen-since', since)).toEqual([]);
  });

  it.each([
    [['things', 'get', 'all', '--silent-since', 'yesterday'], '--silent-since is none of'],
    [['messages', 'export', '--order', 'name'], '--order of messages is store or time'],
  ])('%j is refused as wrong usage', async (words, told) => {
    const ended = await type(words);
    expect(ended).toMatchObject({ code: 2, error: expect.stringContaining(told) });
  });
});

describe('flags in place of JSON', () => {
  it('create an org, a group, a profile and a thing', async () => {
    const made = async (...words: string[]) => {
      const { code, out, error } = await type([...words, '--raw']);
      if (code !== 0) throw new Error(error);
      return out.toString().trim();
    };
    const org = await made('orgs', 'create', '--name', randomUUID(), '--retention-days', '9');
    const group = await made('groups', 'create', '--name', 'g', '--org', org, '--description', 'd');
    const config = '{"content_type":"application/json"}';
    const profile = await made('profiles', 'create', '--name', 'p', '--config', config, group);
    const of = ['--type', 'sensor', '--profile', profile, '--metadata', '{"hall":3}'];
    const thing = await made('things', 'create', '--name', 't', ...of, '--key', `key-${org}`);
    expect(json(await call('GET', `/things/${thing}`, { as }))).toMatchObject({
      name: 't',
      type: 'sensor',
      key: `key-${org}`,
      metadata: { hall: 3 },
      profile_id: profile,
      group_id: group,
    });
    expect(json(await call('GET', `/orgs/${org}`, { as }))).toMatchObject({ retention_days: 9 });
    expect(await type(['orgs', 'update', org, '--retention-days', 'none'])).toMatchObject({
      code: 0,
    });
    expect(json(await call('GET', `/orgs/${org}`, { as }))).not.toHaveProperty('retention_days');
    const body = JSON.stringify({ name: 'u' });
    expect(await type(['things', 'update', '-', thing], { stdin: body })).toMatchObject({
      code: 0,
    });
    expect(json(await call('GET', `/things/${thing}`, { as }))).toMatchObject({ name: 'u' });
  });

  it.each([
    [['things', 'create', '--name', 'x', '--profile', 'ID'], 'missing --type <type>'],
    [
      ['things', 'create', '--name', 'x', '--type', 'sensor'],
      'missing argument profile_id (or --profile',
    ],
    [
      ['things', 'create', '{"name":"x"}', '--type', 'sensor', 'ID'],
      'the JSON or --type <type>, not both',
    ],
    [['orgs', 'create', '--name', 'x', '--retention-days', 'many'], '--retention-days is not'],
    [['profiles', 'create', '--name', 'x', '--config', 'yes', 'ID'], '--config does not hold'],
    [['things', 'creat'], 'Did you mean create?'],
    [['thigs'], 'Did you mean things?'],
    [['things', 'get', 'all', '--limt', '3'], 'Did you mean --limit?'],
    [['messages', 'read', '--agg-type', 'mean'], 'min, max, avg'],
  ])('%j is refused as wrong usage, with the right one', async (words, told) => {
    const given = words.map((word) => word.replace(/^ID$/, estate.profileId));
    const ended = await type(given);
    expect(ended).toMatchObject({ code: 2, error: expect.stringContaining(told) });
  });
});

describe('passwords', () => {
  it.each([
    [['users', 'token', 'a@example.com', 'a secret']],
    [['users', 'create', 'a@example.com', 'a secret']],
    [['users', 'create', 'a@example.com', 'a secret', 'a.b.c']],
    [['users', 'password', 'a secret', 'another secret']],
    [['platform_invites', 'register', randomUUID(), 'a@example.com', 'a secret']],
  ])('are not taken from the command line: %j', async (words) => {
    const ended = await type(words);
    expect(ended).toMatchObject({ code: 2, error: expect.stringContaining('--password-stdin') });
    expect(ended.error).not.toContain('a secret');
  });

  it('are asked for on a terminal, a new one twice, and never shown', async () => {
    const email = `${randomUUID()}@example.com`;
    const create = ['users', 'create', email];
    const differ = await type(create, { terminal: true, stdin: 'password123\npassword124' });
    expect(differ).toMatchObject({ code: 2, error: expect.stringContaining('the two differ') });
    const made = await type(create, { terminal: true, stdin: 'password123\npassword123' });
    expect(made.code).toBe(0);
    expect(made.error).not.toContain('password123');
    const token = await type(['users', 'token', email, '--raw'], { stdin: 'password123\n' });
    expect(token.out.toString()).toMatch(/^\S+\n$/);
    const who = { token: token.out.toString().trim() };
    const shown = await type(['whoami', '-o', 'json'], who);
    expect(JSON.parse(shown.out.toString())).toMatchObject({ email, token_from: 'MILLRACE_TOKEN' });
  });

  it('inside JSON are used, with a warning', async () => {
    const { adminEmail, adminPassword } = system();
    const body = JSON.stringify({ email: adminEmail, password: adminPassword });
    const ended = await type(['users', 'token', body]);
    expect(ended).toMatchObject({ code: 0, error: expect.stringMatching(/^warning: a password/) });
  });
});

describe('a refusal', () => {
  it('shows the message of the server, its code and the request id', async () => {
    const ended = await type(['things', 'get', randomUUID()]);
    expect(ended).toMatchObject({ code: 1, error: expect.stringContaining('entity not found') });
    expect(ended.error).toMatch(/code: not_found, request_id: \S+/);
  });
});

describe('long transfers on a terminal', () => {
  it('show their progress, and the total at the end', async () => {
    const backup = await type(['messages', 'backup'], { terminal: true });
    expect(backup).toMatchObject({ code: 0 });
    // A bar is drawn over itself and cleared, and the last line stays.
    expect(backup.error).toMatch(
      /backup [\d,.]+ (bytes|MB)[^]*backup: [\d,.]+ (bytes|MB) in \d+\.\d s\n$/,
    );
    const path = join(configDir, 'messages.backup');
    writeFileSync(path, backup.out);
    const restored = await type(['messages', 'restore', path], { terminal: true });
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.error).toMatch(
      /restore [█░]{24} \d+% [^]*sent; the server checks and stores it\n[^]*restore: /,
    );
  });

  it('print only the last line where there is no terminal', async () => {
    const exported = await type(['messages', 'export', 'senml', '--limit', '1']);
    expect(exported.error).toMatch(/^export: [\d,.]+ (bytes|MB) in \d+\.\d s\n$/);
    const shown = await type(['messages', 'export', 'senml'], { terminal: true, toTerminal: true });
    expect(shown).toMatchObject({ code: 0, error: '' });
    const refused = await type(['messages', 'backup'], { terminal: true, toTerminal: true });
    expect(refused).toMatchObject({ code: 2, error: expect.stringContaining('> file') });
    expect(refused.out).toHaveLength(0);
  });
});
