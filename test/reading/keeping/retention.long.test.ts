import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { at, call } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../../support/api/people.ts';

/** A worker looks every five seconds, and ClickHouse then rewrites what it has to. */
const goneMsMax = 60_000;

let people: People;
let owner: Person;

beforeAll(async () => {
  people = new People();
  owner = await people.register();
});

afterAll(() => people.close());

const put = (path: string, body: unknown, as = owner.as) => call('PUT', path, { as, body });
const view = (path: string) => call('GET', path, { as: owner.as });

describe('retention_days of an org and of a group', () => {
  it('shows where it is set, stays when it is not named, and is cleared by null', async () => {
    const orgId = await createdAt('/orgs', owner.as, { name: 'kept', retention_days: 365 });
    const groups = `/orgs/${orgId}/groups`;
    const groupId = await createdAt(groups, owner.as, { name: 'kept', retention_days: 30 });
    for (const [path, days] of [
      [`/orgs/${orgId}`, 365],
      [`/groups/${groupId}`, 30],
    ] as const) {
      expect(at(await view(path), 'retention_days')).toBe(days);
      expect((await put(path, { description: 'other' })).status).toBe(200);
      expect(at(await view(path), 'retention_days')).toBe(days);
      expect((await put(path, { retention_days: 36_500 })).status).toBe(200);
      expect(at(await view(path), 'retention_days')).toBe(36_500);
      expect((await put(path, { retention_days: null })).status).toBe(200);
      expect((await view(path)).text).not.toContain('retention_days');
    }
    const made = await call('POST', groups, {
      as: owner.as,
      body: [
        { name: 'two', retention_days: 2 },
        { name: 'none' },
        { name: 'nil', retention_days: null },
      ],
    });
    expect(at(made, 'groups', 0, 'retention_days')).toBe(2);
    expect(at(made, 'groups', 1, 'retention_days')).toBeUndefined();
    expect(at(made, 'groups', 2, 'retention_days')).toBeUndefined();
  });

  it('is a whole number of days from 1 to 36,500, or refused by its name', async () => {
    const { orgId, groupId } = await createEstate(owner.as);
    for (const days of [0, -1, 1.5, 36_501, '30', true, []]) {
      for (const path of [`/orgs/${orgId}`, `/groups/${groupId}`]) {
        const answer = await put(path, { retention_days: days });
        expect([days, answer.status]).toEqual([days, 400]);
        expect(at(answer, 'error')).toMatch(/retention_days/);
      }
    }
  });

  it('is set by who may update them', async () => {
    const { orgId, groupId } = await createEstate(owner.as);
    const [editor, admin] = [
      await people.member('group', groupId, 'editor'),
      await people.member('group', groupId, 'admin'),
    ];
    const days = { retention_days: 5 };
    expect((await put(`/groups/${groupId}`, days, editor.as)).status).toBe(403);
    expect((await put(`/orgs/${orgId}`, days, admin.as)).status).toBe(403);
    expect((await put(`/groups/${groupId}`, days, admin.as)).status).toBe(200);
  });
});

/** One message now, and one for each number of days ago, in both formats. */
async function publish(key: string, ages: readonly number[]): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const records = [0, ...ages].map((age) => ({ n: `days-${age}`, t: now - age * 86_400, v: age }));
  const objects = records.map(({ t, v }) => ({ age: v, at: t }));
  for (const [type, body] of [
    ['application/senml+json', records],
    ['application/json', objects],
  ] as const) {
    const answer = await call('POST', '/http/messages', {
      as: `Thing ${key}`,
      body,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(202);
  }
}

/** The ages of a thing's messages that are left, youngest first. */
async function left(publisher: string, format: 'senml' | 'json'): Promise<unknown[]> {
  const answer = await call('GET', `/reader/${format}?limit=100&publisher=${publisher}`, {
    as: owner.as,
  });
  const messages: unknown[] = [at(answer, 'messages')].flat();
  const place = format === 'senml' ? ['value'] : ['payload', 'age'];
  return messages.map((_, i) => at(answer, 'messages', i, ...place));
}

/** A profile whose JSON messages have a time of their own. */
async function timed(groupId: string, name: string): Promise<{ id: string; key: string }> {
  const config = { transformer: { time_field: 'at', time_format: 'unix' } };
  const answer = await call('POST', `/groups/${groupId}/profiles`, {
    as: owner.as,
    body: [{ name, config }],
  });
  const things = await createThings(owner.as, String(at(answer, 'profiles', 0, 'id')), [
    { name, type: 'device' },
  ]);
  const [thing] = things;
  if (thing === undefined) throw new Error('no thing was made');
  return thing;
}

async function both(publisher: string): Promise<unknown[][]> {
  return [await left(publisher, 'senml'), await left(publisher, 'json')];
}

describe('messages that are older than they are kept', () => {
  const ages = [1, 5, 20, 400];
  const all = [0, ...ages];
  let estate: Estate;

  it('leave, those of others stay, and a group’s own number goes before its org’s', async () => {
    estate = await createEstate(owner.as);
    const { orgId, groupId } = estate;
    const strict = await createdAt(`/orgs/${orgId}/groups`, owner.as, {
      name: 'strict',
      retention_days: 3,
    });
    const other = await createEstate(owner.as);
    const [ofOrg, ofGroup, ofOther] = [
      await timed(groupId, 'by its org'),
      await timed(strict, 'by its group'),
      await timed(other.groupId, 'for good'),
    ];
    await publish(ofOrg.key, ages);
    await publish(ofGroup.key, ages);
    await publish(ofOther.key, ages);
    await eventually(async () => {
      expect(await both(ofOther.id)).toEqual([all, all]);
    });
    expect((await put(`/orgs/${orgId}`, { retention_days: 10 })).status).toBe(200);

    await eventually(async () => {
      expect(await both(ofOrg.id)).toEqual([
        [0, 1, 5],
        [0, 1, 5],
      ]);
      expect(await both(ofGroup.id)).toEqual([
        [0, 1],
        [0, 1],
      ]);
    }, goneMsMax);
    expect(await both(ofOther.id)).toEqual([all, all]);

    // Moved to where less is kept, it loses more; what is no longer limited stays.
    const target = await call('POST', `/groups/${strict}/profiles`, {
      as: owner.as,
      body: [{ name: 'target' }],
    });
    const moved = await call('PATCH', `/things/${ofOrg.id}`, {
      as: owner.as,
      body: { profile_id: at(target, 'profiles', 0, 'id'), group_id: strict },
    });
    expect(moved.status).toBe(200);
    await eventually(async () => {
      expect(await both(ofOrg.id)).toEqual([
        [0, 1],
        [0, 1],
      ]);
    }, goneMsMax);
    expect(await both(ofOther.id)).toEqual([all, all]);
  });
});
