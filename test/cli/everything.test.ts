import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import type { Command } from 'commander';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandSamples } from '../../api/operations/docs/command-samples.ts';
import { knownOf } from '../../cli/invocation/known.ts';
import { examplesOf } from '../../cli/invocation/help.ts';
import { createProgram } from '../../cli/program.ts';
import {
  createdAt,
  createEstate,
  createThings,
  login,
  loginAdmin,
  password,
  People,
  type Person,
  signIn,
} from '../support/api/people.ts';
import { call, json } from '../support/api/http.ts';
import { insertAlarm } from '../support/fixtures/alarms.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { type Asked, recordRequests, runHere } from './running/here.ts';

/*
 * Each example that help tells is typed here as it stands, against the running system. What they ask of the
 * API together is all that the API does.
 */

/** Operations that no example reaches, and why. */
const unreached: Readonly<Record<string, string>> = {
  viewDocs: 'a document for programs',
  viewMetrics: 'for Prometheus',
  viewHealth_live: 'for who starts and stops processes',
  viewHealth_ready: 'for who starts and stops processes',
  viewHealth_reader: 'the same as viewHealth, where clients of the platform ask',
  viewBenchResults: 'for the page of the benchmarks',
  viewSharedDashboard: 'for who has a link and no account',
  readSharedPanel: 'for who has a link and no account',
  receiveCommands: 'for things',
  acknowledgeCommand: 'for things',
  sendMessagesOfSubtopic: 'its subtopic stands in the path of sendMessages',
  writeLines: 'for clients of InfluxDB',
  writeLinesOfVersion2: 'for clients of InfluxDB',
  pingAsInfluxDb: 'for clients of InfluxDB',
  queryInflux: 'for clients of InfluxDB',
  queryInflux_post: 'for clients of InfluxDB',
  deleteWebhooks_patch: 'the same as DELETE',
  deleteGroup: 'one is removed as a list of one',
  deleteProfile: 'one is removed as a list of one',
  deleteThing: 'one is removed as a list of one',
  followMessages_senml: 'has no end: live.test.ts',
  followMessages_json: 'has no end: live.test.ts',
  followGroupAlarms: 'has no end: alarms.test.ts',
  followOrgAlarms: 'has no end: alarms.test.ts',
  followAlarms: 'has no end: alarms.test.ts',
};

/** Examples without an end: live.test.ts runs them, device-commands.test.ts, and alarms.test.ts. */
const endless = /^(listen|messages tail|commands watch|alarms watch)\b/;

/** Commands that are the platform admin's. */
const forAdmin =
  /^(users create|platform_invites (create|get)|messages (backup|restore)|orgs (quota|audit (all|export-all))|admin )/;

/** Commands of whom an invite was sent to. */
const forInvitee = /^invites (accept|decline)/;

const directory = mkdtempSync(join(tmpdir(), 'millrace-examples-'));
afterAll(() => rmSync(directory, { recursive: true }));

const people = new People();
afterAll(() => people.close());

let admin: string;
let owner: Person;
let other: Person;
let third: Person;
/** Their password changes, which ends their tokens. */
let changing: Person;

beforeAll(async () => {
  admin = await loginAdmin();
  [owner, other, third, changing] = await Promise.all([
    people.register(),
    people.register(),
    people.register(),
    people.register(),
  ]);
});

/** All commands that do something, with their words, by the first of them. */
async function allCommands(): Promise<Map<string, { path: string; command: Command }[]>> {
  const program = createProgram({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    configDir: directory,
    baseUrl: undefined,
    token: undefined,
    password: undefined,
    newPassword: undefined,
    secrets: [],
  });
  await program.loadAll();
  const within = (command: Command, path: string): { path: string; command: Command }[] => [
    ...(knownOf(command) === undefined ? [] : [{ path, command }]),
    ...command.commands.flatMap((one) => within(one, `${path} ${one.name()}`.trim())),
  ];
  const all = within(program.command, '');
  return Map.groupBy(all, ({ path }) => path.split(' ')[0] ?? '');
}

const groups = await allCommands();

/** The command of each sample in the documentation: the one with the longest name that the sample begins with. */
const pathsOfSamples = new Map(
  Object.values(commandSamples).flatMap((sample) => {
    const begins = [...groups.values()]
      .flat()
      .filter(({ path }) => `${sample} `.startsWith(`${path} `));
    const [longest] = begins.toSorted((one, two) => two.path.length - one.path.length);
    return sample === undefined || longest === undefined ? [] : [[sample, longest.path] as const];
  }),
);

/** The operations that each line called, as it was typed. */
const called = new Map<string, ReadonlySet<string | undefined>>();

/** What stands for the names in examples, for the commands of one group. */
async function stage(group: string) {
  const { as } = owner;
  const estate = await createEstate(as);
  if (group === 'group_memberships') {
    await people.join('org', estate.orgId, other, 'viewer');
    await people.join('org', estate.orgId, third, 'viewer');
  }
  const newThing = async () => {
    const body = [{ name: randomUUID(), type: 'device' }];
    const [thing] = await createThings(as, estate.profileId, body);
    return textOf(thing, 'id');
  };
  const unregistered = group === 'platform_invites';
  const emails = {
    dan: `${randomUUID()}@example.com`,
    ann: unregistered ? `${randomUUID()}@example.com` : other.email,
    bob: unregistered ? `${randomUUID()}@example.com` : third.email,
    cy: `${randomUUID()}@example.com`,
  };
  let webhook = '';
  const known: Record<string, (path: string) => Promise<string> | string> = {
    ORG: () => estate.orgId,
    GROUP: () => estate.groupId,
    OTHER_GROUP: () => createdAt(`/orgs/${estate.orgId}/groups`, as, { name: randomUUID() }),
    PROFILE: (path) =>
      path === 'profiles delete'
        ? createdAt(`/groups/${estate.groupId}/profiles`, as, [{ name: randomUUID() }])
        : estate.profileId,
    THING: (path) => (path === 'things delete' ? newThing() : estate.thingId),
    OTHER_THING: newThing,
    KEY: () => estate.key,
    USER_ID: (path) => (path.startsWith('users') ? owner.id : other.id),
    OTHER_ID: () => third.id,
    NODE: async (path) => {
      const id = await createdAt('/groups', as, { name: randomUUID() });
      if (path === 'tree_groups unassign') {
        const body = { members: [estate.thingId], type: 'things' };
        await call('POST', `/groups/${id}/members`, { as, body });
      }
      return id;
    },
    KEY_ID: async () => textOf(await post('/keys', as, { type: 2, duration: 60 }), 'id'),
    SESSION: async () => {
      await signIn(owner.email);
      const list = Object(json(await call('GET', '/sessions', { as })));
      return textOf(list.sessions[0], 'id');
    },
    SERIAL: async () =>
      textOf(
        await post('/certs', as, { thing_id: estate.thingId, key_type: 'ecdsa', key_bits: 256 }),
        'serial',
      ),
    WEBHOOK: async () => {
      const [made] = await post(`/things/${estate.thingId}/webhooks`, as, [
        { name: randomUUID(), url: 'http://127.0.0.1:9/' },
      ]);
      webhook = textOf(made, 'id');
      return webhook;
    },
    MESSAGE: async () =>
      textOf(json(await call('POST', `/webhooks/${webhook}/ping`, { as })), 'message_id'),
    COMMAND: async () => {
      const path = `/things/${estate.thingId}/commands`;
      const answer = await call('POST', path, { as, body: { command: 'open' } });
      return textOf(json(answer), 'id');
    },
    RULE: () =>
      createdAt(`/groups/${estate.groupId}/rules`, as, {
        name: randomUUID(),
        conditions: [{ name: 'temperature', when: '>', value: 8 }],
      }),
    DASHBOARD: () =>
      createdAt(`/groups/${estate.groupId}/dashboards`, as, {
        name: randomUUID(),
        content: { panels: [], range: { last: '24h' } },
      }),
    ANNOTATION: () =>
      createdAt(`/groups/${estate.groupId}/annotations`, as, { text: 'New filter', from: '-1h' }),
    SHARE: async () => {
      const content = { panels: [], range: { last: '24h' } };
      const path = `/groups/${estate.groupId}/dashboards`;
      const dashboardId = await createdAt(path, as, { name: randomUUID(), content });
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      const body = { name: 'landlord', expires_at: expires };
      return createdAt(`/dashboards/${dashboardId}/shares`, as, body);
    },
    ALARM: () => insertAlarm(people, estate.thingId),
    SILENCE: async () => {
      const until = new Date(Date.now() + 3_600_000).toISOString();
      const body = { reason: 'maintenance', until };
      return textOf(await post(`/groups/${estate.groupId}/silences`, as, body), 'id');
    },
    JOB: (path) => addJob(path.endsWith('promote') ? 86_400_000 : 0),
    INVITE: async (path) => {
      if (path.startsWith('platform_invites')) {
        emails.bob = `${randomUUID()}@example.com`;
        return createdAt('/svcauth/invites', admin, { invitee_email: emails.bob });
      }
      const orgId = await createdAt('/orgs', as, { name: randomUUID() });
      const body = { email: other.email, role: 'viewer' };
      await call('POST', `/orgs/${orgId}/invites`, { as, body });
      const list = Object(json(await call('GET', `/orgs/${orgId}/invites`, { as })));
      return textOf(list.invites[0], 'id');
    },
  };
  return { known, emails };
}

/** A job of no message: it fails when a worker takes it, and is delayed until then. */
async function addJob(delay: number): Promise<string> {
  const redis = new Redis(system().redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('webhooks', { connection: redis });
  const job = await queue.add('message', { no: 'message' }, { delay });
  if (delay === 0) await eventually(async () => (await job.getState()) === 'failed');
  await queue.close();
  redis.disconnect();
  return job.id ?? '';
}

async function post(path: string, as: string, body: unknown) {
  const answer = await call('POST', path, { as, body });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return Object(json(answer));
}

function textOf(value: unknown, member: string): string {
  const text: unknown = Object(value)[member];
  if (typeof text !== 'string') throw new Error(`no ${member}`);
  return text;
}

/** A line of a shell: its words, and the file that is read from. What is written to a file is looked at here. */
async function read(
  line: string,
  valueOf: (name: string) => Promise<string> | string,
): Promise<{ words: string[]; from: string | undefined }> {
  const [command = '', from] = line.replace(/ > \S+$/, '').split(' < ');
  const pieces = command.match(/'[^']*'|"[^"]*"|\$\w+|\s+|[^'"$\s]+/g) ?? [];
  const words = [''];
  for (const piece of pieces) {
    if (/^\s+$/.test(piece)) words.push('');
    else {
      const text = piece.startsWith('$')
        ? await valueOf(piece.slice(1))
        : piece.replaceAll(/^['"]|['"]$/g, '');
      words[words.length - 1] += text;
    }
  }
  return { words, from };
}

/** Files that examples name. */
function filesFor(profileId: string, groupId: string): Record<string, string> {
  return {
    'password.txt': `${password}\n`,
    // Each change is taken back by the next example's.
    'old-and-new.txt': `${password}\n${password}\n`,
    'webhook-with-secret.json': JSON.stringify({
      name: randomUUID(),
      url: 'http://127.0.0.1:9/',
      secret: 'a secret of at least 24 bytes',
    }),
    'rule.json': JSON.stringify({
      name: randomUUID(),
      conditions: [{ name: 'temperature', when: '>', value: 8, clear: { when: '<', value: 6 } }],
      for: 300,
    }),
    'dashboard.json': JSON.stringify({
      name: randomUUID(),
      content: {
        panels: [{ id: 'a', title: 'A', kind: 'line', series: [], x: 0, y: 0, w: 6, h: 4 }],
        range: { last: '24h' },
      },
    }),
    'pack.json': '[{"n":"temperature","v":21.5}]',
    'things.csv': `,${randomUUID()}\n`,
    'things.json': JSON.stringify([{ name: randomUUID(), profile_id: profileId }]),
    'profiles.csv': `,${randomUUID()},${groupId}\n`,
  };
}

describe('the examples of the help', () => {
  const recording = recordRequests();
  afterAll(() => recording.stop());

  it.each([...groups.keys()])('work as they are: %s', async (group) => {
    expect(await typeAll(group, groups.get(group) ?? [], recording.asked)).toEqual([]);
  });

  it('call every operation of the API, with a few exceptions and their reasons', () => {
    const reached = new Set(recording.stop().map(operationOf));
    const missing = operations
      .map(({ operationId }) => operationId)
      .filter((id) => !reached.has(id));
    expect(missing.toSorted()).toEqual(Object.keys(unreached).toSorted());
  });

  it('are in the documentation of each operation that has a command, which calls it', () => {
    const isEndless = (sample: string) => endless.test(sample);
    const wrong = Object.entries(commandSamples).filter(
      ([operation, sample = '']) =>
        !pathsOfSamples.has(sample) ||
        (!isEndless(sample) && called.get(sample)?.has(operation) !== true),
    );
    expect(wrong).toEqual([]);
    const without = operations
      .map(({ operationId }) => operationId)
      .filter((id) => !commandSamples[id]);
    const reasons = Object.keys(unreached).filter((id) => !id.startsWith('follow'));
    expect(without.toSorted()).toEqual(reasons.toSorted());
  });
});

const { paths } = JSON.parse(readFileSync('schemas/client/generated/openapi.json', 'utf8'));
const operations = Object.entries<Record<string, { operationId: string }>>(paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ method, path, operationId })),
);

function operationOf({ method, path }: Asked): string | undefined {
  const [closest] = operations
    .filter((one) => one.method === method.toLowerCase() && fits(one.path, documented(path)))
    .toSorted((one, two) => parametersOf(one.path) - parametersOf(two.path));
  return closest?.operationId;
}

const takesAway = (one: Asked) =>
  one.method === 'DELETE' || /^(?:delete|remove|revoke|decline)/.test(operationOf(one) ?? '');

/**
 * Types the examples of a group; gives those that failed. What takes something away comes last, for the rest needs
 * it, and first without `--yes`.
 */
async function typeAll(
  group: string,
  all: readonly { path: string; command: Command }[],
  asked: readonly Asked[],
): Promise<string[]> {
  const { known, emails } = await stage(group);
  const removes = ({ command }: { command: Command }) => knownOf(command)?.extras.removes === true;
  const failures: string[] = [];
  for (const one of [...all.filter((some) => !removes(some)), ...all.filter(removes)]) {
    const { path } = one;
    if (endless.test(path)) continue;
    for (const example of linesOf(one)) {
      const valueOf = (name: string) => {
        const value = known[name];
        if (value === undefined) throw new Error(`${example}: what is $${name}?`);
        return value(path);
      };
      const files = filesFor(await valueOf('PROFILE'), await valueOf('GROUP'));
      const { words, from } = await read(example, valueOf);
      const typed = words.flatMap((word) => {
        if (word === '--yes') return [];
        const text = files[word];
        if (text !== undefined) writeFileSync(join(directory, word), text);
        return text !== undefined || word === 'messages.backup'
          ? join(directory, word)
          : word
              .replace('ann@example.com', emails.ann)
              .replace('bob@example.com', emails.bob)
              .replace('dan@example.com', emails.dan)
              .replace('cy@example.com', emails.cy);
      });
      const passwords = path === 'users password' ? 'old-and-new.txt' : 'password.txt';
      const how = {
        url: system().apiUrl,
        configDir: join(directory, group),
        token: (await callerOf(path)).replace('Bearer ', ''),
        stdin: files[from ?? passwords] ?? '',
      };
      if (removes(one)) {
        const { code } = await runHere(typed, how);
        if (code !== 2) failures.push(`${example}: does not ask`);
      }
      const before = asked.length;
      const ended = await runHere(removes(one) ? [...typed, '--yes'] : typed, how);
      called.set(example, new Set(asked.slice(before).map(operationOf)));
      if (asked.slice(before).some(takesAway) !== removes(one)) {
        failures.push(`${example}: a command takes something away if it asks, and only then`);
      }
      if (path === 'messages backup') writeFileSync(join(directory, 'messages.backup'), ended.out);
      if (ended.code !== 0) failures.push(`${example}: ${ended.error}`);
    }
  }
  return failures;
}

/** The examples of a command, and what the documentation shows of it besides. */
function linesOf({ path, command }: { path: string; command: Command }): string[] {
  const samples = [...pathsOfSamples].filter(([, of]) => of === path).map(([sample]) => sample);
  return [...new Set([...examplesOf(command), ...samples])];
}

async function callerOf(path: string): Promise<string> {
  if (forAdmin.test(path)) return admin;
  if (forInvitee.test(path)) return other.as;
  // Each of these ends the tokens before it.
  return path === 'users password' || path === 'sessions revoke-all'
    ? login(changing.email)
    : owner.as;
}

/** A path as the document has it: without a prefix of the older platform's, and trees told apart. */
function documented(path: string): string {
  return path
    .replace(/^\/svcwebhooks/, '')
    .replace(/^\/groups\/([0-7][0-9A-HJKMNP-TV-Z]{25})$/, '/svcauth/groups/$1')
    .replace(/^\/http\/messages\/.*/, '/http/messages');
}

function fits(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

function parametersOf(template: string): number {
  return template.split('{').length;
}
