import { randomUUID } from 'node:crypto';
import type { Role } from '../../../schemas/roles.ts';
import type { Method } from '../../support/api/http.ts';
import { password } from '../../support/api/people.ts';
import { type CallerName, callerKind, type PlaceName, reaches, roleAt } from './callers.ts';
import type { Outcome, Rule } from './model.ts';
import type { Fresh, Place, World } from './world.ts';

/** What a list holds. */
export type Listed = 'org' | 'group' | 'profile' | 'thing' | 'webhook' | 'user';

/** One good request of an operation. */
export type Sample = {
  method: Method;
  path: (place: Place, world: World) => string;
  body?: (place: Place, world: World) => unknown;
  /** The status where it is allowed. */
  good: number;
  /** What else may come of it, though it is allowed. */
  orElse?: number;
  places: readonly PlaceName[];
  /** Must be there where the permission table leaves it to the operation. */
  rule?: Rule;
  /** What it changes or ends: made for each allowed request anew. */
  fresh?: Fresh;
  /** What an answer lists, and within what. */
  lists?: { what: Listed; within: 'everything' | 'org' | 'group' };
};

const everywhere = ['own', 'sibling', 'foreign', 'absent'] as const;
const orgs = ['own', 'foreign', 'absent'] as const;
const anywhere = ['own'] as const;

const name = () => ({ name: randomUUID(), description: 'text', metadata: { a: 'b' } });
const listed = (world: World) => `?limit=200&name=${world.mark}`;
const searched = (_: Place, world: World) => ({ limit: 200, offset: 0, name: world.mark });

const isAdmin = (caller: CallerName) => callerKind(caller).platformAdmin === true;
const isOwner = (caller: CallerName) =>
  caller === 'org owner' || caller === 'an API key of the org owner';

/** The operation's `everyone it knows`. */
const anyone: Rule = () => 'allowed';

/** By some at the place, and by the platform admin if `admins`. */
function only(may: (caller: CallerName) => boolean, admins: boolean): Rule {
  return (caller, place): Outcome => {
    if (place === 'absent') return 404;
    if (admins && isAdmin(caller)) return 'allowed';
    return place !== 'foreign' && may(caller) ? 'allowed' : 403;
  };
}

/** Keys of others are as absent. */
const ownKey: Rule = (caller, place) => (place === 'own' && isOwner(caller) ? 'allowed' : 404);

/** By who has at least the role where the thing is. */
const inGroup =
  (least: Role): Rule =>
  (caller, place) => {
    if (place === 'absent') return 404;
    return isAdmin(caller) || reaches(roleAt(caller, place, 'group'), least) ? 'allowed' : 403;
  };

/** A thing has nobody but itself, and is not told who else there is. */
const ofThing =
  (least: 'viewer' | 'admin'): Rule =>
  (caller, place) => {
    if (caller === 'a thing') return place === 'own' ? 'allowed' : 403;
    return inGroup(least)(caller, place);
  };

const exists: Rule = (_, place) => (place === 'absent' ? 404 : 'allowed');
const ofTreeOwner = only(isOwner, true);

export const samples: Readonly<Record<string, Sample>> = {
  issueToken: {
    method: 'POST',
    path: () => '/tokens',
    body: (_, world) => ({ email: world.newcomer.email, password }),
    good: 201,
    places: anywhere,
  },
  createUser: {
    method: 'POST',
    path: () => '/users',
    body: () => ({ email: `${randomUUID()}@example.com`, password }),
    good: 201,
    places: anywhere,
  },
  viewUser: {
    method: 'GET',
    path: (place) => `/users/${place.owner.id}`,
    good: 200,
    places: orgs,
    rule: only((caller) => roleAt(caller, 'own', 'org') !== undefined, true),
  },
  listUsers: {
    method: 'GET',
    path: (_, world) => `/users?limit=200&email=${world.mark}`,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'user', within: 'everything' },
  },
  viewOwnUser: {
    method: 'GET',
    path: () => '/users/profile',
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  searchUsers: {
    method: 'POST',
    path: () => '/users/search',
    body: (_, world) => ({ limit: 200, email: world.mark }),
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'user', within: 'everything' },
  },
  updateOwnMetadata: {
    method: 'PUT',
    path: () => '/users',
    body: () => ({ metadata: { a: randomUUID() } }),
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  changeOwnPassword: {
    method: 'PATCH',
    path: () => '/password',
    body: () => ({ old_password: 'not the old one', password }),
    // An API key changes it no less; the old password is what counts, and nobody's is changed here.
    good: 400,
    places: anywhere,
    rule: anyone,
  },

  issueKey: {
    method: 'POST',
    path: () => '/keys',
    body: () => ({ type: 2, duration: 60 }),
    good: 201,
    places: anywhere,
    rule: anyone,
  },
  viewKey: {
    method: 'GET',
    path: (place) => `/keys/${place.keyId}`,
    good: 200,
    places: orgs,
    rule: ownKey,
  },
  listKeys: {
    method: 'GET',
    path: () => '/keys?limit=200',
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  revokeKey: {
    method: 'DELETE',
    path: (place) => `/keys/${place.keyId}`,
    good: 204,
    places: orgs,
    rule: ownKey,
    fresh: 'key',
  },

  createOrg: {
    method: 'POST',
    path: () => '/orgs',
    body: name,
    good: 201,
    places: anywhere,
    rule: anyone,
  },
  viewOrg: { method: 'GET', path: (place) => `/orgs/${place.orgId}`, good: 200, places: orgs },
  listOrgs: {
    method: 'GET',
    path: (_, world) => `/orgs${listed(world)}`,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'org', within: 'everything' },
  },
  searchOrgs: {
    method: 'POST',
    path: () => '/orgs/search',
    body: searched,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'org', within: 'everything' },
  },
  updateOrg: {
    method: 'PUT',
    path: (place) => `/orgs/${place.orgId}`,
    body: name,
    good: 200,
    places: orgs,
    fresh: 'org',
  },
  deleteOrg: {
    method: 'DELETE',
    path: (place) => `/orgs/${place.orgId}`,
    good: 204,
    places: orgs,
    fresh: 'org',
  },
  listOrgAudit: {
    method: 'GET',
    path: (place) => `/orgs/${place.orgId}/audit?limit=200`,
    good: 200,
    places: orgs,
  },
  exportOrgAudit: {
    method: 'GET',
    path: (place) => `/orgs/${place.orgId}/audit/export?convert=csv`,
    good: 200,
    places: orgs,
  },
  listAudit: { method: 'GET', path: () => '/audit', good: 200, places: anywhere },
  exportAudit: {
    method: 'GET',
    path: (place) => `/audit/export?org_id=${place.orgId}`,
    good: 200,
    places: anywhere,
  },
  setOrgQuota: {
    method: 'PUT',
    path: (place) => `/orgs/${place.orgId}/quota`,
    body: () => ({ things: 5, webhooks: 5, messages_per_month: 5, records_per_second: 5 }),
    good: 200,
    places: anywhere,
    fresh: 'org',
  },
  viewOrgUsage: {
    method: 'GET',
    path: (place) => `/orgs/${place.orgId}/usage`,
    good: 200,
    places: orgs,
  },
  addOrgMembers: {
    method: 'POST',
    path: (place) => `/orgs/${place.orgId}/memberships`,
    body: (_, world) => ({ org_memberships: [{ email: world.newcomer.email, role: 'viewer' }] }),
    good: 200,
    places: orgs,
    fresh: 'org',
  },
  changeOrgRoles: {
    method: 'PUT',
    path: (place) => `/orgs/${place.orgId}/memberships`,
    body: (place) => ({ org_memberships: [{ email: place.orgMember.email, role: 'editor' }] }),
    good: 200,
    places: orgs,
    fresh: 'org',
  },
  removeOrgMembers: {
    method: 'PATCH',
    path: (place) => `/orgs/${place.orgId}/memberships`,
    body: (place) => ({ member_ids: [place.orgMember.id] }),
    good: 204,
    places: orgs,
    fresh: 'org',
  },
  viewOrgMember: {
    method: 'GET',
    path: (place) => `/orgs/${place.orgId}/members/${place.orgMember.id}`,
    good: 200,
    places: orgs,
  },
  listOrgMembers: {
    method: 'GET',
    path: (place) => `/orgs/${place.orgId}/memberships?limit=200`,
    good: 200,
    places: orgs,
  },

  createOrgInvite: {
    method: 'POST',
    path: (place) => `/orgs/${place.orgId}/invites`,
    body: (place, world) => ({
      email: world.newcomer.email,
      role: 'viewer',
      redirect_path: '/invited',
      group_invites: [{ group_id: place.groupId, member_role: 'viewer' }],
    }),
    good: 201,
    places: orgs,
    fresh: 'orgWithGroup',
  },
  listOrgInvites: {
    method: 'GET',
    path: (place) => `/orgs/${place.orgId}/invites?limit=200`,
    good: 200,
    places: orgs,
  },
  viewInvite: {
    method: 'GET',
    path: (place) => `/invites/${place.inviteId}`,
    good: 200,
    places: orgs,
    rule: only(
      (caller) => caller === 'invitee' || reaches(roleAt(caller, 'own', 'org'), 'admin'),
      true,
    ),
  },
  acceptInvite: {
    method: 'POST',
    path: (place) => `/invites/${place.inviteId}/accept`,
    good: 201,
    places: orgs,
    rule: only((caller) => caller === 'invitee', false),
    fresh: 'invite',
  },
  declineInvite: {
    method: 'POST',
    path: (place) => `/invites/${place.inviteId}/decline`,
    good: 204,
    places: orgs,
    rule: only((caller) => caller === 'invitee', false),
    fresh: 'invite',
  },
  revokeInvite: {
    method: 'DELETE',
    path: (place) => `/invites/${place.inviteId}`,
    good: 204,
    places: orgs,
    rule: only(isOwner, false),
    fresh: 'invite',
  },
  listReceivedInvites: {
    method: 'GET',
    path: (place) => `/users/${place.owner.id}/invites/received`,
    good: 200,
    places: ['own', 'foreign'],
    rule: only(isOwner, true),
  },
  listSentInvites: {
    method: 'GET',
    path: (place) => `/users/${place.owner.id}/invites/sent`,
    good: 200,
    places: ['own', 'foreign'],
    rule: only(isOwner, true),
  },
  createPlatformInvite: {
    method: 'POST',
    path: () => '/invites',
    body: (place) => ({
      invitee_email: `${randomUUID()}@example.com`,
      org_id: place.orgId,
      role: 'viewer',
      redirect_path: '/welcome',
      group_invites: [{ group_id: place.groupId, member_role: 'viewer' }],
    }),
    good: 201,
    places: anywhere,
  },
  listPlatformInvites: { method: 'GET', path: () => '/invites', good: 200, places: anywhere },
  registerByInvite: {
    method: 'POST',
    path: (place) => `/register/invite/${place.platformInvite.id}`,
    body: (place) => ({ email: place.platformInvite.email, password }),
    good: 201,
    places: ['own', 'absent'],
    rule: exists,
    fresh: 'platformInvite',
  },

  createGroups: {
    method: 'POST',
    path: (place) => `/orgs/${place.orgId}/groups`,
    body: name,
    good: 201,
    places: orgs,
  },
  viewGroup: {
    method: 'GET',
    path: (place) => `/groups/${place.groupId}`,
    good: 200,
    places: everywhere,
  },
  listGroups: {
    method: 'GET',
    path: (_, world) => `/groups${listed(world)}`,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'group', within: 'everything' },
  },
  listOrgGroups: {
    method: 'GET',
    path: (place, world) => `/orgs/${place.orgId}/groups${listed(world)}`,
    good: 200,
    places: orgs,
    lists: { what: 'group', within: 'org' },
  },
  searchGroups: {
    method: 'POST',
    path: () => '/groups/search',
    body: searched,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'group', within: 'everything' },
  },
  searchOrgGroups: {
    method: 'POST',
    path: (place) => `/orgs/${place.orgId}/groups/search`,
    body: searched,
    good: 200,
    places: orgs,
    lists: { what: 'group', within: 'org' },
  },
  updateGroup: {
    method: 'PUT',
    path: (place) => `/groups/${place.groupId}`,
    body: name,
    good: 200,
    places: everywhere,
    fresh: 'group',
  },
  deleteGroup: {
    method: 'DELETE',
    path: (place) => `/groups/${place.groupId}`,
    good: 204,
    places: everywhere,
    fresh: 'group',
  },
  deleteGroups: {
    method: 'PATCH',
    path: () => '/groups',
    body: (place) => ({ group_ids: [place.groupId] }),
    good: 204,
    places: everywhere,
    rule: inGroup('owner'),
    fresh: 'group',
  },
  viewThingGroup: {
    method: 'GET',
    path: (place) => `/things/${place.thingId}/groups`,
    good: 200,
    places: everywhere,
  },
  viewProfileGroup: {
    method: 'GET',
    path: (place) => `/profiles/${place.profileId}/groups`,
    good: 200,
    places: everywhere,
  },
  addGroupMembers: {
    method: 'POST',
    path: (place) => `/groups/${place.groupId}/memberships`,
    body: (_, world) => ({ group_memberships: [{ member_id: world.newcomer.id, role: 'viewer' }] }),
    good: 201,
    places: everywhere,
    fresh: 'group',
  },
  changeGroupRoles: {
    method: 'PUT',
    path: (place) => `/groups/${place.groupId}/memberships`,
    body: (place) => ({
      group_memberships: [{ member_id: place.groupMember.id, role: 'editor' }],
    }),
    good: 200,
    places: everywhere,
    fresh: 'group',
  },
  removeGroupMembers: {
    method: 'PATCH',
    path: (place) => `/groups/${place.groupId}/memberships`,
    body: (place) => ({ member_ids: [place.groupMember.id] }),
    good: 204,
    places: everywhere,
    fresh: 'group',
  },
  listGroupMembers: {
    method: 'GET',
    path: (place) => `/groups/${place.groupId}/memberships?limit=200`,
    good: 200,
    places: everywhere,
  },

  createProfiles: {
    method: 'POST',
    path: (place) => `/groups/${place.groupId}/profiles`,
    body: () => [
      {
        id: randomUUID(),
        name: randomUUID(),
        metadata: { a: 'b' },
        config: {
          content_type: 'application/json',
          write: true,
          transformer: { data_field: 'a', data_filters: ['b'], time_field: 'c' },
        },
      },
    ],
    good: 201,
    places: everywhere,
  },
  viewProfile: {
    method: 'GET',
    path: (place) => `/profiles/${place.profileId}`,
    good: 200,
    places: everywhere,
  },
  viewThingProfile: {
    method: 'GET',
    path: (place) => `/things/${place.thingId}/profiles`,
    good: 200,
    places: everywhere,
  },
  listProfiles: {
    method: 'GET',
    path: (_, world) => `/profiles${listed(world)}`,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'profile', within: 'everything' },
  },
  listGroupProfiles: {
    method: 'GET',
    path: (place, world) => `/groups/${place.groupId}/profiles${listed(world)}`,
    good: 200,
    places: everywhere,
    lists: { what: 'profile', within: 'group' },
  },
  listOrgProfiles: {
    method: 'GET',
    path: (place, world) => `/orgs/${place.orgId}/profiles${listed(world)}`,
    good: 200,
    places: orgs,
    lists: { what: 'profile', within: 'org' },
  },
  searchProfiles: {
    method: 'POST',
    path: () => '/profiles/search',
    body: searched,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'profile', within: 'everything' },
  },
  searchGroupProfiles: {
    method: 'POST',
    path: (place) => `/groups/${place.groupId}/profiles/search`,
    body: searched,
    good: 200,
    places: everywhere,
    lists: { what: 'profile', within: 'group' },
  },
  searchOrgProfiles: {
    method: 'POST',
    path: (place) => `/orgs/${place.orgId}/profiles/search`,
    body: searched,
    good: 200,
    places: orgs,
    lists: { what: 'profile', within: 'org' },
  },
  updateProfile: {
    method: 'PUT',
    path: (place) => `/profiles/${place.profileId}`,
    body: () => ({ name: randomUUID(), metadata: { a: 'b' }, config: { write: false } }),
    good: 200,
    places: everywhere,
    fresh: 'profile',
  },
  deleteProfile: {
    method: 'DELETE',
    path: (place) => `/profiles/${place.profileId}`,
    good: 204,
    places: everywhere,
    fresh: 'profile',
  },
  deleteProfiles: {
    method: 'PATCH',
    path: () => '/profiles',
    body: (place) => ({ profile_ids: [place.profileId] }),
    good: 204,
    places: everywhere,
    rule: inGroup('admin'),
    fresh: 'profile',
  },

  createThings: {
    method: 'POST',
    path: (place) => `/profiles/${place.profileId}/things`,
    body: () => [
      {
        id: randomUUID(),
        name: randomUUID(),
        type: 'device',
        metadata: { a: 'b' },
        key: randomUUID(),
        external_key: randomUUID(),
      },
    ],
    good: 201,
    places: everywhere,
  },
  viewThing: {
    method: 'GET',
    path: (place) => `/things/${place.thingId}`,
    good: 200,
    places: everywhere,
  },
  listThings: {
    method: 'GET',
    path: (_, world) => `/things${listed(world)}`,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'thing', within: 'everything' },
  },
  listGroupThings: {
    method: 'GET',
    path: (place, world) => `/groups/${place.groupId}/things${listed(world)}`,
    good: 200,
    places: everywhere,
    lists: { what: 'thing', within: 'group' },
  },
  listProfileThings: {
    method: 'GET',
    path: (place, world) => `/profiles/${place.profileId}/things${listed(world)}`,
    good: 200,
    places: everywhere,
    lists: { what: 'thing', within: 'group' },
  },
  listOrgThings: {
    method: 'GET',
    path: (place, world) => `/orgs/${place.orgId}/things${listed(world)}`,
    good: 200,
    places: orgs,
    lists: { what: 'thing', within: 'org' },
  },
  searchThings: {
    method: 'POST',
    path: () => '/things/search',
    body: searched,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'thing', within: 'everything' },
  },
  searchGroupThings: {
    method: 'POST',
    path: (place) => `/groups/${place.groupId}/things/search`,
    body: searched,
    good: 200,
    places: everywhere,
    lists: { what: 'thing', within: 'group' },
  },
  searchProfileThings: {
    method: 'POST',
    path: (place) => `/profiles/${place.profileId}/things/search`,
    body: searched,
    good: 200,
    places: everywhere,
    lists: { what: 'thing', within: 'group' },
  },
  searchOrgThings: {
    method: 'POST',
    path: (place) => `/orgs/${place.orgId}/things/search`,
    body: searched,
    good: 200,
    places: orgs,
    lists: { what: 'thing', within: 'org' },
  },
  updateThing: {
    method: 'PUT',
    path: (place) => `/things/${place.thingId}`,
    body: () => ({
      name: randomUUID(),
      key: randomUUID(),
      type: 'sensor',
      metadata: { a: 'b' },
    }),
    good: 200,
    places: everywhere,
    fresh: 'thing',
  },
  moveThing: {
    method: 'PATCH',
    path: (place) => `/things/${place.thingId}`,
    body: (place) => ({ profile_id: place.otherProfileId, group_id: place.groupId }),
    good: 200,
    places: everywhere,
    fresh: 'thing',
  },
  updateThingsMetadata: {
    method: 'PUT',
    path: () => '/things',
    body: (place) => [{ id: place.thingId, metadata: { a: 'b' } }],
    good: 200,
    places: everywhere,
    rule: inGroup('editor'),
    fresh: 'thing',
  },
  deleteThing: {
    method: 'DELETE',
    path: (place) => `/things/${place.thingId}`,
    good: 204,
    places: everywhere,
    fresh: 'thing',
  },
  deleteThings: {
    method: 'PATCH',
    path: () => '/things',
    body: (place) => ({ thing_ids: [place.thingId] }),
    good: 204,
    places: everywhere,
    rule: inGroup('admin'),
    fresh: 'thing',
  },
  setExternalKey: {
    method: 'PATCH',
    path: (place) => `/things/${place.thingId}/external-key`,
    body: () => ({ key: randomUUID() }),
    good: 201,
    places: everywhere,
    fresh: 'thing',
  },
  removeExternalKey: {
    method: 'DELETE',
    path: (place) => `/things/${place.thingId}/external-key`,
    good: 204,
    places: everywhere,
    fresh: 'thing',
  },
  viewOwnMetadata: { method: 'GET', path: () => '/metadata', good: 200, places: anywhere },
  identifyThing: {
    method: 'POST',
    path: () => '/identify',
    body: (place) => ({ key: place.key, type: 'internal' }),
    good: 200,
    places: everywhere,
    rule: exists,
  },

  issueCertificate: {
    method: 'POST',
    path: () => '/certs',
    body: (place) => ({ thing_id: place.thingId, ttl: '1h', key_type: 'ecdsa', key_bits: 256 }),
    good: 201,
    places: everywhere,
    rule: inGroup('editor'),
  },
  viewCertificate: {
    method: 'GET',
    path: (place) => `/certs/${place.serial}`,
    good: 200,
    places: everywhere,
    rule: inGroup('viewer'),
  },
  renewCertificate: {
    method: 'PUT',
    path: (place) => `/certs/${place.serial}`,
    good: 200,
    places: everywhere,
    rule: inGroup('editor'),
  },
  revokeCertificate: {
    method: 'DELETE',
    path: (place) => `/certs/${place.serial}`,
    good: 200,
    places: everywhere,
    rule: inGroup('editor'),
    fresh: 'certificate',
  },
  listSerials: {
    method: 'GET',
    path: (place) => `/things/${place.thingId}/serials`,
    good: 200,
    places: everywhere,
  },
  viewRevocationList: { method: 'GET', path: () => '/crl', good: 200, places: anywhere },
  createWebhooks: {
    method: 'POST',
    path: (place) => `/things/${place.thingId}/webhooks`,
    body: () => [
      {
        name: randomUUID(),
        url: 'http://127.0.0.1:9/hook',
        headers: { 'X-A': 'b' },
        metadata: { a: 'b' },
        secret: randomUUID(),
      },
    ],
    good: 201,
    places: everywhere,
    fresh: 'thing',
  },
  createGroupWebhooks: {
    method: 'POST',
    path: (place) => `/groups/${place.groupId}/webhooks`,
    body: () => [{ name: randomUUID(), url: 'http://127.0.0.1:9/hook' }],
    good: 201,
    places: everywhere,
    fresh: 'group',
  },
  createOrgWebhooks: {
    method: 'POST',
    path: (place) => `/orgs/${place.orgId}/webhooks`,
    body: () => [{ name: randomUUID(), url: 'http://127.0.0.1:9/hook' }],
    good: 201,
    places: orgs,
    fresh: 'org',
  },
  listThingWebhooks: {
    method: 'GET',
    path: (place, world) => `/things/${place.thingId}/webhooks${listed(world)}`,
    good: 200,
    places: everywhere,
    lists: { what: 'webhook', within: 'group' },
  },
  listGroupWebhooks: {
    method: 'GET',
    path: (place, world) => `/groups/${place.groupId}/webhooks${listed(world)}`,
    good: 200,
    places: everywhere,
    lists: { what: 'webhook', within: 'group' },
  },
  listOrgWebhooks: {
    method: 'GET',
    path: (place, world) => `/orgs/${place.orgId}/webhooks${listed(world)}`,
    good: 200,
    places: orgs,
    lists: { what: 'webhook', within: 'org' },
  },
  viewWebhook: {
    method: 'GET',
    path: (place) => `/webhooks/${place.webhookId}`,
    good: 200,
    places: everywhere,
  },
  updateWebhook: {
    method: 'PUT',
    path: (place) => `/webhooks/${place.webhookId}`,
    body: () => ({
      name: randomUUID(),
      url: 'http://127.0.0.1:9/hook',
      headers: { 'X-A': 'b' },
      metadata: { a: 'b' },
      secret: randomUUID(),
    }),
    good: 200,
    places: everywhere,
    fresh: 'webhook',
  },
  deleteWebhooks: {
    method: 'DELETE',
    path: () => '/webhooks',
    body: (place) => ({ webhook_ids: [place.webhookId] }),
    good: 204,
    places: everywhere,
    rule: inGroup('editor'),
    fresh: 'webhook',
  },
  pingWebhook: {
    method: 'POST',
    path: (place) => `/webhooks/${place.webhookId}/ping`,
    good: 202,
    places: everywhere,
    fresh: 'webhook',
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: (place) => `/webhooks/${place.webhookId}/deliveries?limit=200`,
    good: 200,
    places: everywhere,
  },
  replayWebhook: {
    method: 'POST',
    path: (place) => `/webhooks/${place.webhookId}/replay`,
    body: () => ({ from: '2001-01-01T00:00:00Z', to: '2001-01-02T00:00:00Z' }),
    good: 202,
    places: everywhere,
    fresh: 'webhook',
  },

  createTreeGroup: {
    method: 'POST',
    path: () => '/groups',
    body: name,
    good: 201,
    places: anywhere,
    rule: anyone,
  },
  viewTreeGroup: {
    method: 'GET',
    path: (place) => `/groups/${place.treeId}`,
    good: 200,
    places: orgs,
    rule: exists,
  },
  listTreeParents: {
    method: 'GET',
    path: (place) => `/groups/${place.treeId}/parents?level=5&tree=true`,
    good: 200,
    places: orgs,
    rule: exists,
  },
  listTreeChildren: {
    method: 'GET',
    path: (place) => `/groups/${place.treeId}/children?level=5&tree=true`,
    good: 200,
    places: orgs,
    rule: exists,
  },
  updateTreeGroup: {
    method: 'PUT',
    path: (place) => `/groups/${place.treeId}`,
    body: name,
    good: 200,
    places: orgs,
    rule: ofTreeOwner,
    fresh: 'tree',
  },
  deleteTreeGroup: {
    method: 'DELETE',
    path: (place) => `/groups/${place.treeId}`,
    good: 204,
    places: orgs,
    rule: ofTreeOwner,
    fresh: 'tree',
  },
  addTreeMembers: {
    method: 'POST',
    path: (place) => `/groups/${place.treeId}/members`,
    body: () => ({ members: [randomUUID()], type: 'users' }),
    good: 200,
    places: orgs,
    rule: ofTreeOwner,
    fresh: 'tree',
  },
  removeTreeMembers: {
    method: 'DELETE',
    path: (place) => `/groups/${place.treeId}/members`,
    body: (place) => ({ members: [place.orgMember.id], type: 'users' }),
    good: 204,
    places: orgs,
    rule: ofTreeOwner,
    fresh: 'treeWithMembers',
  },
  listTreeMembers: {
    method: 'GET',
    path: (place) => `/groups/${place.treeId}/members?limit=200`,
    good: 200,
    places: orgs,
    rule: exists,
  },
  listTreeUsers: {
    method: 'GET',
    path: (place) => `/groups/users/${place.treeId}?limit=200`,
    good: 200,
    places: orgs,
    rule: exists,
  },
  listTreeThings: {
    method: 'GET',
    path: (place) => `/groups/things/${place.treeId}?limit=200`,
    good: 200,
    places: orgs,
    rule: exists,
  },
  listTreeGroupsOfMember: {
    method: 'GET',
    path: (place) => `/members/${place.thingId}/groups`,
    good: 200,
    places: ['own', 'foreign'],
    rule: anyone,
  },

  readMessages: {
    method: 'GET',
    path: (place) => `/reader/senml?publisher=${place.thingId}`,
    good: 200,
    places: everywhere,
    rule: ofThing('viewer'),
  },
  searchMessages: {
    method: 'POST',
    path: () => '/reader/senml/search',
    body: (place) => ({ publisher: place.thingId, limit: 1 }),
    good: 200,
    places: everywhere,
    rule: ofThing('viewer'),
  },
  exportMessages: {
    method: 'GET',
    path: (place) => `/reader/json/export?publisher=${place.thingId}`,
    good: 200,
    places: everywhere,
    rule: ofThing('viewer'),
  },
  followMessages: {
    method: 'GET',
    path: (place) => `/reader/json/live?publisher=${place.thingId}`,
    good: 200,
    places: everywhere,
    rule: ofThing('viewer'),
  },
  deleteMessages: {
    method: 'DELETE',
    // Long before there was a message: what others of this system store stays.
    path: () => '/reader/senml?from=1&to=2',
    good: 204,
    places: anywhere,
    rule: anyone,
  },
  deleteMessagesOfThing: {
    method: 'DELETE',
    path: (place) => `/reader/senml/${place.thingId}?from=1&to=2`,
    good: 204,
    places: everywhere,
    rule: ofThing('admin'),
  },
  backupMessages: { method: 'GET', path: () => '/reader/backup', good: 200, places: anywhere },
  restoreMessages: {
    method: 'POST',
    path: () => '/reader/restore',
    body: () => ({ json_messages: [], senml_messages: [] }),
    good: 201,
    places: anywhere,
  },
  passToEdge: {
    method: 'POST',
    path: () => '/http/messages',
    body: () => [{ n: 'a', v: 1 }],
    good: 202,
    places: anywhere,
    rule: (caller) => (caller === 'a thing' ? 'allowed' : 401),
  },
  viewHealth: { method: 'GET', path: () => '/health', good: 200, orElse: 503, places: anywhere },
  viewMetrics: { method: 'GET', path: () => '/metrics', good: 200, places: anywhere },
  viewDocs: { method: 'GET', path: () => '/docs/json', good: 200, places: anywhere },
  viewHome: { method: 'GET', path: () => '/', good: 200, places: anywhere },
  viewBench: { method: 'GET', path: () => '/bench', good: 200, places: anywhere },
  viewBenchResults: { method: 'GET', path: () => '/bench/results', good: 200, places: anywhere },
  enterConsole: { method: 'GET', path: () => '/console/tokens.css', good: 200, places: anywhere },
  viewSession: {
    method: 'GET',
    path: () => '/console/session',
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  useQueues: { method: 'GET', path: () => '/queues/api/queues', good: 200, places: anywhere },
};
