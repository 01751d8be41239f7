import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { at, call, textAt, wallOff } from '../support/api/http.ts';
import { inParallel } from '../support/api/parallel.ts';
import {
  createdAt,
  createThings,
  type Estate,
  login,
  loginAdmin,
  People,
  type Person,
  signIn,
} from '../support/api/people.ts';
import { insertAlarm } from '../support/fixtures/alarms.ts';
import { allRoutes, type FieldSchema, type Route } from '../support/api/routes.ts';

const atOnce = 16;

/** Everything that a tenant has. */
type Tenant = Estate & {
  mark: string;
  owner: Person;
  editor: Person;
  viewer: Person;
  apiKey: string;
  /** What opens something, or names someone. */
  secrets: string[];
  /** Of each of its entities, by the collection it stands in. */
  ids: Readonly<Record<string, readonly string[]>>;
  treeIds: string[];
};

let people: People;
let admin: string;
let first: Tenant;
let second: Tenant;
let routes: Route[];

beforeAll(async () => {
  people = new People();
  admin = await loginAdmin();
  routes = allRoutes.filter(isRead);
  first = await createTenant();
  second = await createTenant();
});

afterAll(() => people.close());

/** What is searched for in both tenants: part of all their names. */
const common = 'shared';

async function createTenant(): Promise<Tenant> {
  const mark = `mark-${randomUUID()}`;
  const name = `${common} ${mark}`;
  const described = { name, description: name, metadata: { [common]: true, note: mark } };
  const register = (role: string) => people.register(`${common}-${role}-${mark}@example.com`);
  const [owner, editor, viewer, guest] = await Promise.all(
    ['owner', 'editor', 'viewer', 'guest'].map(register),
  );
  if (!owner || !editor || !viewer || !guest) throw new Error('nobody was registered');
  const { as } = owner;
  await signIn(owner.email, mark);

  const orgId = await createdAt('/orgs', as, described);
  const groupId = await createdAt(`/orgs/${orgId}/groups`, as, described);
  for (const [person, role] of [
    [editor, 'editor'],
    [viewer, 'viewer'],
  ] as const) {
    await people.join('org', orgId, person, role);
    await people.join('group', groupId, person, role);
  }
  const config = {
    content_type: 'application/json',
    transformer: { data_filters: ['name', 'value', 'unit', mark] },
  };
  const profiles = `/groups/${groupId}/profiles`;
  const profileId = await createdAt(profiles, as, [{ ...described, config }]);
  const senmlProfileId = await createdAt(profiles, as, [{ name: `${name} senml` }]);
  const externalKey = `${mark}-external`;
  const thing = { type: 'device', metadata: described.metadata };
  const [json] = await createThings(as, profileId, [{ ...thing, name, external_key: externalKey }]);
  const [senml] = await createThings(as, senmlProfileId, [{ ...thing, name: `${name} senml` }]);
  if (json === undefined || senml === undefined) throw new Error('no thing was made');

  const hook = {
    name,
    metadata: described.metadata,
    url: `http://127.0.0.1:9/${mark}`,
    headers: { 'X-Mark': mark },
    secret: `${mark}-secret`,
  };
  const hooks = await call('POST', `/things/${json.id}/webhooks`, { as, body: [hook] });

  const conditions = [{ name: mark, when: '>', value: 8 }];
  const ruleId = await createdAt(`/groups/${groupId}/rules`, as, { name, conditions });
  const alarmId = await insertAlarm(people, senml.id, { ruleId, ruleName: name });

  const issued = await call('POST', '/keys', { as, body: { type: 2, duration: 3_600 } });
  const apiKey = textAt(issued, 'value');
  const invites = `/orgs/${orgId}/invites`;
  const group_invites = [{ group_id: groupId, member_role: 'viewer' }];
  const invite = { email: guest.email, role: 'viewer', redirect_path: `/${mark}`, group_invites };
  expect((await call('POST', invites, { as, body: invite })).status).toBe(201);
  const inviteId = textAt(await call('GET', invites, { as }), 'invites', 0, 'id');
  const platformInviteId = await createdAt('/invites', admin, {
    invitee_email: `${common}-new-${mark}@example.com`,
    org_id: orgId,
    role: 'viewer',
  });

  // Anybody reads hierarchical groups, so their own names bear no mark. Who is in them does.
  const treeId = await createdAt('/groups', as, { name: randomUUID() });
  const childId = await createdAt('/groups', as, { name: 'child', parent_id: treeId });
  const members = `/groups/${treeId}/members`;
  const userIds = [owner.id, editor.id, viewer.id, guest.id];
  const users = { members: userIds, type: 'users' };
  expect((await call('POST', members, { as, body: users })).status).toBe(200);
  const things = { members: [json.id, senml.id], type: 'things' };
  expect((await call('POST', members, { as, body: things })).status).toBe(200);

  for (const [key, body] of [
    [json.key, [{ name: mark, value: 1, unit: mark }]],
    [senml.key, [{ n: mark, u: 'V', v: 1 }]],
  ] as const) {
    const sender = `Thing ${key}`;
    expect((await call('POST', `/http/messages/${common}`, { as: sender, body })).status).toBe(202);
  }

  return {
    mark,
    owner,
    editor,
    viewer,
    apiKey: `Bearer ${apiKey}`,
    secrets: [mark, json.key, senml.key, apiKey],
    orgId,
    groupId,
    profileId,
    thingId: json.id,
    key: json.key,
    ids: {
      orgs: [orgId],
      groups: [groupId],
      profiles: [profileId, senmlProfileId],
      things: [json.id, senml.id],
      webhooks: [textAt(hooks, 0, 'id')],
      rules: [ruleId],
      alarms: [alarmId],
      users: userIds,
      keys: [textAt(issued, 'id')],
      invites: [inviteId, platformInviteId],
    },
    treeIds: [treeId, childId],
  };
}

function isRead({ method, url, operation }: Route): boolean {
  const ofNobody: readonly string[] = [
    'viewMetrics',
    'viewDocs',
    'passToEdge',
    'enterConsole',
    'viewQueuesPage',
    'viewHome',
    'viewBench',
    'viewBenchResults',
    // Its reach: reading/influx/show.test.ts.
    'queryInflux',
  ];
  // What is followed is still to come; see live.test.ts.
  if (/^(follow|viewHealth)/.test(operation) || ofNobody.includes(operation)) return false;
  return method === 'GET' || (method === 'POST' && url.endsWith('/search'));
}

const isOfTrees = ({ operation }: Route) => operation.includes('Tree');

/** Good values of a parameter of a list. */
function valuesOf(name: string, field: FieldSchema): unknown[] {
  if (field.enum !== undefined) return [...field.enum];
  if (name === 'metadata') return [{ [common]: true }, {}];
  if (name === 'publisher') return [...(second.ids['things'] ?? []), first.thingId];
  if (name === 'limit') return [1, 200];
  if (name === 'offset' || name === 'level') return [1];
  if (field.type === 'boolean') return [true, false];
  return [common, '%'];
}

type Request = { route: Route; path: string; asked: Record<string, unknown> };

/** `npm run test:faults` asks at all ids of each kind with all filters, and else at one of each kind. */
const isLong = process.env['LONG'] !== undefined;
const fewOf = (ids: readonly string[]) => (isLong ? ids : ids.slice(0, 1));

/** Plain reads at these paths. */
function plainAt(route: Route, paths: string[]): Request[] {
  return paths.map((path) => ({ route, path, asked: {} }));
}

/** Reads at these paths with each filter, and with the largest page. */
function filteredAt(route: Route, paths: string[]): Request[] {
  const fields = Object.entries(route.query);
  const taken = fields.length > 0 ? fields : Object.entries(searchFields);
  const asked = taken.flatMap(([name, field]) =>
    valuesOf(name, field).map((value) => ({ [name]: value })),
  );
  return paths.flatMap((path) => asked.map((one) => ({ route, path, asked: one })));
}

/** What searches take, and lists that say so. */
const searchFields: Readonly<Record<string, FieldSchema>> = {
  limit: { type: 'integer' },
  offset: { type: 'integer' },
  name: { type: 'string' },
  metadata: {},
  dir: { enum: ['asc', 'desc'] },
};

function requests(): Request[] {
  return routes.flatMap((route) => {
    const { url } = route;
    if (!url.includes(':')) return [...plainAt(route, [url]), ...filteredAt(route, [url])];
    const [, collection = ''] = url.split('/');
    const isTree = isOfTrees(route) && collection === 'groups';
    const name = collection === 'members' ? 'users' : collection;
    const idsOf = ({ ids, treeIds }: Tenant) => (isTree ? treeIds : (ids[name] ?? []));
    const right = [...idsOf(first), ...idsOf(second)];
    // One path serves both kinds of groups, told apart by the id.
    const elsewhere = collection === 'groups' ? [] : [second.treeIds];
    const others = [...Object.values(second.ids), ...elsewhere]
      .flatMap(fewOf)
      .filter((id) => !right.includes(id));
    const users = [...(first.ids['users'] ?? []), ...(second.ids['users'] ?? [])];
    const pathsAt = (ids: readonly string[]) =>
      ids.flatMap((id) => {
        const path = url.replace(/:\w+/, id);
        return path.includes(':') ? users.map((user) => path.replace(/:\w+/, user)) : path;
      });
    return [
      ...plainAt(route, [...pathsAt(right), ...pathsAt(others)]),
      ...filteredAt(
        route,
        [first, second].flatMap((tenant) => fewOf(pathsAt(idsOf(tenant)))),
      ),
    ];
  });
}

async function send(as: string, { route, path, asked }: Request): Promise<number> {
  const { method } = route;
  if (method === 'POST') return (await call(method, path, { as, body: asked })).status;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return (await call(method, `${path}?${query.toString()}`, { as })).status;
}

/** Where a tenant's own messages show once they are stored. */
async function untilStored({ owner, mark }: Tenant): Promise<void> {
  for (const format of ['senml', 'json']) {
    await eventually(async () => {
      const answer = await call('GET', `/reader/${format}`, { as: owner.as });
      return answer.text.includes(mark);
    });
  }
}

/** Else only who sees most, and who comes with another credential. */
const readers = isLong
  ? (['owner', 'editor', 'viewer', 'apiKey'] as const)
  : (['owner', 'apiKey'] as const);
const isPlain = (asked: Record<string, unknown>) => Object.keys(asked).length === 0;

describe('two tenants', () => {
  it.each(readers)('no read by the %s of the first shows anything of the second', async (who) => {
    await untilStored(second);
    const reader = first[who];
    const as = typeof reader === 'string' ? reader : reader.as;
    const ids = Object.values(second.ids).flat();
    const failures: string[] = [];
    const strange: unknown[] = [];
    // An API key has the rights of its issuer: what it may read is decided in the same place.
    const all = requests().filter(({ asked }) => isLong || who !== 'apiKey' || isPlain(asked));
    const plain = all.filter(({ route }) => !isOfTrees(route));
    const ofTrees = all.filter(({ route }) => isOfTrees(route));
    for (const [some, texts] of [
      [plain, [...second.secrets, ...ids]],
      [ofTrees, second.secrets],
    ] as const) {
      wallOff(as, texts);
      await inParallel(atOnce, some, async (one) => {
        try {
          const status = await send(as, one);
          if (![200, 400, 401, 403, 404].includes(status))
            strange.push([one.path, one.asked, status]);
        } catch (failure) {
          failures.push(String(failure));
        }
      });
    }
    wallOff(as, []);
    expect(failures).toEqual([]);
    expect(strange).toEqual([]);
    expect(all.length).toBeGreaterThan(who === 'owner' ? 500 : 100);
  });

  it('reads of the second show its marks: so they can be found', async () => {
    await untilStored(second);
    const blind: string[] = [];
    const hidden = new Set([
      'listPlatformInvites',
      'viewOwnMetadata',
      'listKeys',
      'backupMessages',
      'viewRevocationList',
      'listAudit',
      'exportAudit',
      // Of the installation: it has nothing of tenants.
      'viewOperations',
      'listQueues',
      // It counts, and names alarms and webhooks alone.
      'viewOverview',
      // It names things in its body.
      'searchThingValues',
    ]);
    const lists = routes.filter(
      ({ url, operation }) => !url.includes(':') && !hidden.has(operation),
    );
    expect(lists.length).toBeGreaterThan(6);
    for (const { method, url } of lists) {
      const answer = await call(method, url, { as: second.owner.as });
      if (!answer.text.includes(second.mark)) blind.push(`${url}: ${answer.status} ${answer.text}`);
    }
    expect(blind).toEqual([]);
  });

  it('reads of the second would fail the check of the first', async () => {
    const as = await login(second.owner.email);
    wallOff(as, second.secrets);
    await expect(call('GET', `/orgs/${second.orgId}`, { as })).rejects.toThrow(second.mark);
    await expect(call('GET', `/things/${second.thingId}`, { as })).rejects.toThrow(second.mark);
  });

  it('totals do not count each other’s', async () => {
    const paths = ['/orgs', '/groups', '/profiles', '/things'];
    for (const path of paths) {
      const answer = await call('GET', `${path}?name=${common}`, { as: first.owner.as });
      const own = await call('GET', `${path}?name=${first.mark}`, { as: first.owner.as });
      expect([path, at(answer, 'total')]).toEqual([path, at(own, 'total')]);
      const foreign = await call('GET', `${path}?name=${second.mark}`, { as: first.owner.as });
      expect([path, at(foreign, 'total')]).toEqual([path, 0]);
    }
  });

  it('a thing reads nothing but itself', async () => {
    await untilStored(second);
    const as = `Thing ${first.key}`;
    wallOff(as, [...second.secrets, ...Object.values(second.ids).flat()]);
    const open = routes.filter(({ url }) => !url.includes(':'));
    await inParallel(
      atOnce,
      open.flatMap((route) => plainAt(route, [route.url])),
      async (one) => {
        // Who it is is asked before what is asked for.
        if ((await send(as, one)) === 401) return;
        for (const filtered of filteredAt(one.route, [one.path])) await send(as, filtered);
      },
    );
    expect((await call('GET', '/metadata', { as })).text).toContain(first.mark);
  });
});
