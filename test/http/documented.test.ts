import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it } from 'vitest';
import { uuidPattern, uuidV4Pattern } from '../../schemas/http/common.ts';
import { eventually } from '../support/eventually.ts';
import { at, call, json, type Method } from '../support/api/http.ts';
import { insertAlarm } from '../support/fixtures/alarms.ts';
import {
  createEstate,
  type Estate,
  loginAdmin,
  People,
  type Person,
  signIn,
} from '../support/api/people.ts';
import { system } from '../support/system.ts';

const document: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../schemas/client/generated/openapi.json'), 'utf8'),
);
const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addFormat('uuid', new RegExp(uuidPattern));
ajv.addFormat('uuid-v4', new RegExp(uuidV4Pattern));
ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
ajv.addSchema({ ...Object(document), $id: 'document' });

type Operation = { id: string; method: Method; path: string; about: unknown };
const operations = new Map<string, Operation>();
/** The operations whose answer was held against its schema. */
const held = new Set<string>();

let as: string;
let estate: Estate;
let person: Person;
let leaving: Person;

function member(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => Object(inner)[name], value);
}

const methods = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

beforeAll(async () => {
  for (const [path, item] of Object.entries(Object(member(document, 'paths')))) {
    for (const [name, method] of Object.entries(methods)) {
      const about = member(item, name);
      if (about === undefined) continue;
      const id = String(member(about, 'operationId'));
      operations.set(id, { id, method, path, about });
    }
  }
  as = await loginAdmin();
  estate = await createEstate(as);
  const people = new People();
  person = await people.register();
  leaving = await people.register();
  await people.close();
});

type Ask = { ids?: Record<string, string>; query?: string; body?: unknown; as?: string };

/** Asks for an operation by its name, with the document's example for a body; its answer is one of the document's. */
async function mustAnswer(id: string, { ids = {}, query = '', body, as: who = as }: Ask = {}) {
  const operation = operations.get(id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  const { method, path, about } = operation;
  const example = member(about, 'requestBody', 'content', 'application/json', 'example');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? '');
  const sent = body ?? example;
  const answer = await call(method, `${filled}${query}`, {
    as: who,
    ...(sent === undefined ? {} : { body: sent }),
  });
  expect([id, answer.status < 300 ? '' : answer.text]).toEqual([id, '']);
  const said = member(about, 'responses', String(answer.status));
  expect([id, answer.status, said]).not.toContain(undefined);
  const given = answer.headers['content-type'];
  const [type = ''] = typeof given === 'string' ? given.split(';') : [];
  const media = member(said, 'content', type);
  // A place that may answer with or without a body: see the groups.
  if (answer.text !== '') expect([id, type, media]).not.toContain(undefined);
  if (type.endsWith('json') && type !== 'application/x-ndjson' && answer.text !== '') {
    const names = ['paths', path, method.toLowerCase(), 'responses', String(answer.status)];
    const pointer = [...names, 'content', type, 'schema'].map((name) =>
      encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    ajv.validate({ $ref: `document#/${pointer.join('/')}` }, json(answer));
    expect([id, ajv.errors ?? [], answer.text]).toEqual([id, [], answer.text]);
  }
  held.add(id);
  return answer;
}

const ids = (id: string) => ({ ids: { id } });
const last = (location: unknown) => String(location).split('/').at(-1) ?? '';

const ownKey = () => `Thing ${estate.key}`;

describe('responses of the running system match the document, and its examples are accepted:', () => {
  it('users, keys and sessions', async () => {
    const login = { email: `${randomUUID()}@example.com`, password: 'long enough' };
    await mustAnswer('createUser', { body: login });
    await mustAnswer('issueToken', { body: login });
    await mustAnswer('viewUser', ids(person.id));
    for (const id of ['viewOwnUser', 'listUsers', 'searchUsers', 'listOrgs', 'searchOrgs'])
      await mustAnswer(id);
    await mustAnswer('updateOwnMetadata', { as: person.as });

    const key = await mustAnswer('issueKey');
    await mustAnswer('viewKey', ids(String(at(key, 'id'))));
    await mustAnswer('listKeys');
    await mustAnswer('revokeKey', ids(String(at(key, 'id'))));

    await signIn(person.email);
    const sessions = await mustAnswer('listSessions', { as: person.as });
    await mustAnswer('endSession', {
      ...ids(String(at(sessions, 'sessions', 0, 'id'))),
      as: person.as,
    });
    await mustAnswer('endAllSessions', { as: leaving.as });
  });

  it('orgs and invites', async () => {
    const org = last((await mustAnswer('createOrg')).headers['location']);
    for (const id of ['viewOrg', 'updateOrg', 'listOrgMembers', 'listOrgInvites', 'viewOrgUsage']) {
      await mustAnswer(id, ids(org));
    }
    for (const id of ['listOrgAudit', 'exportOrgAudit']) await mustAnswer(id, ids(org));
    await mustAnswer('viewOperations', { query: '?range=1h' });
    for (const id of ['listAudit', 'exportAudit'])
      await mustAnswer(id, { query: `?org_id=${org}` });
    await mustAnswer('exportOrgAudit', { ...ids(org), query: '?convert=csv' });
    const invited = { email: person.email, role: 'viewer' };
    const invite = last(
      (await mustAnswer('createOrgInvite', { ...ids(org), body: invited })).headers['location'],
    );
    await mustAnswer('listOrgInvites', ids(org));
    await mustAnswer('viewInvite', ids(invite));
    await mustAnswer('listReceivedInvites', { ...ids(person.id), as: person.as });
    const admin = String(at(await mustAnswer('viewOwnUser'), 'id'));
    await mustAnswer('listSentInvites', ids(admin));
    await mustAnswer('acceptInvite', { ...ids(invite), as: person.as });
    await mustAnswer('changeOrgRoles', {
      ...ids(org),
      body: { org_memberships: [{ email: person.email, role: 'editor' }] },
    });
    await mustAnswer('viewOrgMember', { ids: { id: org, memberId: person.id } });
    await mustAnswer('removeOrgMembers', { ...ids(org), body: { member_ids: [person.id] } });
    await mustAnswer('addOrgMembers', {
      ...ids(estate.orgId),
      body: { org_memberships: [{ email: person.email }] },
    });
    await mustAnswer('setOrgQuota', ids(org));

    const platform = last(
      (
        await mustAnswer('createPlatformInvite', {
          body: { invitee_email: `${randomUUID()}@example.com` },
        })
      ).headers['location'],
    );
    await mustAnswer('listPlatformInvites');
    await mustAnswer('viewInvite', ids(platform));
    await mustAnswer('revokeInvite', ids(platform));
  });

  it('groups', async () => {
    const { orgId, groupId } = estate;
    const org = last((await mustAnswer('createOrg')).headers['location']);
    const one = { ...ids(org), body: { name: 'one' } };
    const group = last((await mustAnswer('createGroups', one)).headers['location']);
    await mustAnswer('createGroups', ids(org));
    for (const id of ['listGroups', 'searchGroups']) await mustAnswer(id);
    for (const id of ['viewGroup', 'listGroupMembers']) await mustAnswer(id, ids(group));
    await mustAnswer('updateGroup', {
      ...ids(group),
      body: { description: 'changed', metadata: null },
    });
    const set = (role: string) => ({ group_memberships: [{ member_id: person.id, role }] });
    await mustAnswer('addGroupMembers', { ...ids(groupId), body: set('viewer') });
    await mustAnswer('changeGroupRoles', { ...ids(groupId), body: set('editor') });
    await mustAnswer('listGroupMembers', ids(groupId));
    await mustAnswer('removeGroupMembers', { ...ids(groupId), body: { member_ids: [person.id] } });
    for (const what of ['Groups', 'Profiles', 'Things']) {
      await mustAnswer(`listOrg${what}`, ids(orgId));
      await mustAnswer(`searchOrg${what}`, ids(orgId));
    }
    await mustAnswer('deleteGroup', ids(group));
    const more = await mustAnswer('createGroups', { ...ids(org), body: [{ name: 'spare' }] });
    await mustAnswer('deleteGroups', { body: { group_ids: [at(more, 'groups', 0, 'id')] } });
    await mustAnswer('deleteOrg', ids(org));
  });

  it('profiles and things', async () => {
    const { groupId, profileId, thingId } = estate;
    const profiles = await mustAnswer('createProfiles', ids(groupId));
    const other = String(at(profiles, 'profiles', 0, 'id'));
    for (const id of ['viewProfile', 'viewProfileGroup']) await mustAnswer(id, ids(other));
    await mustAnswer('previewProfile', { ...ids(groupId), body: { payload: '{"a":1}' } });
    await mustAnswer('updateProfile', { ...ids(other), body: { config: { write: true } } });
    for (const id of ['viewThingProfile', 'viewThingGroup']) await mustAnswer(id, ids(thingId));
    for (const what of ['Profiles', 'Things']) {
      for (const id of [`list${what}`, `search${what}`]) await mustAnswer(id);
      for (const id of [`listGroup${what}`, `searchGroup${what}`])
        await mustAnswer(id, ids(groupId));
    }
    const external = randomUUID();
    const sensor = { name: 'Pump 7', type: 'sensor', external_key: external };
    const things = await mustAnswer('createThings', { ...ids(profileId), body: [sensor] });
    const made = String(at(things, 'things', 0, 'id'));
    for (const id of ['listProfileThings', 'searchProfileThings'])
      await mustAnswer(id, ids(profileId));
    for (const id of ['viewThing', 'updateThing']) await mustAnswer(id, ids(made));
    await mustAnswer('updateThingsMetadata', { body: [{ id: made, metadata: { a: 1 } }] });
    await mustAnswer('moveThing', { ...ids(made), body: { profile_id: other } });
    await mustAnswer('identifyThing', { body: { key: external, type: 'external' } });
    await mustAnswer('removeExternalKey', ids(made));
    await mustAnswer('setExternalKey', { ...ids(made), body: { key: external } });
    await mustAnswer('viewOwnMetadata', { as: ownKey() });

    await mustAnswer('deleteThing', ids(made));
    const spare = await mustAnswer('createThings', {
      ...ids(profileId),
      body: [{ name: 'spare', type: 'device' }],
    });
    await mustAnswer('deleteThings', { body: { thing_ids: [at(spare, 'things', 0, 'id')] } });
    await mustAnswer('deleteProfile', ids(other));
    const rest = await mustAnswer('createProfiles', { ...ids(groupId), body: [{ name: 'spare' }] });
    await mustAnswer('deleteProfiles', { body: { profile_ids: [at(rest, 'profiles', 0, 'id')] } });
  });

  it('certificates', async () => {
    const certificate = await mustAnswer('issueCertificate', {
      body: { thing_id: estate.thingId, key_type: 'ecdsa' },
    });
    const serial = { ids: { serial: String(at(certificate, 'serial')) } };
    await mustAnswer('viewCertificate', serial);
    await mustAnswer('listSerials', ids(estate.thingId));
    await mustAnswer('renewCertificate', serial);
    await mustAnswer('revokeCertificate', serial);
    await mustAnswer('viewRevocationList');
  });

  it('webhooks', async () => {
    const { orgId, groupId, thingId } = estate;
    const hook = { name: 'of the document', url: 'https://example.com/hook' };
    const webhooks = await mustAnswer('createWebhooks', { ...ids(thingId), body: [hook] });
    const webhook = String(at(webhooks, 0, 'id'));
    await mustAnswer('createWebhooks', { ...ids(thingId), body: { webhooks: [hook] } });
    await mustAnswer('listThingWebhooks', ids(thingId));
    for (const [place, of] of [
      ['Group', groupId],
      ['Org', orgId],
    ] as const) {
      await mustAnswer(`create${place}Webhooks`, { ...ids(of), body: [hook] });
      await mustAnswer(`list${place}Webhooks`, ids(of));
    }
    for (const id of ['viewWebhook', 'updateWebhook', 'listWebhookDeliveries'])
      await mustAnswer(id, ids(webhook));
    const ping = await mustAnswer('pingWebhook', ids(webhook));
    const messageId = String(at(ping, 'message_id'));
    await mustAnswer('viewWebhookMessage', { ids: { id: webhook, messageId } });
    await mustAnswer('replayWebhook', { ...ids(webhook), body: { failed: true } });
    await mustAnswer('deleteWebhooks_delete', { body: { webhook_ids: [webhook] } });
  });

  it('commands', async () => {
    const { groupId, thingId } = estate;
    const command = await mustAnswer('commandThing', ids(thingId));
    await mustAnswer('commandGroup', ids(groupId));
    await mustAnswer('listThingCommands', ids(thingId));
    await mustAnswer('listGroupCommands', ids(groupId));
    for (const id of ['viewCommand', 'withdrawCommand'])
      await mustAnswer(id, ids(String(at(command, 'id'))));
    const received = await mustAnswer('receiveCommands', { as: ownKey() });
    await mustAnswer('acknowledgeCommand', {
      ...ids(String(at(received, 'commands', 0, 'id'))),
      as: ownKey(),
    });
  });

  it('rules and receivers', async () => {
    const { orgId, groupId, thingId } = estate;
    const conditions = [
      { name: 'temperature', when: '>', value: 8, clear: { when: '<', value: 6 } },
    ];
    const watched = { name: 'cold room', conditions, for: 300, thing_ids: [thingId] };
    const rule = await mustAnswer('createRule', { ...ids(groupId), body: watched });
    await mustAnswer('listGroupRules', ids(groupId));
    await mustAnswer('previewRule', { ...ids(groupId), body: { conditions, for: 300 } });
    await mustAnswer('listThingRules', ids(thingId));
    await mustAnswer('listOrgRules', ids(orgId));
    await mustAnswer('listRules');
    await mustAnswer('viewRule', ids(String(at(rule, 'id'))));
    await mustAnswer('updateRule', { ...ids(String(at(rule, 'id'))), body: { enabled: false } });
    await mustAnswer('deleteRule', ids(String(at(rule, 'id'))));
    for (const [place, of] of [
      ['Group', groupId],
      ['Org', orgId],
    ] as const) {
      await mustAnswer(`set${place}Receivers`, ids(of));
      await mustAnswer(`view${place}Receivers`, ids(of));
    }
  });

  it('alarms and silences', async () => {
    const { thingId, groupId, orgId } = estate;
    const people = new People();
    const values = [{ name: 'temperature', value: 8.4 }];
    const given = { values, endedAt: '2099-01-01T00:00:00Z' };
    const id = await insertAlarm(people, thingId, given);
    await people.close();
    await mustAnswer('acknowledgeAlarm', { ids: { id } });
    await mustAnswer('viewAlarm', { ids: { id } });
    for (const [place, of] of [
      ['Thing', thingId],
      ['Group', groupId],
      ['Org', orgId],
      ['', ''],
    ]) {
      const path = of === '' ? {} : { ids: { id: of ?? '' } };
      const query = '?state=ended&acknowledged=true&from=-1h&order=severity';
      await mustAnswer(`list${place}Alarms`, { ...path, query });
      for (const type of ['csv', 'ndjson']) {
        await mustAnswer(`export${place}Alarms`, { ...path, query: `?convert=${type}` });
      }
    }
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const body = { reason: 'maintenance', until, thing_id: thingId };
    const made = await mustAnswer('createSilence', { ids: { id: groupId }, body });
    await mustAnswer('listSilences', { ids: { id: groupId }, query: '?state=live' });
    await mustAnswer('endSilence', { ids: { id: String(at(made, 'id')) } });
  });

  it('dashboards', async () => {
    const { groupId, orgId } = estate;
    let id = '';
    for (const [place, of] of [
      ['Group', groupId],
      ['Org', orgId],
    ]) {
      const within = ids(of ?? '');
      id = String(at(await mustAnswer(`create${place}Dashboard`, within), 'id'));
      const query = '?name=cold&order=name&limit=5';
      await mustAnswer(`list${place}Dashboards`, { ...within, query });
      await mustAnswer(`search${place}Dashboards`, { ...within, body: {} });
    }
    await mustAnswer('viewDashboard', ids(id));
    await mustAnswer('updateDashboard', ids(id));
    await mustAnswer('listDashboardVersions', ids(id));
    await mustAnswer('viewDashboardVersion', { ids: { id, version: '1' } });
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const share = await mustAnswer('createDashboardShare', {
      ...ids(id),
      body: { name: 'landlord', expires_at: expires },
    });
    await mustAnswer('listDashboardShares', ids(id));
    const token = String(at(share, 'token'));
    await mustAnswer('viewSharedDashboard', { ids: { token } });
    await mustAnswer('readSharedPanel', { ids: { token, panel: 'cold-room' } });
    await mustAnswer('deleteDashboardShare', ids(String(at(share, 'id'))));
    await mustAnswer('deleteDashboard', ids(id));
  });

  it('queues', async () => {
    const connection = new Redis(system().redisUrl, { maxRetriesPerRequest: null });
    const mail = new Queue('mail', { connection });
    const webhooks = new Queue('webhooks', { connection });
    const failed = async () => {
      const job = await webhooks.add('message', { no: 'message' });
      await eventually(async () => (await job.getState()) === 'failed');
      return job.id ?? '';
    };
    const data = { to: person.email, subject: 'Of the document', text: 'text' };
    const delayed = { jobId: `job-${randomUUID()}`, delay: 86_400_000 };
    await mail.add('mail', data, delayed);
    await mustAnswer('listQueues');
    await mustAnswer('viewQueue', { ids: { name: 'mail' } });
    await mustAnswer('changeQueue', { ids: { name: 'mail' }, body: { is_paused: false } });
    await mustAnswer('listQueueJobs', { ids: { name: 'mail' }, query: '?state=delayed' });
    const job = { ids: { name: 'mail', job: delayed.jobId } };
    await mustAnswer('viewQueueJob', job);
    await mustAnswer('promoteQueueJob', job);
    await mustAnswer('retryQueueJob', { ids: { name: 'webhooks', job: await failed() } });
    await mustAnswer('removeQueueJob', { ids: { name: 'webhooks', job: await failed() } });
    await mustAnswer('retryFailedJobs', { ids: { name: 'webhooks' } });
    await mustAnswer('removeFailedJobs', { ids: { name: 'webhooks' } });
    await mail.close();
    await webhooks.close();
    connection.disconnect();
  });

  it('annotations', async () => {
    const { thingId, groupId } = estate;
    const body = { text: 'New filter', from: '-2h', to: '-1h', thing_id: thingId };
    const made = await mustAnswer('createAnnotation', { ids: { id: groupId }, body });
    const query = '?from=-3h&to=now&order=from';
    await mustAnswer('listGroupAnnotations', { ids: { id: groupId }, query });
    await mustAnswer('listThingAnnotations', { ids: { id: thingId }, query });
    const id = String(at(made, 'id'));
    await mustAnswer('viewAnnotation', { ids: { id } });
    await mustAnswer('updateAnnotation', { ids: { id } });
    await mustAnswer('deleteAnnotation', { ids: { id } });
  });

  it('what is seen of a fleet at a glance', async () => {
    await mustAnswer('viewOverview');
    await mustAnswer('viewOrgOverview', ids(estate.orgId));
    await mustAnswer('viewGroupOverview', ids(estate.groupId));
    await mustAnswer('searchThingValues', { body: { things: [estate.thingId] } });
  });

  it('the next message of a thing', async () => {
    const { thingId, key } = await createEstate(as);
    let hasCome = false;
    const next = mustAnswer('awaitNextMessage', ids(thingId)).then((answer) => {
      hasCome = true;
      return answer;
    });
    await eventually(async () => {
      await mustAnswer('sendMessages', { as: `Thing ${key}` });
      return hasCome;
    });
    expect(at(await next, 'message', 'accepted')).toBe(true);
  });

  it('trees of groups', async () => {
    const { thingId } = estate;
    const root = last(
      (await mustAnswer('createTreeGroup', { body: { name: 'of the document' } })).headers[
        'location'
      ],
    );
    await mustAnswer('createTreeGroup', { body: { name: 'under it', parent_id: root } });
    for (const id of ['viewTreeGroup', 'updateTreeGroup']) await mustAnswer(id, ids(root));
    await mustAnswer('addTreeMembers', {
      ...ids(root),
      body: { members: [thingId], type: 'things' },
    });
    await mustAnswer('addTreeMembers', {
      ...ids(root),
      body: { members: [person.id], type: 'users' },
    });
    for (const id of ['listTreeMembers', 'listTreeUsers', 'listTreeThings'])
      await mustAnswer(id, ids(root));
    for (const query of ['', '?tree=true&level=5']) {
      await mustAnswer('listTreeChildren', { ...ids(root), query });
      await mustAnswer('listTreeParents', { ...ids(root), query });
    }
    await mustAnswer('listTreeGroupsOfMember', ids(thingId));
    await mustAnswer('removeTreeMembers', {
      ...ids(root),
      body: { members: [thingId, person.id] },
    });
    await mustAnswer('deleteTreeGroup', ids(root));
  });

  it('messages', async () => {
    const { thingId } = estate;
    const values = [
      { v: 1 },
      { vs: 'a' },
      { vb: true },
      { vd: 'YQ' },
      { v: 2, s: 3, u: 'Cel', ut: 4 },
    ];
    await mustAnswer('sendMessages', {
      as: ownKey(),
      body: values.map((value, i) => ({ n: `n${i}`, ...value })),
    });
    const subtopic = { ids: { subtopic: 'hall.one' } };
    await mustAnswer('sendMessagesOfSubtopic', {
      ...subtopic,
      as: ownKey(),
      body: [{ temperature: 1, at: { a: null } }],
    });
    for (const id of ['writeLines', 'writeLinesOfVersion2']) await mustAnswer(id, { as: ownKey() });
    for (const query of ['', '?verbose=true']) await mustAnswer('pingAsInfluxDb', { query });
    for (const id of ['queryInflux', 'queryInflux_post'])
      await mustAnswer(id, { query: '?q=SHOW+DATABASES' });
    const publisher = `?publisher=${thingId}`;
    await eventually(async () => {
      const senml = await call('GET', `/reader/senml${publisher}`, { as });
      const inJson = await call('GET', `/reader/json${publisher}`, { as });
      return at(senml, 'total') === values.length && at(inJson, 'total') === 1;
    });
    for (const format of ['senml', 'json']) {
      await mustAnswer(`readMessages_${format}`, { query: `${publisher}&limit=2` });
      await mustAnswer(`readMessages_${format}`, { query: `${publisher}&latest=true` });
      const series = format === 'json' ? 'agg_field=temperature' : 'name=n0';
      const changes = `${publisher}&changes=true&${series}`;
      await mustAnswer(`readMessages_${format}`, { query: changes });
      await mustAnswer(`searchMessages_${format}`, { body: { publisher: thingId } });
      await mustAnswer(`searchMessages_${format}`, {
        body: [{ publisher: thingId }, { publisher: thingId, tz: 'X' }],
      });
      for (const type of ['json', 'csv', 'ndjson', 'parquet', 'arrow', 'arrows']) {
        await mustAnswer(`exportMessages_${format}`, { query: `${publisher}&convert=${type}` });
      }
      const field = format === 'json' ? '&agg_field=temperature' : '';
      const aggregate = `${publisher}&agg_type=avg&agg_interval=hour&agg_fill=null${field}`;
      await mustAnswer(`readMessages_${format}`, { query: aggregate });
      await mustAnswer(`deleteMessagesOfThing_${format}`, { ids: { publisher: thingId } });
      await mustAnswer(`deleteMessages_${format}`, { as: ownKey() });
    }
    await mustAnswer('backupMessages');
  });

  it('the service itself', async () => {
    const service = ['viewMetrics', 'viewDocs', 'viewBenchResults'];
    const health = [...operations.keys()].filter((id) => id.startsWith('viewHealth'));
    for (const id of [...service, ...health]) await mustAnswer(id);
  });

  it('no operation is left out', () => {
    // These have no answer to hold against a schema but an empty one, or one without an end, and tests of their own.
    const elsewhere = [
      'changeOwnPassword',
      'declineInvite',
      'registerByInvite',
      'deleteWebhooks_patch',
      'restoreMessages',
      'followMessages_senml',
      'followMessages_json',
      // test/alarms/live.test.ts
      'followGroupAlarms',
      'followOrgAlarms',
      'followAlarms',
    ];
    const left = [...operations.keys()].filter((id) => !held.has(id) && !elsewhere.includes(id));
    expect(left).toEqual([]);
  });
});

it('the refusals of bodies that an operation does not take are in the document, for each of them', async () => {
  const bodies = [
    { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { raw: '{', headers: { 'content-type': 'application/json' } },
    { raw: '{"a":1}', headers: { 'content-type': 'application/json', 'content-encoding': 'br' } },
  ];
  const missing: unknown[] = [];
  for (const { id, method, path, about } of operations.values()) {
    if (method === 'GET') continue;
    const filled = path.replaceAll(/\{\w+\}/g, () => randomUUID());
    for (const sent of bodies) {
      const { status } = await call(method, filled, { as, ...sent });
      if (member(about, 'responses', String(status)) === undefined) missing.push([id, status]);
    }
  }
  expect(missing).toEqual([]);
});
