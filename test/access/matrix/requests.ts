import { randomUUID } from 'node:crypto';
import { operations } from '../../../api/server/resources.ts';
import { password } from '../../support/api/people.ts';
import { reaches, roleAt } from './callers.ts';
import { derive } from './derived.ts';
import {
  anyone,
  anywhere,
  everywhere,
  exists,
  inGroup,
  isOwner,
  ofCommander,
  ofThing,
  ofTreeOwner,
  only,
  ownKey,
  type Sample,
} from './sample.ts';

/** Rules of operations that decide by themselves, and what their data does not say of a good request. */
const told: Readonly<Record<string, Partial<Sample>>> = {
  createUser: { body: () => ({ email: `${randomUUID()}@example.com`, password }) },
  viewUser: { rule: only((caller) => roleAt(caller, 'own', 'org') !== undefined, true) },
  viewOwnUser: { rule: anyone },
  listUsers: { rule: anyone },
  searchUsers: { rule: anyone },
  // The same metadata again is no change.
  updateOwnMetadata: { body: () => ({ metadata: { a: randomUUID() } }), rule: anyone },
  changeOwnPassword: {
    body: () => ({ old_password: 'not the old one', password }),
    // An API key changes it no less; the old password is what counts, and nobody's is changed here.
    good: 400,
    rule: anyone,
  },
  issueKey: { rule: anyone },
  viewKey: { rule: ownKey },
  listKeys: { rule: anyone },
  revokeKey: { rule: ownKey },
  listSessions: { rule: anyone },
  endSession: { rule: ownKey },
  endAllSessions: {
    // It would end the tokens that the rest is asked with: so what is asked is not understood.
    path: () => '/sessions?of=nobody',
    good: 400,
    rule: anyone,
  },

  createOrg: { rule: anyone },
  listOrgs: { rule: anyone },
  searchOrgs: { rule: anyone },
  setOrgQuota: { places: anywhere },
  addOrgMembers: { fresh: 'org' },
  changeOrgRoles: {
    body: ({ orgMember }) => ({ org_memberships: [{ email: orgMember.email, role: 'editor' }] }),
  },
  removeOrgMembers: { body: ({ orgMember }) => ({ member_ids: [orgMember.id] }) },
  createOrgInvite: {
    body: (place, { newcomer }) => ({
      email: newcomer.email,
      role: 'viewer',
      redirect_path: '/invited',
      group_invites: [{ group_id: place.groupId, member_role: 'viewer' }],
    }),
    fresh: 'orgWithGroup',
  },
  viewInvite: {
    rule: only(
      (caller) => caller === 'invitee' || reaches(roleAt(caller, 'own', 'org'), 'admin'),
      true,
    ),
  },
  acceptInvite: { rule: only((caller) => caller === 'invitee', false), fresh: 'invite' },
  declineInvite: { rule: only((caller) => caller === 'invitee', false), fresh: 'invite' },
  revokeInvite: { rule: only(isOwner, false) },
  listReceivedInvites: { places: ['own', 'foreign'], rule: only(isOwner, true) },
  listSentInvites: { places: ['own', 'foreign'], rule: only(isOwner, true) },
  createPlatformInvite: {
    body: ({ orgId, groupId }) => ({
      invitee_email: `${randomUUID()}@example.com`,
      org_id: orgId,
      role: 'viewer',
      redirect_path: '/welcome',
      group_invites: [{ group_id: groupId, member_role: 'viewer' }],
    }),
  },
  registerByInvite: {
    body: ({ platformInvite }) => ({ email: platformInvite.email, password }),
    places: ['own', 'absent'],
    rule: exists,
    fresh: 'platformInvite',
  },

  createDashboardShare: {
    body: () => ({ name: 'x', expires_at: new Date(Date.now() + 3_600_000).toISOString() }),
  },
  viewSharedDashboard: { places: ['own', 'absent'], rule: exists },
  readSharedPanel: { places: ['own', 'absent'], rule: exists },
  createGroups: { body: () => ({ name: randomUUID(), description: 'text' }) },
  listGroups: { rule: anyone },
  searchGroups: { rule: anyone },
  deleteGroups: { rule: inGroup('owner') },
  addGroupMembers: { fresh: 'group' },
  changeGroupRoles: {
    body: ({ groupMember }) => ({
      group_memberships: [{ member_id: groupMember.id, role: 'editor' }],
    }),
  },
  removeGroupMembers: { body: ({ groupMember }) => ({ member_ids: [groupMember.id] }) },

  listProfiles: { rule: anyone },
  searchProfiles: { rule: anyone },
  deleteProfiles: { rule: inGroup('admin') },

  listThings: { rule: anyone },
  listAlarms: { rule: anyone },
  exportAlarms: { rule: anyone },
  followAlarms: { rule: anyone },
  listRules: { rule: anyone },
  viewOverview: { rule: anyone },
  searchThings: { rule: anyone },
  searchThingValues: { body: ({ thingId }) => ({ things: [thingId] }), rule: anyone },
  moveThing: {
    body: ({ otherProfileId, groupId }) => ({ profile_id: otherProfileId, group_id: groupId }),
  },
  updateThingsMetadata: {
    body: ({ thingId }) => [{ id: thingId, metadata: { a: 'b' } }],
    places: everywhere,
    rule: inGroup('editor'),
    fresh: 'thing',
  },
  deleteThings: { rule: inGroup('admin') },
  identifyThing: {
    body: ({ key }) => ({ key, type: 'internal' }),
    places: everywhere,
    rule: exists,
  },
  issueCertificate: { places: everywhere, rule: inGroup('editor') },
  viewCertificate: { rule: inGroup('viewer') },
  renewCertificate: { rule: inGroup('editor') },
  revokeCertificate: { rule: inGroup('editor') },

  // A place has so many webhooks and no more.
  createWebhooks: { fresh: 'thing' },
  createGroupWebhooks: { fresh: 'group' },
  createOrgWebhooks: { fresh: 'org' },
  deleteWebhooks_delete: { rule: inGroup('editor') },
  deleteWebhooks_patch: { rule: inGroup('editor') },
  pingWebhook: { fresh: 'webhook' },
  viewWebhookMessage: {
    path: ({ webhookId }) => `/webhooks/${webhookId}/messages/none-1-1`,
    // It was sent nothing yet.
    good: 404,
  },
  replayWebhook: {
    body: () => ({ from: '2001-01-01T00:00:00Z', to: '2001-01-02T00:00:00Z' }),
    fresh: 'webhook',
  },

  // So many wait for a thing, and no more.
  commandThing: { rule: ofCommander, fresh: 'thing' },
  commandThing_subtopic: {
    path: ({ thingId }) => `/things/${thingId}/commands/hall/lamp`,
    body: () => ({ command: 'open' }),
    rule: ofCommander,
    fresh: 'thing',
  },
  commandGroup: { rule: ofCommander },
  commandGroup_subtopic: {
    path: ({ groupId }) => `/http/groups/${groupId}/commands/hall`,
    body: () => ({ command: 'open' }),
    rule: ofCommander,
  },

  createSilence: {
    body: () => ({
      reason: 'maintenance',
      until: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  },

  createTreeGroup: { rule: anyone },
  viewTreeGroup: { rule: exists },
  listTreeParents: { rule: exists },
  listTreeChildren: { rule: exists },
  updateTreeGroup: { rule: ofTreeOwner },
  deleteTreeGroup: { rule: ofTreeOwner },
  addTreeMembers: {
    body: () => ({ members: [randomUUID()], type: 'users' }),
    rule: ofTreeOwner,
    fresh: 'tree',
  },
  removeTreeMembers: {
    body: ({ orgMember }) => ({ members: [orgMember.id], type: 'users' }),
    rule: ofTreeOwner,
    fresh: 'treeWithMembers',
  },
  listTreeMembers: { rule: exists },
  listTreeUsers: { rule: exists },
  listTreeThings: { rule: exists },
  listTreeGroupsOfMember: {
    path: ({ thingId }) => `/members/${thingId}/groups`,
    places: ['own', 'foreign'],
    rule: anyone,
  },

  ...ofFormat('senml'),
  ...ofFormat('json'),
  queryInflux: { path: () => '/query?q=SHOW%20DATABASES', rule: anyone },
  queryInflux_post: {
    path: () => '/query?q=SHOW%20DATABASES',
    body: () => undefined,
    good: 200,
    rule: anyone,
  },
  restoreMessages: { body: () => ({ json_messages: [], senml_messages: [] }) },
  passToEdge: {
    body: () => [{ n: 'a', v: 1 }],
    good: 202,
    rule: (caller) => (caller === 'a thing' ? 'allowed' : 401),
  },

  viewHealth: { orElse: 503 },
  viewHealth_ready: { orElse: 503 },
  viewHealth_reader: { orElse: 503 },
  viewSession: { rule: anyone },
  viewQueuesPage: { good: 303 },
  viewQueue: { path: () => '/operations/queues/mail' },
  changeQueue: { path: () => '/operations/queues/mail', body: () => ({ is_paused: false }) },
  listQueueJobs: { path: () => '/operations/queues/mail/jobs?state=failed' },
  viewQueueJob: ofNoJob(''),
  retryQueueJob: ofNoJob('/retry'),
  promoteQueueJob: ofNoJob('/promote'),
  removeQueueJob: ofNoJob(''),
  retryFailedJobs: { path: () => '/operations/queues/mail/retry' },
  removeFailedJobs: { path: () => '/operations/queues/mail/failed' },
};

/** Who may is told that there is no such job. */
function ofNoJob(action: string): Partial<Sample> {
  return { path: () => `/operations/queues/mail/jobs/none${action}`, good: 404 };
}

function ofFormat(format: 'senml' | 'json'): Record<string, Partial<Sample>> {
  const ofAny = { places: everywhere, rule: ofThing('viewer') };
  return {
    [`readMessages_${format}`]: ofAny,
    [`searchMessages_${format}`]: ofAny,
    [`exportMessages_${format}`]: ofAny,
    [`followMessages_${format}`]: ofAny,
    [`deleteMessages_${format}`]: {
      path: () => `/reader/${format}?from=2001-01-01&to=2001-01-02`,
      rule: anyone,
    },
    [`deleteMessagesOfThing_${format}`]: { places: everywhere, rule: ofThing('admin') },
  };
}

/** One good request of each operation. */
export const samples: Readonly<Record<string, Sample>> = Object.fromEntries(
  operations.map((operation) => [
    operation.name,
    { ...derive(operation), ...told[operation.name] },
  ]),
);

/** Names in the table above that no operation has. */
export const stale = Object.keys(told).filter((name) => !Object.hasOwn(samples, name));
