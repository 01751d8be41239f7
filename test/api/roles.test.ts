import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '../../api/permissions.ts';
import { at, call, type Method } from './http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
} from './people.ts';

const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

/** Who may come, and the level each has in the org and in the group of the estate: 0 none, 4 owner. */
const callers = {
  outsider: { org: 0, group: 0 },
  'org viewer': { org: 1, group: 0 },
  'org editor': { org: 2, group: 0 },
  'org admin': { org: 3, group: 0 },
  'group viewer': { org: 0, group: 1 },
  'group editor': { org: 0, group: 2 },
  'group admin': { org: 0, group: 3 },
  'group owner': { org: 0, group: 4 },
  'platform admin': { org: 4, group: 4 },
} as const;
type CallerName = keyof typeof callers;
const levels = { viewer: 1, editor: 2, admin: 3, owner: 4 } as const;

let people: People;
let estate: Estate;
const tokens = new Map<CallerName, string>();

beforeAll(async () => {
  people = new People();
  const admin = await loginAdmin();
  estate = await createEstate(admin);
  tokens.set('platform admin', admin);
  tokens.set('outsider', (await people.register()).as);
  for (const role of ['viewer', 'editor', 'admin'] as const) {
    tokens.set(`org ${role}`, (await people.member('org', estate.orgId, role)).as);
  }
  for (const role of ['viewer', 'editor', 'admin', 'owner'] as const) {
    tokens.set(`group ${role}`, (await people.member('group', estate.groupId, role)).as);
  }
});

afterAll(() => people.close());

type Trial = {
  /** The least role that may, in the org or group where the entity is: the contract's words again. */
  from: keyof typeof levels;
  of: 'org' | 'group' | 'profile' | 'thing';
  method: Method;
  path: (id: string) => string;
  body?: () => unknown;
  good: number;
};

/** One good request of each operation that needs a membership. */
const trials: Readonly<Record<string, Trial>> = {
  viewOrg: { from: 'viewer', of: 'org', method: 'GET', path: (id) => `/orgs/${id}`, good: 200 },
  createGroups: {
    from: 'editor',
    of: 'org',
    method: 'POST',
    path: (id) => `/orgs/${id}/groups`,
    good: 201,
    body: () => ({ name: randomUUID() }),
  },
  viewGroup: {
    from: 'viewer',
    of: 'group',
    method: 'GET',
    path: (id) => `/groups/${id}`,
    good: 200,
  },
  createProfiles: {
    from: 'editor',
    of: 'group',
    method: 'POST',
    path: (id) => `/groups/${id}/profiles`,
    good: 201,
    body: () => [{ name: randomUUID() }],
  },
  viewProfile: {
    from: 'viewer',
    of: 'profile',
    method: 'GET',
    path: (id) => `/profiles/${id}`,
    good: 200,
  },
  updateProfile: {
    from: 'editor',
    of: 'profile',
    method: 'PUT',
    path: (id) => `/profiles/${id}`,
    good: 200,
    body: () => ({ metadata: {} }),
  },
  createThings: {
    from: 'editor',
    of: 'profile',
    method: 'POST',
    path: (id) => `/profiles/${id}/things`,
    good: 201,
    body: () => [{ name: randomUUID(), type: 'device' }],
  },
  viewThing: {
    from: 'viewer',
    of: 'thing',
    method: 'GET',
    path: (id) => `/things/${id}`,
    good: 200,
  },
  updateThing: {
    from: 'editor',
    of: 'thing',
    method: 'PUT',
    path: (id) => `/things/${id}`,
    good: 200,
    body: () => ({ metadata: {} }),
  },
  deleteThing: {
    from: 'admin',
    of: 'thing',
    method: 'DELETE',
    path: (id) => `/things/${id}`,
    good: 204,
  },
  setExternalKey: {
    from: 'editor',
    of: 'thing',
    method: 'PATCH',
    path: (id) => `/things/${id}/external-key`,
    good: 201,
    body: () => ({ key: randomUUID() }),
  },
  removeExternalKey: {
    from: 'editor',
    of: 'thing',
    method: 'DELETE',
    path: (id) => `/things/${id}/external-key`,
    good: 204,
  },
};

async function idOf(kind: 'org' | 'group' | 'profile' | 'thing'): Promise<string> {
  if (kind === 'org') return estate.orgId;
  if (kind === 'group') return estate.groupId;
  if (kind === 'profile') return estate.profileId;
  const admin = tokens.get('platform admin') ?? '';
  const [thing] = await createThings(admin, estate.profileId, [
    { name: randomUUID(), type: 'device' },
  ]);
  return thing?.id ?? '';
}

describe('the permission table holds', () => {
  const rows = Object.entries(trials).map(([operation, trial]) => ({ operation, ...trial }));

  it('for every operation it asks a membership for', () => {
    const members = Object.entries(permissions).filter(([, row]) => row.who === 'member');
    expect(Object.keys(trials).toSorted()).toEqual(members.map(([name]) => name).toSorted());
  });

  it.each(rows)('$operation: $from in the place of the $of', async ({ from, of, ...trial }) => {
    const ask = (as: string | undefined, id: string) =>
      call(trial.method, trial.path(id), {
        ...(as === undefined ? {} : { as }),
        ...(trial.body === undefined ? {} : { body: trial.body() }),
      });

    const place = of === 'org' ? 'org' : 'group';
    for (const [name, level] of Object.entries(callers)) {
      const as = new Map<string, string>(tokens).get(name);
      const allowed = level[place] >= levels[from];
      const own = await ask(as, await idOf(of));
      expect([name, own.status]).toEqual([name, allowed ? trial.good : 403]);
      expect([name, (await ask(as, absent)).status]).toEqual([name, 404]);
      expect([name, (await ask(as, 'no-uuid')).status]).toEqual([name, 400]);
    }
    const id = await idOf(of);
    expect((await ask(undefined, id)).status).toBe(401);
    expect((await ask('Bearer rubbish', id)).status).toBe(401);
    expect((await ask(`Thing ${estate.key}`, id)).status).toBe(401);
  });
});

describe('keys of things', () => {
  it('show from editor up', async () => {
    const path = `/things/${estate.thingId}`;
    for (const name of ['group editor', 'group admin', 'group owner', 'platform admin'] as const) {
      const answer = await call('GET', path, { as: tokens.get(name) ?? '' });
      expect([name, at(answer, 'key')]).toEqual([name, estate.key]);
    }
    const answer = await call('GET', path, { as: tokens.get('group viewer') ?? '' });
    expect(answer.text).not.toContain('key');
  });
});

describe('rights in an org', () => {
  it('are none in its groups', async () => {
    const owner = await people.register();
    const orgId = await createdAt('/orgs', owner.as, { name: 'org' });
    const groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
    const orgAdmin = await people.member('org', orgId, 'admin');
    expect((await call('GET', `/groups/${groupId}`, { as: owner.as })).status).toBe(200);
    expect((await call('GET', `/groups/${groupId}`, { as: orgAdmin.as })).status).toBe(403);
  });
});
