import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { at, call, json } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';
import { system } from '../support/system.ts';
import { race } from './race.ts';

let admin: string;
let people: People;
let owner: Person;
let estate: Estate;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
});

afterAll(() => people.close());

async function limit(orgId: string, quota: object): Promise<void> {
  const answer = await call('PUT', `/orgs/${orgId}/quota`, { as: admin, body: quota });
  expect([answer.status, answer.text]).toEqual([200, '']);
}

async function usage(orgId: string): Promise<Record<string, unknown>> {
  const answer = await call('GET', `/orgs/${orgId}/usage`, { as: owner.as });
  expect(answer.status).toBe(200);
  return Object(json(answer));
}

const make = (profileId: string, count = 1) =>
  call('POST', `/profiles/${profileId}/things`, {
    as: owner.as,
    body: Array.from({ length: count }, () => ({ name: randomUUID(), type: 'device' })),
  });

const hook = () => [{ name: randomUUID(), url: 'https://example.com/hook' }];

/** Sends so many records as one message; gives the status, and what the answer says of waiting. */
async function send(key: string, records = 1) {
  const pack = Array.from({ length: records }, (_, i) => ({ n: `r${i}`, v: i }));
  const { statusCode, headers, body } = await request(`${system().ingestUrl}/http/messages`, {
    method: 'POST',
    headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
    body: JSON.stringify(pack),
  });
  return { status: statusCode, headers, text: await body.text() };
}

describe('a quota', () => {
  it('is set member by member, shown beside the usage, and told in the audit log', async () => {
    estate = await createEstate(owner.as);
    const { orgId } = estate;
    expect(await usage(orgId)).toEqual({
      org_id: orgId,
      month: new Date().toISOString().slice(0, 7),
      things: 1,
      webhooks: 0,
      rules: 0,
      messages: 0,
      records: 0,
      stored_records: 0,
      quota: {},
    });
    await limit(orgId, { things: 3, webhooks: 2, storage_days: 30 });
    await limit(orgId, { webhooks: null, messages_per_month: 10_000_000_000 });
    expect((await usage(orgId))['quota']).toEqual({
      things: 3,
      storage_days: 30,
      messages_per_month: 10_000_000_000,
    });
    const log = await call('GET', `/orgs/${orgId}/audit?kind=quota`, { as: owner.as });
    expect(at(log, 'entries')).toMatchObject([
      {
        action: 'update',
        entity_id: orgId,
        entity_name: 'org',
        changes: { webhooks: { from: '2' }, messages_per_month: { to: '10000000000' } },
      },
      {
        action: 'create',
        changes: { things: { to: '3' }, webhooks: { to: '2' }, storage_days: { to: '30' } },
      },
    ]);
    for (const body of [{ things: -1 }, { records_per_second: 0 }, { storage_days: 'x' }]) {
      const path = `/orgs/${orgId}/quota`;
      expect((await call('PUT', path, { as: admin, body })).status).toBe(400);
    }
    const absent = await call('PUT', `/orgs/${randomUUID()}/quota`, { as: admin, body: {} });
    expect(absent.status).toBe(404);
  });

  it('of things holds where they are made and where they come from another org', async () => {
    const [one, other] = [await createEstate(owner.as), await createEstate(owner.as)];
    await limit(one.orgId, { things: 3 });
    const tooMany = await make(one.profileId, 3);
    expect([tooMany.status, at(tooMany, 'code'), at(tooMany, 'error')]).toEqual([
      409,
      'conflict',
      expect.stringContaining('the org may have no more things: its quota'),
    ]);
    expect((await make(one.profileId, 2)).status).toBe(201);

    const move = (thingId: string, { profileId }: Estate) =>
      call('PATCH', `/things/${thingId}`, { as: owner.as, body: { profile_id: profileId } });
    expect((await move(other.thingId, one)).status).toBe(409);
    expect((await call('DELETE', `/things/${one.thingId}`, { as: owner.as })).status).toBe(204);
    expect((await move(other.thingId, one)).status).toBe(200);

    // Over a quota that was lowered, what is there stays, and moves within the org.
    await limit(one.orgId, { things: 1 });
    const groupId = await createdAt(`/orgs/${one.orgId}/groups`, owner.as, { name: 'another' });
    const profileId = await createdAt(`/groups/${groupId}/profiles`, owner.as, [{ name: 'p' }]);
    expect((await move(other.thingId, { ...one, profileId })).status).toBe(200);
    expect((await usage(one.orgId))['things']).toBe(3);
    expect((await make(other.profileId, 5)).status).toBe(201);
  });

  it('of webhooks holds for those of the org, its groups and its things together', async () => {
    const { orgId, groupId, thingId } = await createEstate(owner.as);
    await limit(orgId, { webhooks: 2 });
    const paths = [
      `/things/${thingId}/webhooks`,
      `/groups/${groupId}/webhooks`,
      `/orgs/${orgId}/webhooks`,
    ];
    const statuses: number[] = [];
    for (const path of paths) {
      statuses.push((await call('POST', path, { as: owner.as, body: hook() })).status);
    }
    expect(statuses).toEqual([201, 201, 409]);
    expect((await usage(orgId))['webhooks']).toBe(2);
  });

  it('is not exceeded by requests at once', async () => {
    const { orgId, groupId, thingId, profileId } = await createEstate(owner.as);
    const second = await createdAt(`/groups/${groupId}/profiles`, owner.as, [{ name: 'second' }]);
    await limit(orgId, { things: 8, webhooks: 5 });
    const things = await race(20, (i) => make(i % 2 === 0 ? profileId : second));
    expect(things).toEqual([...Array<number>(7).fill(201), ...Array<number>(13).fill(409)]);
    const webhooks = await race(20, (i) => {
      const path = [`/things/${thingId}`, `/groups/${groupId}`, `/orgs/${orgId}`][i % 3];
      return call('POST', `${path}/webhooks`, { as: owner.as, body: hook() });
    });
    expect(webhooks).toEqual([...Array<number>(5).fill(201), ...Array<number>(15).fill(409)]);
    expect(await usage(orgId)).toMatchObject({ things: 8, webhooks: 5 });
  });
});

// They wait for the next report of an edge.
describe.concurrent('messages of an org', () => {
  it('are counted, with their records, and what is stored of them', async () => {
    const { orgId, key } = await createEstate(owner.as);
    for (const records of [1, 2, 3]) expect((await send(key, records)).status).toBe(202);
    await eventually(async () => {
      const counted = await usage(orgId);
      return counted['messages'] === 3 && counted['stored_records'] === 6;
    });
    expect(await usage(orgId)).toMatchObject({ messages: 3, records: 6 });
  });

  it('are refused over the quota of the month, and taken when it is raised', async () => {
    const { orgId, key } = await createEstate(owner.as);
    const bystander = await createEstate(owner.as);
    await limit(orgId, { messages_per_month: 1 });
    expect((await send(key)).status).toBe(202);
    await eventually(async () => (await send(key)).status === 429);
    const refused = await send(key);
    expect(refused.text).toContain('the quota of messages of an org');
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(3_600);
    expect(refused.headers['ratelimit']).toMatch(/^"messages of an org";r=0;t=\d+$/);
    expect((await send(bystander.key)).status).toBe(202);

    const [{ messages }] = [await usage(orgId)];
    await limit(orgId, { messages_per_month: Number(messages) + 1_000 });
    await eventually(async () => (await send(key)).status === 202);
    await limit(orgId, { messages_per_month: 0 });
    await eventually(async () => (await send(key)).status === 429);
    await limit(orgId, { messages_per_month: null });
    await eventually(async () => (await send(key)).status === 202);
  });

  it('are refused over the quota of records a second', async () => {
    const { orgId, key } = await createEstate(owner.as);
    await limit(orgId, { records_per_second: 1 });
    await eventually(async () => (await send(key, 600)).status === 429);
    const { headers } = await send(key);
    expect(Number(headers['retry-after'])).toBeGreaterThan(500);
    expect(headers['ratelimit-policy']).toBe('"records of an org";q=1;w=1');
  });
});
