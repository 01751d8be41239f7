import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { ulid } from 'ulid';
import { system } from '../../support/system.ts';
import { at, call, textAt, wallOff } from '../../support/api/http.ts';
import {
  createdAt,
  createThings,
  loginAdmin,
  People,
  type Person,
  signIn,
} from '../../support/api/people.ts';
import { insertAlarm } from '../../support/fixtures/alarms.ts';
import { type CallerName, callerKind, callerNames, type PlaceName } from './callers.ts';

/** What stands at a place, and what is made afresh for a request that changes it. */
export type Place = {
  owner: Person;
  orgId: string;
  groupId: string;
  profileId: string;
  /** Another profile of the group. */
  otherProfileId: string;
  thingId: string;
  key: string;
  /** Of the thing's certificate. */
  serial: string;
  /** Of the thing. */
  webhookId: string;
  /** To the thing. */
  commandId: string;
  /** Of the thing; it goes on. */
  alarmId: string;
  /** Of the group. */
  silenceId: string;
  /** Of the group. */
  ruleId: string;
  /** Of the group. */
  dashboardId: string;
  /** Of the group. */
  annotationId: string;
  /** Of the dashboard. */
  shareId: string;
  shareToken: string;
  /** A viewer of the org, and one of the group. */
  orgMember: Person;
  groupMember: Person;
  /** Has a child, and the org's viewer and the thing for members. */
  treeId: string;
  /** The owner's key. */
  keyId: string;
  /** A browser that the owner is signed in with. */
  sessionId: string;
  invitee: Person;
  /** Of the invitee, by the owner. */
  inviteId: string;
  platformInvite: { id: string; email: string };
};

/** What a request that changes something may need of its own. */
export type Fresh =
  | 'org'
  /** With a group in which everyone has the role they have in the org. */
  | 'orgWithGroup'
  | 'group'
  | 'profile'
  | 'thing'
  | 'certificate'
  | 'webhook'
  | 'command'
  | 'alarm'
  | 'silence'
  | 'rule'
  | 'dashboard'
  | 'annotation'
  | 'share'
  | 'tree'
  | 'treeWithMembers'
  | 'key'
  | 'session'
  | 'invite'
  | 'platformInvite';

export type World = {
  people: People;
  admin: string;
  /** In the name or e-mail of everything that stands, and of nothing made afresh. */
  mark: string;
  places: Readonly<Record<PlaceName, Place>>;
  /** The `Authorization` of each caller who has one. */
  credentials: ReadonlyMap<CallerName, string>;
  persons: ReadonlyMap<CallerName, Person>;
  /** Registered, and a member of nothing. */
  newcomer: Person;
  /** The place with something in it made for one request alone. */
  freshen(place: Place, what: Fresh): Promise<Place>;
};

const absentId = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

export async function createWorld(): Promise<World> {
  const people = new People();
  const admin = await loginAdmin();
  const mark = `standing-${randomUUID().slice(0, 8)}`;
  const canary = `canary-${randomUUID()}`;
  const register = (name: string) => people.register(`${mark}-${name}@example.com`);

  const [newcomer, bystander, foreignOwner, foreignMember] = await Promise.all([
    register('newcomer'),
    register('bystander'),
    register(`${canary}-owner`),
    register(`${canary}-member`),
  ]);
  const persons = new Map<CallerName, Person>();
  for (const name of callerNames) {
    if (callerKind(name).credential === 'token' && name !== 'platform admin') {
      persons.set(name, await register(name.replaceAll(' ', '-')));
    }
  }
  const person = (name: CallerName) => persons.get(name) ?? bystander;

  const invitee = person('invitee');
  const own = await createPlace(admin, `${mark} own`, person('org owner'), {
    people,
    orgMember: person('org viewer'),
    groupMember: person('group viewer'),
    invitee,
  });
  const sibling = await createPlace(admin, `${mark} sibling`, person('org owner'), {
    people,
    orgId: own.orgId,
    inviteId: own.inviteId,
    orgMember: person('org viewer'),
    groupMember: bystander,
    invitee,
  });
  const foreign = await createPlace(admin, `${mark} ${canary}`, foreignOwner, {
    people,
    orgMember: foreignMember,
    groupMember: foreignMember,
    invitee: newcomer,
  });
  const there: readonly CallerName[] = ['org owner', 'org viewer', 'group viewer'];
  for (const [name, one] of persons) {
    if (there.includes(name)) continue;
    const { org, group } = callerKind(name);
    if (org !== undefined) await people.join('org', own.orgId, one, org);
    if (group !== undefined) await people.join('group', own.groupId, one, group);
  }

  const owner = person('org owner');
  const apiKey = await issueKey(owner.as);
  const revoked = await issueKey(owner.as);
  await call('DELETE', `/keys/${revoked.id}`, { as: owner.as });
  const credentials = new Map<CallerName, string>([
    ['a rubbish credential', 'Bearer rubbish'],
    ['an expired token', `Bearer ${await sign(owner.id, -60)}`],
    ['a revoked API key', `Bearer ${revoked.value}`],
    ['a thing', `Thing ${own.key}`],
    ['an API key of the org owner', `Bearer ${apiKey.value}`],
  ]);
  for (const [name, { as }] of persons) credentials.set(name, as);
  for (const as of credentials.values()) wallOff(as, [canary, foreign.key]);
  credentials.set('platform admin', admin);

  const absent: Place = {
    ...own,
    owner: { ...own.owner, id: absentId },
    orgId: absentId,
    groupId: absentId,
    profileId: absentId,
    thingId: absentId,
    key: absentId,
    serial: `01${'0'.repeat(32)}`,
    webhookId: absentId,
    commandId: absentId,
    alarmId: absentId,
    silenceId: absentId,
    ruleId: absentId,
    dashboardId: absentId,
    annotationId: absentId,
    shareId: absentId,
    shareToken: absentId,
    treeId: ulid(),
    keyId: absentId,
    sessionId: absentId,
    inviteId: absentId,
    platformInvite: { id: absentId, email: own.platformInvite.email },
  };
  return {
    people,
    admin,
    mark,
    places: { own, sibling, foreign, absent },
    credentials,
    persons,
    newcomer,
    freshen: async (place, what) => ({
      ...place,
      ...(await makers[what]({ people, admin, place, as: place.owner.as, name: randomUUID() })),
    }),
  };
}

type Given = {
  people: People;
  orgId?: string;
  inviteId?: string;
  orgMember: Person;
  groupMember: Person;
  invitee: Person;
};

async function createPlace(
  admin: string,
  name: string,
  owner: Person,
  { people, orgMember, groupMember, invitee, ...given }: Given,
): Promise<Place> {
  const { as } = owner;
  const metadata = { name };
  let { orgId, inviteId } = given;
  if (orgId === undefined) {
    orgId = await createdAt('/orgs', as, { name, description: name, metadata });
    await people.join('org', orgId, orgMember, 'viewer');
  }
  inviteId ??= await invite(as, orgId, invitee);
  const groupId = await createdAt(`/orgs/${orgId}/groups`, as, { name, metadata });
  await people.join('group', groupId, groupMember, 'viewer');
  const profiles = `/groups/${groupId}/profiles`;
  const profileId = await createdAt(profiles, as, [{ name, metadata }]);
  const otherProfileId = await createdAt(profiles, as, [{ name: 'other' }]);
  const [thing] = await createThings(as, profileId, [{ name, type: 'device', metadata }]);
  if (thing === undefined) throw new Error('no thing was made');
  const webhookId = await createWebhook(as, thing.id, name);
  const dashboardId = await createDashboard(as, groupId, name);
  const treeId = await createTree(as, orgMember.id, thing.id);
  return {
    owner,
    orgId,
    groupId,
    profileId,
    otherProfileId,
    thingId: thing.id,
    key: thing.key,
    serial: await issueCertificate(as, thing.id),
    webhookId,
    commandId: await sendCommand(as, thing.id),
    alarmId: await insertAlarm(people, thing.id),
    silenceId: await makeSilence(as, groupId),
    ruleId: await createRule(as, groupId, name),
    annotationId: await annotate(as, groupId),
    dashboardId,
    ...(await shareDashboard(as, dashboardId)),
    orgMember,
    groupMember,
    treeId,
    keyId: (await issueKey(as)).id,
    sessionId: await signedIn(owner),
    invitee,
    inviteId,
    platformInvite: await inviteToPlatform(admin),
  };
}

type Making = { people: People; admin: string; place: Place; as: string; name: string };

const makers: Readonly<Record<Fresh, (making: Making) => Promise<Partial<Place>>>> = {
  org: async ({ people, place }) => ({ orgId: await copyOrg(people, place) }),
  async orgWithGroup({ people, place, as, name }) {
    const orgId = await copyOrg(people, place);
    const groupId = await createdAt(`/orgs/${orgId}/groups`, as, { name });
    await people.rows(
      `INSERT INTO group_memberships (group_id, member_id, role)
       SELECT $1, member_id, role FROM org_memberships WHERE org_id = $2 ON CONFLICT DO NOTHING`,
      [groupId, orgId],
    );
    return { orgId, groupId };
  },
  async invite({ people, place, as }) {
    const orgId = await copyOrg(people, place);
    return { orgId, inviteId: await invite(as, orgId, place.invitee) };
  },
  async group({ people, place, as, name }) {
    const groupId = await createdAt(`/orgs/${place.orgId}/groups`, as, { name });
    await people.rows(
      `INSERT INTO group_memberships (group_id, member_id, role)
       SELECT $1, member_id, role FROM group_memberships WHERE group_id = $2
       ON CONFLICT DO NOTHING`,
      [groupId, place.groupId],
    );
    return { groupId };
  },
  profile: async ({ place, as, name }) => ({
    profileId: await createdAt(`/groups/${place.groupId}/profiles`, as, [{ name }]),
  }),
  async thing({ place, as, name }) {
    const given = { name, type: 'device', external_key: name };
    const [thing] = await createThings(as, place.profileId, [given]);
    return thing === undefined ? {} : { thingId: thing.id, key: thing.key };
  },
  certificate: async ({ place, as }) => ({ serial: await issueCertificate(as, place.thingId) }),
  webhook: async ({ place, as, name }) => ({
    webhookId: await createWebhook(as, await thingOfItsOwn(place, as, name), name),
  }),
  command: async ({ place, as, name }) => ({
    commandId: await sendCommand(as, await thingOfItsOwn(place, as, name)),
  }),
  alarm: async ({ people, place }) => ({ alarmId: await insertAlarm(people, place.thingId) }),
  silence: async ({ place, as }) => ({ silenceId: await makeSilence(as, place.groupId) }),
  rule: async ({ place, as, name }) => ({ ruleId: await createRule(as, place.groupId, name) }),
  dashboard: async ({ place, as, name }) => ({
    dashboardId: await createDashboard(as, place.groupId, name),
  }),
  annotation: async ({ place, as }) => ({ annotationId: await annotate(as, place.groupId) }),
  share: async ({ place, as }) => shareDashboard(as, place.dashboardId),
  tree: async ({ as, name }) => ({ treeId: await createdAt('/groups', as, { name }) }),
  treeWithMembers: async ({ place, as }) => ({
    treeId: await createTree(as, place.orgMember.id, place.thingId),
  }),
  key: async ({ as }) => ({ keyId: (await issueKey(as)).id }),
  session: async ({ place }) => ({ sessionId: await signedIn(place.owner) }),
  platformInvite: async ({ admin }) => ({ platformInvite: await inviteToPlatform(admin) }),
};

/** Another org of the same owner with the same members; gives its id. */
async function copyOrg(people: People, { owner, orgId }: Place): Promise<string> {
  const copyId = await createdAt('/orgs', owner.as, { name: randomUUID() });
  await people.rows(
    `INSERT INTO org_memberships (org_id, member_id, role)
     SELECT $1, member_id, role FROM org_memberships WHERE org_id = $2 ON CONFLICT DO NOTHING`,
    [copyId, orgId],
  );
  return copyId;
}

/** Gives its id. */
async function createWebhook(as: string, thingId: string, name: string): Promise<string> {
  const body = [{ name, url: 'http://127.0.0.1:9/hook' }];
  const answer = await call('POST', `/things/${thingId}/webhooks`, { as, body });
  return textAt(answer, 0, 'id');
}

/** Gives its id. */
async function sendCommand(as: string, thingId: string): Promise<string> {
  const body = { command: 'open' };
  return textAt(await call('POST', `/things/${thingId}/commands`, { as, body }), 'id');
}

/** Gives its id. */
async function makeSilence(as: string, groupId: string): Promise<string> {
  const body = { reason: 'maintenance', until: new Date(Date.now() + 3_600_000).toISOString() };
  return textAt(await call('POST', `/groups/${groupId}/silences`, { as, body }), 'id');
}

/** Gives its id. */
async function annotate(as: string, groupId: string): Promise<string> {
  return createdAt(`/groups/${groupId}/annotations`, as, { text: 'New filter', from: '-1h' });
}

/** Gives its id. */
async function createRule(as: string, groupId: string, name: string): Promise<string> {
  const conditions = [{ name: 'temperature', when: '>', value: 8 }];
  return createdAt(`/groups/${groupId}/rules`, as, { name, conditions });
}

/** Gives its id. */
async function createDashboard(as: string, groupId: string, name: string): Promise<string> {
  const place = { x: 0, y: 0, w: 6, h: 4 };
  const panels = [{ id: 'one', title: name, kind: 'line', series: [], ...place }];
  const content = { panels, range: { last: '24h' } };
  return createdAt(`/groups/${groupId}/dashboards`, as, { name, content });
}

async function shareDashboard(as: string, dashboardId: string) {
  const body = { name: 'landlord', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
  const answer = await call('POST', `/dashboards/${dashboardId}/shares`, { as, body });
  return { shareId: textAt(answer, 'id'), shareToken: textAt(answer, 'token') };
}

/** A thing has so many webhooks and no more. Gives its id. */
async function thingOfItsOwn({ profileId }: Place, as: string, name: string): Promise<string> {
  const [thing] = await createThings(as, profileId, [{ name, type: 'device' }]);
  return thing?.id ?? '';
}

async function createTree(as: string, userId: string, thingId: string): Promise<string> {
  const treeId = await createdAt('/groups', as, { name: randomUUID() });
  await createdAt('/groups', as, { name: 'child', parent_id: treeId });
  for (const [type, id] of [
    ['users', userId],
    ['things', thingId],
  ]) {
    const path = `/groups/${treeId}/members`;
    const answer = await call('POST', path, { as, body: { members: [id], type } });
    if (answer.status !== 200) throw new Error(`no member: ${answer.status} ${answer.text}`);
  }
  return treeId;
}

async function issueKey(as: string): Promise<{ id: string; value: string }> {
  const answer = await call('POST', '/keys', { as, body: { type: 2, duration: 0 } });
  return { id: textAt(answer, 'id'), value: textAt(answer, 'value') };
}

/** Signs in at the console; gives the session's id. */
async function signedIn({ email, as }: Person): Promise<string> {
  await signIn(email);
  const newest = '/sessions?order=created_at&limit=1';
  return textAt(await call('GET', newest, { as }), 'sessions', 0, 'id');
}

async function issueCertificate(as: string, thingId: string): Promise<string> {
  const body = { thing_id: thingId, ttl: '1h', key_type: 'ecdsa' };
  return textAt(await call('POST', '/certs', { as, body }), 'serial');
}

/** Invites to the org; gives the invite's id. */
async function invite(as: string, orgId: string, invitee: Person): Promise<string> {
  const path = `/orgs/${orgId}/invites`;
  const answer = await call('POST', path, { as, body: { email: invitee.email, role: 'viewer' } });
  if (answer.status !== 201) throw new Error(`not invited: ${answer.status} ${answer.text}`);
  const invites = await call('GET', `${path}?state=pending`, { as });
  if (at(invites, 'total') !== 1) throw new Error(`another invite: ${invites.text}`);
  return textAt(invites, 'invites', 0, 'id');
}

async function inviteToPlatform(admin: string): Promise<{ id: string; email: string }> {
  const email = `${randomUUID()}@example.com`;
  return { id: await createdAt('/invites', admin, { invitee_email: email }), email };
}

/** A token as the API makes them, with the system's own secret. */
export async function sign(userId: string, lifetimeSeconds: number): Promise<string> {
  const secrets: unknown = JSON.parse(readFileSync(join(system().dataDir, 'secrets.json'), 'utf8'));
  const secret: unknown = Reflect.get(Object(secrets), 'jwtSecret');
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('millrace')
    .setSubject(userId)
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1_000) + lifetimeSeconds)
    .sign(new TextEncoder().encode(String(secret)));
}
