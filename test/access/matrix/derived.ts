import { randomUUID } from 'node:crypto';
import type { Operation } from '../../../api/http/operation.ts';
import { entityPlaces } from '../../../api/http/requirement.ts';
import { exampleOf } from '../../../schemas/http/examples.ts';
import { membersOf } from '../../../schemas/members.ts';
import { password } from '../../support/api/people.ts';
import { anywhere, everywhere, type Listed, orgs, type Sample } from './sample.ts';
import type { Fresh, Place, World } from './world.ts';

/** A request of an operation, made from what it says of itself: its path, its query, and the example of its body. */
export function derive(operation: Operation): Sample {
  const { method, name, path, needs, body, audit } = operation;
  const named = kindIn(operation);
  const isChange = audit !== undefined && method !== 'POST' && method !== 'GET';
  const isSearch = path.endsWith('/search');
  const list = listOf(operation);
  return {
    method,
    path: (place, world) => `${pathOf(operation, place)}${queryOf(operation, place, world)}`,
    ...(body === undefined
      ? {}
      : {
          body: (place, world) =>
            isSearch ? searchOf(operation, place, world) : fill(exampleOfBody(body), place, world),
        }),
    good: goodOf(operation),
    places:
      needs.kind === 'member'
        ? entityPlaces[needs.of] === 'org'
          ? orgs
          : everywhere
        : named === undefined
          ? anywhere
          : inGroups.has(named)
            ? everywhere
            : orgs,
    ...(isChange && named !== undefined ? { fresh: named } : {}),
    ...(list === undefined || !/^(list|search)[A-Z]/.test(name) ? {} : { lists: list }),
  };
}

/** Entities whose role is the one in their group. */
const inGroups: ReadonlySet<Fresh> = new Set([
  'group',
  'profile',
  'thing',
  'webhook',
  'certificate',
  'command',
  'alarm',
  'silence',
  'rule',
  'dashboard',
  'annotation',
  'share',
]);

/** The kind of entity that an id names, by the segment of the path before it. */
const kinds: Readonly<Record<string, Fresh>> = {
  orgs: 'org',
  groups: 'group',
  profiles: 'profile',
  things: 'thing',
  webhooks: 'webhook',
  certs: 'certificate',
  commands: 'command',
  alarms: 'alarm',
  silences: 'silence',
  rules: 'rule',
  dashboards: 'dashboard',
  annotations: 'annotation',
  shares: 'share',
  keys: 'key',
  sessions: 'session',
  invites: 'invite',
};

const ids: Readonly<Record<string, (place: Place) => string>> = {
  users: ({ owner }) => owner.id,
  orgs: ({ orgId }) => orgId,
  groups: ({ groupId }) => groupId,
  profiles: ({ profileId }) => profileId,
  things: ({ thingId }) => thingId,
  webhooks: ({ webhookId }) => webhookId,
  commands: ({ commandId }) => commandId,
  alarms: ({ alarmId }) => alarmId,
  silences: ({ silenceId }) => silenceId,
  rules: ({ ruleId }) => ruleId,
  dashboards: ({ dashboardId }) => dashboardId,
  versions: () => '1',
  annotations: ({ annotationId }) => annotationId,
  shares: ({ shareId }) => shareId,
  shared: ({ shareToken }) => shareToken,
  panels: () => 'one',
  certs: ({ serial }) => serial,
  keys: ({ keyId }) => keyId,
  sessions: ({ sessionId }) => sessionId,
  invites: ({ inviteId }) => inviteId,
  invite: ({ platformInvite }) => platformInvite.id,
  members: ({ orgMember }) => orgMember.id,
  senml: ({ thingId }) => thingId,
  json: ({ thingId }) => thingId,
};

/** The kind of entity that the path names, or the ids in the body. */
function kindIn({ path, tag, body }: Operation): Fresh | undefined {
  const [, segment] = /\/(\w+)\/:/.exec(path) ?? [];
  const [, several] = /"(\w+)_ids":/.exec(JSON.stringify(exampleOfBody(body)) ?? '') ?? [];
  if (segment === undefined) return several === undefined ? undefined : kinds[`${several}s`];
  return tag === 'hierarchical groups' ? 'tree' : kinds[segment];
}

function pathOf({ path, tag }: Operation, place: Place): string {
  const plain = path.replace(/\(.*?\)(?=\/|$)/, '');
  return plain.replaceAll(/(\w+)\/:\w+/g, (_, segment: string) => {
    const id = tag === 'hierarchical groups' ? place.treeId : ids[segment]?.(place);
    if (id === undefined) throw new Error(`no id after ${segment}`);
    return `${segment}/${id}`;
  });
}

/** Long before there was a message: what others of this system store stays. */
const longAgo = { from: '2001-01-01', to: '2001-01-02' };

/** As much as there is of what stands; of messages those of the place's thing. */
function queryOf({ query, removes, path }: Operation, place: Place, { mark }: World): string {
  const taken = membersOf(membersOf(query)['properties']);
  const wanted = {
    limit: '200',
    name: mark,
    email: mark,
    org_id: place.orgId,
    level: '5',
    tree: 'true',
    wait: '1',
    ...(path.includes(':publisher') ? {} : { publisher: place.thingId }),
    ...(removes ? longAgo : {}),
  };
  const given = Object.entries(wanted).filter(
    // A message's name is that of its record; a deletion has no page.
    ([name]) =>
      Object.hasOwn(taken, name) &&
      !(path.startsWith('/reader/') && ['name', 'limit'].includes(name)),
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function searchOf({ path, body }: Operation, place: Place, { mark }: World): unknown {
  if (path.startsWith('/reader/')) return { publisher: place.thingId, limit: 1 };
  const taken = membersOf(membersOf(body)['properties']);
  return { limit: 200, offset: 0, [Object.hasOwn(taken, 'email') ? 'email' : 'name']: mark };
}

function exampleOfBody(body: unknown): unknown {
  // A list, or what clients send instead of one.
  return body === undefined ? undefined : exampleOf(membersOf(body)['then'] ?? body, {});
}

/** Members of bodies that must be of the place, or new. */
const members: Readonly<Record<string, (place: Place, world: World) => unknown>> = {
  id: () => randomUUID(),
  name: () => randomUUID(),
  key: () => randomUUID(),
  external_key: () => randomUUID(),
  secret: () => randomUUID(),
  // Nothing listens there.
  url: () => 'http://127.0.0.1:9/hook',
  password: () => password,
  email: (_, { newcomer }) => newcomer.email,
  invitee_email: () => `${randomUUID()}@example.com`,
  member_id: (_, { newcomer }) => newcomer.id,
  org_id: ({ orgId }) => orgId,
  group_id: ({ groupId }) => groupId,
  profile_id: ({ profileId }) => profileId,
  thing_id: ({ thingId }) => thingId,
  group_ids: ({ groupId }) => [groupId],
  profile_ids: ({ profileId }) => [profileId],
  thing_ids: ({ thingId }) => [thingId],
  webhook_ids: ({ webhookId }) => [webhookId],
};

function fill(example: unknown, place: Place, world: World): unknown {
  if (Array.isArray(example)) return example.map((one) => fill(one, place, world));
  if (typeof example !== 'object' || example === null) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      members[name]?.(place, world) ?? fill(value, place, world),
    ]),
  );
}

function goodOf({ answers, written }: Operation): number {
  const statuses = Object.keys(answers ?? written ?? { 200: '' }).map(Number);
  return statuses.find((status) => status < 300) ?? 200;
}

const listed: Readonly<Record<string, Listed>> = {
  users: 'user',
  orgs: 'org',
  groups: 'group',
  profiles: 'profile',
  things: 'thing',
  webhooks: 'webhook',
};

function listOf({ path, needs, tag }: Operation): Sample['lists'] {
  const what = listed[path.replace('/search', '').split('/').at(-1) ?? ''];
  if (what === undefined || tag === 'hierarchical groups') return undefined;
  if (needs.kind !== 'member') return { what, within: 'everything' };
  return { what, within: entityPlaces[needs.of] };
}
