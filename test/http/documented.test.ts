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
async function ask(id: string, { ids = {}, query = '', body, as: who = as }: Ask = {}) {
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
    await ask('createUser', { body: login });
    await ask('issueToken', { body: login });
    await ask('viewUser', ids(person.id));
    for (const id of ['viewOwnUser', 'listUsers', 'searchUsers', 'listOrgs', 'searchOrgs'])
      await ask(id);
    await ask('updateOwnMetadata', { as: person.as });

    const key = await ask('issueKey');
    await ask('viewKey', ids(String(at(key, 'id'))));
    await ask('listKeys');
    await ask('revokeKey', ids(String(at(key, 'id'))));

    await signIn(person.email);
    const sessions = await ask('listSessions', { as: person.as });
    await ask('endSession', { ...ids(String(at(sessions, 'sessions', 0, 'id'))), as: person.as });
    await ask('endAllSessions', { as: leaving.as });
  });

  it('orgs and invites', async () => {
    const org = last((await ask('createOrg')).headers['location']);
    for (const id of ['viewOrg', 'updateOrg', 'listOrgMembers', 'listOrgInvites', 'viewOrgUsage']) {
      await ask(id, ids(org));
    }
    for (const id of ['listOrgAudit', 'exportOrgAudit']) await ask(id, ids(org));
    await ask('viewOperations', { query: '?range=1h' });
    for (const id of ['listAudit', 'exportAudit']) await ask(id, { query: `?org_id=${org}` });
    await ask('exportOrgAudit', { ...ids(org), query: '?convert=csv' });
    const invited = { email: person.email, role: 'viewer' };
    const invite = last(
      (await ask('createOrgInvite', { ...ids(org), body: invited })).headers['location'],
    );
    await ask('listOrgInvites', ids(org));
    await ask('viewInvite', ids(invite));
    await ask('listReceivedInvites', { ...ids(person.id), as: person.as });
    const admin = String(at(await ask('viewOwnUser'), 'id'));
    await ask('listSentInvites', ids(admin));
    await ask('acceptInvite', { ...ids(invite), as: person.as });
    await ask('changeOrgRoles', {
      ...ids(org),
      body: { org_memberships: [{ email: person.email, role: 'editor' }] },
    });
    await ask('viewOrgMember', { ids: { id: org, memberId: person.id } });
    await ask('removeOrgMembers', { ...ids(org), body: { member_ids: [person.id] } });
    await ask('addOrgMembers', {
      ...ids(estate.orgId),
      body: { org_memberships: [{ email: person.email }] },
    });
    await ask('setOrgQuota', ids(org));

    const platform = last(
      (
        await ask('createPlatformInvite', {
          body: { invitee_email: `${randomUUID()}@example.com` },
        })
      ).headers['location'],
    );
    await ask('listPlatformInvites');
    await ask('viewInvite', ids(platform));
    await ask('revokeInvite', ids(platform));
  });

  it('groups', async () => {
    const { orgId, groupId } = estate;
    const org = last((await ask('createOrg')).headers['location']);
    const one = { ...ids(org), body: { name: 'one' } };
    const group = last((await ask('createGroups', one)).headers['location']);
    await ask('createGroups', ids(org));
    for (const id of ['listGroups', 'searchGroups']) await ask(id);
    for (const id of ['viewGroup', 'listGroupMembers']) await ask(id, ids(group));
    await ask('updateGroup', { ...ids(group), body: { description: 'changed', metadata: null } });
    const set = (role: string) => ({ group_memberships: [{ member_id: person.id, role }] });
    await ask('addGroupMembers', { ...ids(groupId), body: set('viewer') });
    await ask('changeGroupRoles', { ...ids(groupId), body: set('editor') });
    await ask('listGroupMembers', ids(groupId));
    await ask('removeGroupMembers', { ...ids(groupId), body: { member_ids: [person.id] } });
    for (const what of ['Groups', 'Profiles', 'Things']) {
      await ask(`listOrg${what}`, ids(orgId));
      await ask(`searchOrg${what}`, ids(orgId));
    }
    await ask('deleteGroup', ids(group));
    const more = await ask('createGroups', { ...ids(org), body: [{ name: 'spare' }] });
    await ask('deleteGroups', { body: { group_ids: [at(more, 'groups', 0, 'id')] } });
    await ask('deleteOrg', ids(org));
  });

  it('profiles and things', async () => {
    const { groupId, profileId, thingId } = estate;
    const profiles = await ask('createProfiles', ids(groupId));
    const other = String(at(profiles, 'profiles', 0, 'id'));
    for (const id of ['viewProfile', 'viewProfileGroup']) await ask(id, ids(other));
    await ask('previewProfile', { ...ids(groupId), body: { payload: '{"a":1}' } });
    await ask('updateProfile', { ...ids(other), body: { config: { write: true } } });
    for (const id of ['viewThingProfile', 'viewThingGroup']) await ask(id, ids(thingId));
    for (const what of ['Profiles', 'Things']) {
      for (const id of [`list${what}`, `search${what}`]) await ask(id);
      for (const id of [`listGroup${what}`, `searchGroup${what}`]) await ask(id, ids(groupId));
    }
    const external = randomUUID();
    const sensor = { name: 'Pump 7', type: 'sensor', external_key: external };
    const things = await ask('createThings', { ...ids(profileId), body: [sensor] });
    const made = String(at(things, 'things', 0, 'id'));
    for (const id of ['listProfileThings', 'searchProfileThings']) await ask(id, ids(profileId));
    for (const id of ['viewThing', 'updateThing']) await ask(id, ids(made));
    await ask('updateThingsMetadata', { body: [{ id: made, metadata: { a: 1 } }] });
    await ask('moveThing', { ...ids(made), body: { profile_id: other } });
    await ask('identifyThing', { body: { key: external, type: 'external' } });
    await ask('removeExternalKey', ids(made));
    await ask('setExternalKey', { ...ids(made), body: { key: external } });
    await ask('viewOwnMetadata', { as: ownKey() });

    await ask('deleteThing', ids(made));
    const spare = await ask('createThings', {
      ...ids(profileId),
      body: [{ name: 'spare', type: 'device' }],
    });
    await ask('deleteThings', { body: { thing_ids: [at(spare, 'things', 0, 'id')] } });
    await ask('deleteProfile', ids(other));
    const rest = await ask('createProfiles', { ...ids(groupId), body: [{ name: 'spare' }] });
    await ask('deleteProfiles', { body: { profile_ids: [at(rest, 'profiles', 0, 'id')] } });
  });

  it('certificates', async () => {
    const certificate = await ask('issueCertificate', {
      body: { thing_id: estate.thingId, key_type: 'ecdsa' },
    });
    const serial = { ids: { serial: String(at(certificate, 'serial')) } };
    await ask('viewCertificate', serial);
    await ask('listSerials', ids(estate.thingId));
    await ask('renewCertificate', serial);
    await ask('revokeCertificate', serial);
    await ask('viewRevocationList');
  });

  it('webhooks', async () => {
    const { orgId, groupId, thingId } = estate;
    const hook = { name: 'of the document', url: 'https://example.com/hook' };
    const webhooks = await ask('createWebhooks', { ...ids(thingId), body: [hook] });
    const webhook = String(at(webhooks, 0, 'id'));
    await ask('createWebhooks', { ...ids(thingId), body: { webhooks: [hook] } });
    await ask('listThingWebhooks', ids(thingId));
    for (const [place, of] of [
      ['Group', groupId],
      ['Org', orgId],
    ] as const) {
      await ask(`create${place}Webhooks`, { ...ids(of), body: [hook] });
      await ask(`list${place}Webhooks`, ids(of));
    }
    for (const id of ['viewWebhook', 'updateWebhook', 'listWebhookDeliveries'])
      await ask(id, ids(webhook));
    const ping = await ask('pingWebhook', ids(webhook));
    const messageId = String(at(ping, 'message_id'));
    await ask('viewWebhookMessage', { ids: { id: webhook, messageId } });
    await ask('replayWebhook', { ...ids(webhook), body: { failed: true } });
    await ask('deleteWebhooks_delete', { body: { webhook_ids: [webhook] } });
  });

  it('commands', async () => {
    const { groupId, thingId } = estate;
    const command = await ask('commandThing', ids(thingId));
    await ask('commandGroup', ids(groupId));
    await ask('listThingCommands', ids(thingId));
    await ask('listGroupCommands', ids(groupId));
    for (const id of ['viewCommand', 'withdrawCommand'])
      await ask(id, ids(String(at(command, 'id'))));
    const received = await ask('receiveCommands', { as: ownKey() });
    await ask('acknowledgeCommand', {
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
    const rule = await ask('createRule', { ...ids(groupId), body: watched });
    await ask('listGroupRules', ids(groupId));
    await ask('previewRule', { ...ids(groupId), body: { conditions, for: 300 } });
    await ask('listThingRules', ids(thingId));
    await ask('listOrgRules', ids(orgId));
    await ask('listRules');
    await ask('viewRule', ids(String(at(rule, 'id'))));
    await ask('updateRule', { ...ids(String(at(rule, 'id'))), body: { enabled: false } });
    await ask('deleteRule', ids(String(at(rule, 'id'))));
    for (const [place, of] of [
      ['Group', groupId],
      ['Org', orgId],
    ] as const) {
      await ask(`set${place}Receivers`, ids(of));
      await ask(`view${place}Receivers`, ids(of));
    }
  });

  it('alarms and silences', async () => {
    const { thingId, groupId, orgId } = estate;
    const people = new People();
    const values = [{ name: 'temperature', value: 8.4 }];
    const given = { values, endedAt: '2099-01-01T00:00:00Z' };
    const id = await insertAlarm(people, thingId, given);
    await people.close();
    await ask('acknowledgeAlarm', { ids: { id } });
    await ask('viewAlarm', { ids: { id } });
    for (const [place, of] of [
      ['Thing', thingId],
      ['Group', groupId],
      ['Org', orgId],
      ['', ''],
    ]) {
      const path = of === '' ? {} : { ids: { id: of ?? '' } };
      const query = '?state=ended&acknowledged=true&from=-1h&order=severity';
      await ask(`list${place}Alarms`, { ...path, query });
      for (const type of ['csv', 'ndjson']) {
        await ask(`export${place}Alarms`, { ...path, query: `?convert=${type}` });
      }
    }
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const body = { reason: 'maintenance', until, thing_id: thingId };
    const made = await ask('createSilence', { ids: { id: groupId }, body });
    await ask('listSilences', { ids: { id: groupId }, query: '?state=live' });
    await ask('endSilence', { ids: { id: String(at(made, 'id')) } });
  });

  it('dashboards', async () => {
    const { groupId, orgId } = estate;
    let id = '';
    for (const [place, of] of [
      ['Group', groupId],
      ['Org', orgId],
    ]) {
      const within = ids(of ?? '');
      id = String(at(await ask(`create${place}Dashboard`, within), 'id'));
      const query = '?name=cold&order=name&limit=5';
      await ask(`list${place}Dashboards`, { ...within, query });
      await ask(`search${place}Dashboards`, { ...within, body: {} });
    }
    await ask('viewDashboard', ids(id));
    await ask('updateDashboard', ids(id));
    await ask('listDashboardVersions', ids(id));
    await ask('viewDashboardVersion', { ids: { id, version: '1' } });
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const share = await ask('createDashboardShare', {
      ...ids(id),
      body: { name: 'landlord', expires_at: expires },
    });
    await ask('listDashboardShares', ids(id));
    const token = String(at(share, 'token'));
    await ask('viewSharedDashboard', { ids: { token } });
    await ask('readSharedPanel', { ids: { token, panel: 'cold-room' } });
    await ask('deleteDashboardShare', ids(String(at(share, 'id'))));
    await ask('deleteDashboard', ids(id));
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
    await ask('listQueues');
    await ask('viewQueue', { ids: { name: 'mail' } });
    await ask('changeQueue', { ids: { name: 'mail' }, body: { is_paused: false } });
    await ask('listQueueJobs', { ids: { name: 'mail' }, query: '?state=delayed' });
    const job = { ids: { name: 'mail', job: delayed.jobId } };
    await ask('viewQueueJob', job);
    await ask('promoteQueueJob', job);
    await ask('retryQueueJob', { ids: { name: 'webhooks', job: await failed() } });
    await ask('removeQueueJob', { ids: { name: 'webhooks', job: await failed() } });
    await ask('retryFailedJobs', { ids: { name: 'webhooks' } });
    await ask('removeFailedJobs', { ids: { name: 'webhooks' } });
    await mail.close();
    await webhooks.close();
    connection.disconnect();
  });

  it('annotations', async () => {
    const { thingId, groupId } = estate;
    const body = { text: 'New filter', from: '-2h', to: '-1h', thing_id: thingId };
    const made = await ask('createAnnotation', { ids: { id: groupId }, body });
    const query = '?from=-3h&to=now&order=from';
    await ask('listGroupAnnotations', { ids: { id: groupId }, query });
    await ask('listThingAnnotations', { ids: { id: thingId }, query });
    const id = String(at(made, 'id'));
    await ask('viewAnnotation', { ids: { id } });
    await ask('updateAnnotation', { ids: { id } });
    await ask('deleteAnnotation', { ids: { id } });
  });

  it('what is seen of a fleet at a glance', async () => {
    await ask('viewOverview');
    await ask('viewOrgOverview', ids(estate.orgId));
    await ask('viewGroupOverview', ids(estate.groupId));
    await ask('searchThingValues', { body: { things: [estate.thingId] } });
  });

  it('trees of groups', async () => {
    const { thingId } = estate;
    const root = last(
      (await ask('createTreeGroup', { body: { name: 'of the document' } })).headers['location'],
    );
    await ask('createTreeGroup', { body: { name: 'under it', parent_id: root } });
    for (const id of ['viewTreeGroup', 'updateTreeGroup']) await ask(id, ids(root));
    await ask('addTreeMembers', { ...ids(root), body: { members: [thingId], type: 'things' } });
    await ask('addTreeMembers', { ...ids(root), body: { members: [person.id], type: 'users' } });
    for (const id of ['listTreeMembers', 'listTreeUsers', 'listTreeThings'])
      await ask(id, ids(root));
    for (const query of ['', '?tree=true&level=5']) {
      await ask('listTreeChildren', { ...ids(root), query });
      await ask('listTreeParents', { ...ids(root), query });
    }
    await ask('listTreeGroupsOfMember', ids(thingId));
    await ask('removeTreeMembers', { ...ids(root), body: { members: [thingId, person.id] } });
    await ask('deleteTreeGroup', ids(root));
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
    await ask('sendMessages', {
      as: ownKey(),
      body: values.map((value, i) => ({ n: `n${i}`, ...value })),
    });
    const subtopic = { ids: { subtopic: 'hall.one' } };
    await ask('sendMessagesOfSubtopic', {
      ...subtopic,
      as: ownKey(),
      body: [{ temperature: 1, at: { a: null } }],
    });
    for (const id of ['writeLines', 'writeLinesOfVersion2']) await ask(id, { as: ownKey() });
    for (const query of ['', '?verbose=true']) await ask('pingAsInfluxDb', { query });
    for (const id of ['queryInflux', 'queryInflux_post'])
      await ask(id, { query: '?q=SHOW+DATABASES' });
    const publisher = `?publisher=${thingId}`;
    await eventually(async () => {
      const senml = await call('GET', `/reader/senml${publisher}`, { as });
      const inJson = await call('GET', `/reader/json${publisher}`, { as });
      return at(senml, 'total') === values.length && at(inJson, 'total') === 1;
    });
    for (const format of ['senml', 'json']) {
      await ask(`readMessages_${format}`, { query: `${publisher}&limit=2` });
      await ask(`readMessages_${format}`, { query: `${publisher}&latest=true` });
      await ask(`searchMessages_${format}`, { body: { publisher: thingId } });
      await ask(`searchMessages_${format}`, {
        body: [{ publisher: thingId }, { publisher: thingId, tz: 'X' }],
      });
      for (const type of ['json', 'csv', 'ndjson', 'parquet', 'arrow', 'arrows']) {
        await ask(`exportMessages_${format}`, { query: `${publisher}&convert=${type}` });
      }
      const field = format === 'json' ? '&agg_field=temperature' : '';
      const aggregate = `${publisher}&agg_type=avg&agg_interval=hour&agg_fill=null${field}`;
      await ask(`readMessages_${format}`, { query: aggregate });
      await ask(`deleteMessagesOfThing_${format}`, { ids: { publisher: thingId } });
      await ask(`deleteMessages_${format}`, { as: ownKey() });
    }
    await ask('backupMessages');
  });

  it('the service itself', async () => {
    const service = ['viewMetrics', 'viewDocs', 'viewBenchResults'];
    const health = [...operations.keys()].filter((id) => id.startsWith('viewHealth'));
    for (const id of [...service, ...health]) await ask(id);
  });

  it('no operation is left out', async () => {});
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
