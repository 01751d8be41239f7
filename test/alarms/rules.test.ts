import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';

const people = new People();
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';
const warm = { name: 'temperature', when: '>', value: 8 };

let owner: Person;
let editor: Person;
let viewer: Person;
let estate: Estate;

beforeAll(async () => {
  owner = await people.register();
  estate = await createEstate(owner.as);
  editor = await people.member('group', estate.groupId, 'editor');
  viewer = await people.member('group', estate.groupId, 'viewer');
});

afterAll(() => people.close());

const ask = (body: object, groupId = estate.groupId) =>
  call('POST', `/groups/${groupId}/rules`, { as: editor.as, body });
const create = async (rule: object = {}, groupId = estate.groupId) =>
  textAt(await ask({ name: 'cold room', conditions: [warm], ...rule }, groupId), 'id');
const view = async (id: string, { as } = editor) =>
  Object(json(await call('GET', `/rules/${id}`, { as })));
const change = (id: string, body: object) => call('PUT', `/rules/${id}`, { as: editor.as, body });

async function newWebhook(path: string): Promise<string> {
  const body = [{ name: randomUUID(), url: 'https://example.com/hook' }];
  return textAt(await call('POST', `${path}/webhooks`, { as: owner.as, body }), 0, 'id');
}

describe('a rule', () => {
  it('is made with defaults, shown, changed member by member, and told in the audit log', async () => {
    const made = await ask({ name: 'cold room', conditions: [warm] });
    expect(made.status).toBe(201);
    const id = textAt(made, 'id');
    expect(made.headers['location']).toBe(`/rules/${id}`);
    const plain = {
      id,
      group_id: estate.groupId,
      name: 'cold room',
      enabled: true,
      match: 'all',
      conditions: [warm],
      for: 0,
      clear_for: 0,
      severity: 'warning',
      metadata: {},
      firing: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect(json(made)).toEqual(plain);
    expect(await view(id)).toEqual(plain);

    const whole = {
      name: 'colder room',
      match: 'any',
      conditions: [{ ...warm, subtopic: 'north', clear: { when: '<', value: 6 } }, warm],
      for: 300,
      clear_for: 60,
      gap: 900,
      severity: 'critical',
      repeat_every: 3_600,
      profile_id: estate.profileId,
      thing_ids: [estate.thingId],
      receivers: { mails: ['night.shift@example.com'] },
      metadata: { room: 3 },
    };
    const answer = await change(id, whole);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await view(id)).toEqual({ ...plain, ...whole });
    const cleared = ['gap', 'repeat_every', 'profile_id', 'thing_ids', 'receivers'];
    await change(id, Object.fromEntries(cleared.map((member) => [member, null])));
    const { gap: _, repeat_every: __, profile_id: ___, thing_ids: ____, ...rest } = whole;
    const { receivers: _____, ...left } = rest;
    expect(await view(id)).toEqual({ ...plain, ...left });

    expect((await call('DELETE', `/rules/${id}`, { as: editor.as })).status).toBe(204);
    expect((await call('GET', `/rules/${id}`, { as: editor.as })).status).toBe(404);
    const path = `/orgs/${estate.orgId}/audit?kind=rule&entity_id=${id}`;
    const { entries } = Object(json(await call('GET', path, { as: owner.as })));
    expect(entries).toMatchObject([
      { action: 'delete', group_id: estate.groupId, entity_name: 'colder room' },
      { action: 'update', changes: { gap: { from: '900' }, thing_ids: {}, receivers: {} } },
      {
        action: 'update',
        changes: { for: { from: '0', to: '300' }, severity: { from: 'warning', to: 'critical' } },
      },
      { action: 'create', changes: { severity: { to: 'warning' } } },
    ]);
  });

  it('shows its receivers to editors and above only', async () => {
    const webhook = await newWebhook(`/groups/${estate.groupId}`);
    const receivers = { mails: ['night@example.com'], webhook_ids: [webhook] };
    const id = await create({ receivers });
    expect((await view(id))['receivers']).toEqual(receivers);
    expect(await view(id, viewer)).not.toHaveProperty('receivers');
    for (const path of [`/groups/${estate.groupId}/rules`, `/things/${estate.thingId}/rules`]) {
      const listed = async ({ as }: Person) =>
        Object(json(await call('GET', `${path}?limit=100`, { as }))).rules.find(
          (one: { id: string }) => one.id === id,
        );
      expect((await listed(editor)).receivers).toEqual(receivers);
      expect(await listed(viewer)).not.toHaveProperty('receivers');
    }
  });

  it('is listed by group in any order, and by thing where it is about the thing', async () => {
    const { groupId, profileId, thingId } = await createEstate(owner.as);
    await people.join('group', groupId, editor, 'editor');
    const body = [{ name: 'other' }];
    const other = await createdAt(`/groups/${groupId}/profiles`, owner.as, body);
    const [stranger] = await createThings(owner.as, other, [{ name: 'other', type: 'device' }]);
    const make = (name: string, rule: object) => create({ name, ...rule }, groupId);
    await make('of all', { severity: 'info' });
    await make('of the profile', { profile_id: profileId, severity: 'critical' });
    await make('of a list', { thing_ids: [thingId], metadata: { a: 1 } });
    await make('of the other', { thing_ids: [stranger?.id], enabled: false });
    const names = async (path: string) => {
      const { rules, total } = Object(json(await call('GET', path, { as: viewerOf })));
      expect(total).toBe(rules.length);
      return rules.map(({ name }: { name: string }) => name);
    };
    const viewerOf = (await people.member('group', groupId, 'viewer')).as;
    expect(await names(`/groups/${groupId}/rules?order=severity&dir=asc&name=OF%20`)).toEqual(
      expect.arrayContaining(['of all', 'of the profile', 'of a list', 'of the other']),
    );
    const bySeverity = await names(`/groups/${groupId}/rules?order=severity`);
    expect([bySeverity[0], bySeverity[3]]).toEqual(['of the profile', 'of all']);
    expect(await names(`/groups/${groupId}/rules?metadata={"a":1}`)).toEqual(['of a list']);
    expect(await names(`/things/${thingId}/rules?order=name&dir=asc`)).toEqual([
      'of a list',
      'of all',
      'of the profile',
    ]);
    expect(await names(`/things/${stranger?.id}/rules?order=name&dir=asc`)).toEqual([
      'of all',
      'of the other',
    ]);
  });

  it('is listed by org, and of all, in the groups that one is in, with the rights that one has in each', async () => {
    const { orgId, groupId } = await createEstate(owner.as);
    const hidden = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'hidden' });
    const far = await createEstate(owner.as);
    const guest = await people.member('group', groupId, 'viewer');
    await people.join('org', orgId, guest, 'viewer');
    await people.join('org', far.orgId, guest, 'viewer');
    await people.join('group', far.groupId, guest, 'editor');
    const receivers = { mails: ['night@example.com'] };
    for (const [name, group] of [
      ['here', groupId],
      ['hidden', hidden],
      ['far', far.groupId],
    ] as const) {
      const body = { name, conditions: [warm], receivers };
      await createdAt(`/groups/${group}/rules`, owner.as, body);
    }
    const told = async (path: string, { as }: Person) => {
      const { rules, total } = Object(json(await call('GET', path, { as })));
      expect(total).toBe(rules.length);
      return rules.map((one: object) => [Object(one).name, 'receivers' in one]);
    };
    expect(await told('/rules?order=name&dir=asc', guest)).toEqual([
      ['far', true],
      ['here', false],
    ]);
    expect(await told('/rules?name=HERE', guest)).toEqual([['here', false]]);
    expect(await told(`/orgs/${orgId}/rules`, guest)).toEqual([['here', false]]);
    expect(await told(`/orgs/${orgId}/rules?order=name&dir=asc`, owner)).toEqual([
      ['here', true],
      ['hidden', true],
    ]);
    const stranger = await people.register();
    expect(await told('/rules', stranger)).toEqual([]);
    expect((await call('GET', `/orgs/${orgId}/rules`, { as: stranger.as })).status).toBe(403);
  });

  it('names but what is of its group, or webhooks of its org', async () => {
    const foreign = await createEstate(owner.as);
    const { orgId, groupId, thingId, profileId } = estate;
    const ofThing = await newWebhook(`/things/${thingId}`);
    const ofForeign = await newWebhook(`/groups/${foreign.groupId}`);
    const [ofGroup, ofOrg] = [
      await newWebhook(`/groups/${groupId}`),
      await newWebhook(`/orgs/${orgId}`),
    ];
    const id = await create({
      profile_id: profileId,
      receivers: { webhook_ids: [ofGroup.toUpperCase(), ofOrg, ofGroup] },
    });
    expect((await view(id))['receivers']).toEqual({ webhook_ids: [ofGroup, ofOrg] });
    const wrong: [object, string][] = [
      [{ profile_id: foreign.profileId }, 'profile_id: is none of the group'],
      [{ thing_ids: [thingId, foreign.thingId] }, 'thing_ids.1: is no thing of the group'],
      [{ thing_ids: [absent] }, 'thing_ids.0: is no thing of the group'],
      [
        { receivers: { webhook_ids: [ofGroup, ofForeign] } },
        'receivers.webhook_ids.1: is no webhook of the group or of its org',
      ],
      [
        { receivers: { webhook_ids: [ofThing] } },
        'receivers.webhook_ids.0: is no webhook of the group or of its org',
      ],
    ];
    for (const [members, why] of wrong) {
      const made = await ask({ name: 'rule', conditions: [warm], ...members });
      const updated = await change(id, members);
      for (const answer of [made, updated]) {
        expect([answer.status, at(answer, 'error')]).toEqual([400, expect.stringContaining(why)]);
      }
    }
    // A thing that it named is gone: the rest can be changed.
    const [gone] = await createThings(owner.as, profileId, [{ name: 'gone', type: 'device' }]);
    const listed = await create({ thing_ids: [gone?.id] });
    await call('DELETE', `/things/${gone?.id}`, { as: owner.as });
    expect((await change(listed, { for: 5 })).status).toBe(200);
  });

  it('is one of a hundred in a group, and counts for the quota of the org', async () => {
    const { orgId, groupId } = await createEstate(owner.as);
    await people.join('group', groupId, editor, 'editor');
    await people.rows(
      `INSERT INTO rules (id, group_id, name, match, conditions, for_s, clear_for_s, severity)
       SELECT gen_random_uuid(), $1, 'rule', 'all', '[{"name":"t","when":">","value":1}]', 0, 0, 'info'
       FROM generate_series(1, 99)`,
      [groupId],
    );
    const admin = await loginAdmin();
    const limit = (rules: number | null) =>
      call('PUT', `/orgs/${orgId}/quota`, { as: admin, body: { rules } });
    expect((await limit(99)).status).toBe(200);
    const over = await ask({ name: 'rule', conditions: [warm] }, groupId);
    expect([over.status, at(over, 'error')]).toEqual([
      409,
      expect.stringContaining('the org may have no more rules: its quota'),
    ]);
    const usage = await call('GET', `/orgs/${orgId}/usage`, { as: owner.as });
    expect([at(usage, 'rules'), at(usage, 'quota')]).toEqual([99, { rules: 99 }]);
    await limit(null);
    await create({}, groupId);
    const [one, other] = await Promise.all([
      ask({ name: 'a', conditions: [warm] }, groupId),
      ask({ name: 'b', conditions: [warm] }, groupId),
    ]);
    for (const answer of [one, other]) {
      expect([answer.status, at(answer, 'error')]).toEqual([
        409,
        expect.stringContaining('a group has at most 100 rules'),
      ]);
    }
  });
});

describe('a rule that makes no sense is refused by the name of its member', () => {
  const silent = { when: 'silent' };
  const t = { name: 't' };
  it.each<[string, object]>([
    ['conditions.0.name: name or path is needed', { conditions: [{ when: '>', value: 1 }] }],
    [
      'conditions.1.path: name and path exclude each other',
      { conditions: [warm, { ...t, path: 't', when: '>', value: 1 }] },
    ],
    ['conditions.1.when: silent stands alone', { conditions: [warm, silent], for: 60 }],
    ['conditions.0.name: silent has none', { conditions: [{ ...silent, name: 't' }], for: 60 }],
    ['conditions.0.value: silent has none', { conditions: [{ ...silent, value: 1 }], for: 60 }],
    [
      'conditions.0.clear: silent has none',
      { conditions: [{ ...silent, clear: { when: '>', value: 1 } }], for: 60 },
    ],
    ['for: of silent it is 10 seconds or more', { conditions: [silent], for: 9 }],
    ['for: of silent it is 10 seconds or more', { conditions: [silent] }],
    ['clear_for: silence is over', { conditions: [silent], for: 60, clear_for: 5 }],
    ['gap: silent has none', { conditions: [silent], for: 60, gap: 5 }],
    ['conditions.0.value: > needs it', { conditions: [{ ...t, when: '>' }] }],
    [
      'conditions.0.value: >= compares with a number',
      { conditions: [{ ...t, when: '>=', value: '8' }] },
    ],
    ['conditions.0.value: == needs it', { conditions: [{ ...t, when: '==' }] }],
    [
      'conditions.0.low: < has a value alone',
      { conditions: [{ ...t, when: '<', value: 1, low: 0 }] },
    ],
    ['conditions.0.low: between needs it', { conditions: [{ ...t, when: 'between', high: 1 }] }],
    ['conditions.0.high: outside needs it', { conditions: [{ ...t, when: 'outside', low: 1 }] }],
    [
      'conditions.0.high: must not be less than low',
      { conditions: [{ ...t, when: 'between', low: 2, high: 1 }] },
    ],
    [
      'conditions.0.value: between has low and high',
      { conditions: [{ ...t, when: 'between', low: 1, high: 2, value: 1 }] },
    ],
    [
      'conditions.0.clear.value: must be a number',
      { conditions: [{ ...warm, clear: { when: '==', value: 'off' } }] },
    ],
    [
      'conditions.0.clear.value: must be a string',
      { conditions: [{ ...t, when: '==', value: 'on', clear: { when: '<', value: 1 } }] },
    ],
    ['conditions.0.clear.value: < needs it', { conditions: [{ ...warm, clear: { when: '<' } }] }],
    [
      'conditions.0.clear: can hold for a value that is in breach',
      { conditions: [{ ...warm, clear: { when: '<', value: 8.1 } }] },
    ],
    ['name: must not hold control characters', { name: 'a\nb' }],
    ['conditions.0.name: must not hold control', { conditions: [{ ...warm, name: 'a\tb' }] }],
    [
      'conditions.0.value: must not hold control',
      { conditions: [{ ...t, when: '==', value: 'a\u0001' }] },
    ],
    ['conditions.0.subtopic: must not hold *', { conditions: [{ ...warm, subtopic: 'a.*' }] }],
    ['conditions.0.subtopic: is written "a.b"', { conditions: [{ ...warm, subtopic: 'a/b' }] }],
    ['conditions', { conditions: [] }],
    ['when', { conditions: [{ ...t, when: '=>', value: 1 }] }],
    ['mails', { receivers: { mails: ['nobody'] } }],
    ['repeat_every', { repeat_every: 5 }],
  ])('%s', async (why, members) => {
    const answer = await ask({ name: 'rule', conditions: [warm], ...members });
    expect([answer.status, at(answer, 'error')]).toEqual([400, expect.stringContaining(why)]);
  });

  it('also where a change of one member makes it so', async () => {
    const id = await create({ for: 5, clear_for: 5 });
    const answer = await change(id, { conditions: [silent] });
    expect([answer.status, at(answer, 'error')]).toEqual([400, expect.stringContaining('for: ')]);
    const whole = await change(id, { conditions: [silent], for: 60, clear_for: 0 });
    expect(whole.status).toBe(200);
  });
});

describe('default receivers', () => {
  it('are those of the group, else of the org, and show to who may set them', async () => {
    const { orgId, groupId } = estate;
    const [ofGroup, ofOrg] = [`/groups/${groupId}`, `/orgs/${orgId}`].map(
      (path) => `${path}/alarm-receivers`,
    );
    const set = (path = '', as: string, receivers: unknown) =>
      call('PUT', path, { as, body: { receivers } });
    const read = async (path = '', as: string) => json(await call('GET', path, { as }));
    expect(await read(ofGroup, editor.as)).toEqual({});
    const receivers = { mails: ['night@example.com'] };
    expect((await set(ofGroup, editor.as, receivers)).status).toBe(200);
    expect((await set(ofOrg, owner.as, {})).status).toBe(200);
    expect(await read(ofGroup, editor.as)).toEqual({ receivers });
    expect(await read(ofOrg, owner.as)).toEqual({ receivers: {} });
    const hook = await newWebhook(`/groups/${groupId}`);
    expect((await set(ofGroup, editor.as, { webhook_ids: [hook] })).status).toBe(200);
    const refused = await set(ofOrg, owner.as, { webhook_ids: [hook] });
    expect([refused.status, at(refused, 'error')]).toEqual([
      400,
      expect.stringContaining('receivers.webhook_ids.0: is no webhook of the org'),
    ]);
    expect((await set(ofGroup, editor.as, null)).status).toBe(200);
    expect(await read(ofGroup, editor.as)).toEqual({});
    for (const [path, as] of [
      [ofGroup, viewer.as],
      [ofOrg, editor.as],
    ]) {
      expect((await call('GET', path ?? '', { as: as ?? '' })).status).toBe(403);
    }
    const log = `/orgs/${orgId}/audit?kind=alarm_receivers&entity_id=${groupId}`;
    const { entries } = Object(json(await call('GET', log, { as: owner.as })));
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'delete',
      'update',
      'create',
    ]);
  });
});
