import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Answer, at, call, textAt } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';

const atOnce = 50;

let admin: string;
let people: People;
let estate: Estate;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  estate = await createEstate(admin);
});

afterAll(() => people.close());

/** Sends the same request fifty times at once; gives how many got which status. */
async function race(send: (i: number) => Promise<Answer>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: atOnce }, (_, i) => send(i)));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Invites a person to an org and gives the invite's id. */
async function invite(orgId: string, groupId: string, person: Person): Promise<string> {
  const path = `/orgs/${orgId}/invites`;
  const body = {
    email: person.email,
    role: 'editor',
    group_invites: [{ group_id: groupId, member_role: 'viewer' }],
  };
  expect((await call('POST', path, { as: admin, body })).status).toBe(201);
  const found = await call('GET', `${path}?email=${person.email}`, { as: admin });
  return textAt(found, 'invites', 0, 'id');
}

async function count(table: string, column: string, value: string): Promise<unknown> {
  const text = `SELECT count(*)::int AS rows FROM ${table} WHERE ${column} = $1`;
  return (await people.rows(text, [value]))[0]?.['rows'];
}

const oneWinner = { 201: 1, 409: atOnce - 1 };

describe('of fifty requests at once one succeeds', () => {
  it('that create a thing with the same id', async () => {
    const id = randomUUID();
    const path = `/profiles/${estate.profileId}/things`;
    const counts = await race((i) =>
      call('POST', path, { as: admin, body: [{ id, name: `racer ${i} ${id}`, type: 'device' }] }),
    );
    expect(counts).toEqual(oneWinner);
    expect((await call('GET', `/things/${id}`, { as: admin })).status).toBe(200);
    const list = await call('GET', `/things?name=${id}`, { as: admin });
    expect(at(list, 'total')).toBe(1);
  });

  it('that create a profile with the same id', async () => {
    const id = randomUUID();
    const path = `/groups/${estate.groupId}/profiles`;
    const counts = await race((i) =>
      call('POST', path, { as: admin, body: [{ id, name: `racer ${i} ${id}` }] }),
    );
    expect(counts).toEqual(oneWinner);
  });

  it('that create a group with the same name', async () => {
    const name = randomUUID();
    const path = `/orgs/${estate.orgId}/groups`;
    expect(await race(() => call('POST', path, { as: admin, body: { name } }))).toEqual(oneWinner);
    expect(await count('groups', 'name', name)).toBe(1);
    expect(at(await call('GET', `${path}?name=${name}`, { as: admin }), 'total')).toBe(1);
  });

  it('that create a hierarchical group with the same name', async () => {
    const name = randomUUID();
    const counts = await race(() => call('POST', '/groups', { as: admin, body: { name } }));
    expect(counts).toEqual(oneWinner);
    expect(await count('tree_groups', 'name', name)).toBe(1);
  });

  it('that set the same external key', async () => {
    const key = `ext-${randomUUID()}`;
    const things = await createThings(
      admin,
      estate.profileId,
      Array.from({ length: atOnce }, () => ({ name: randomUUID(), type: 'device' })),
    );
    const counts = await race((i) =>
      call('PATCH', `/things/${things[i]?.id}/external-key`, { as: admin, body: { key } }),
    );
    expect(counts).toEqual(oneWinner);
    const found = await call('POST', '/identify', { body: { key, type: 'external' } });
    expect(things.map(({ id }) => id)).toContain(textAt(found, 'id'));
  });

  it('that accept an invite', async () => {
    const person = await people.register();
    const id = await invite(estate.orgId, estate.groupId, person);
    const counts = await race(() => call('POST', `/invites/${id}/accept`, { as: person.as }));
    expect(counts).toEqual({ 201: 1, 403: atOnce - 1 });
    expect(await count('org_memberships', 'member_id', person.id)).toBe(1);
    expect(await count('group_memberships', 'member_id', person.id)).toBe(1);
    const read = await call('GET', `/invites/${id}`, { as: person.as });
    expect(at(read, 'state')).toBe('accepted');
  });

  it('that invite one person to an org', async () => {
    const { email, id } = await people.register();
    const path = `/orgs/${estate.orgId}/invites`;
    const body = { email, role: 'viewer' };
    expect(await race(() => call('POST', path, { as: admin, body }))).toEqual(oneWinner);
    expect(await count('org_invites', 'invitee_id', id)).toBe(1);
  });

  it('that register by an invite', async () => {
    const email = `${randomUUID()}@example.com`;
    const id = await createdAt('/invites', admin, { invitee_email: email });
    const body = { email, password: 'correct horse battery' };
    const counts = await race(() => call('POST', `/register/invite/${id}`, { body }));
    expect(counts[201]).toBe(1);
    expect((counts[403] ?? 0) + (counts[409] ?? 0)).toBe(atOnce - 1);
    expect(await count('users', 'email', email)).toBe(1);
  });
});

describe('accepting, declining and revoking an invite at once', () => {
  it('ends in one state, with a membership if and only if it was accepted', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await people.register();
      const id = await invite(estate.orgId, estate.groupId, person);
      const ways = [
        () => call('POST', `/invites/${id}/accept`, { as: person.as }),
        () => call('POST', `/invites/${id}/decline`, { as: person.as }),
        () => call('DELETE', `/invites/${id}`, { as: admin }),
      ];
      const answers = await Promise.all(ways.map((way) => way()));
      const won = answers.map(({ status }) => status < 300);
      expect([won.filter(Boolean).length, answers.map(({ status }) => status)]).toEqual([
        1,
        expect.anything(),
      ]);
      const state = ['accepted', 'declined', 'revoked'][won.indexOf(true)];
      expect(at(await call('GET', `/invites/${id}`, { as: admin }), 'state')).toBe(state);
      const joined = state === 'accepted' ? 1 : 0;
      expect(await count('org_memberships', 'member_id', person.id)).toBe(joined);
      expect(await count('group_memberships', 'member_id', person.id)).toBe(joined);
    }
  });
});

describe('a role that ends', () => {
  type End = { what: string; reads: string; end: (person: Person) => Promise<Answer> };
  const ends: End[] = [
    {
      what: 'an org’s',
      reads: 'orgs',
      end: ({ id }) =>
        call('PATCH', `/orgs/${estate.orgId}/memberships`, {
          as: admin,
          body: { member_ids: [id] },
        }),
    },
    {
      what: 'a group’s',
      reads: 'groups',
      end: ({ id }) =>
        call('PATCH', `/groups/${estate.groupId}/memberships`, {
          as: admin,
          body: { member_ids: [id] },
        }),
    },
  ];

  it.each(ends)('$what: after the response nothing of it is allowed', async ({ reads, end }) => {
    const person = await people.register();
    await people.join('org', estate.orgId, person, 'viewer');
    await people.join('group', estate.groupId, person, 'viewer');
    const path = reads === 'orgs' ? `/orgs/${estate.orgId}` : `/groups/${estate.groupId}`;
    const seen: { sentAt: number; status: number }[] = [];
    let endedAt = Number.POSITIVE_INFINITY;
    const mayGoOn = () =>
      seen.length < 200 || seen.filter((one) => one.sentAt > endedAt).length < 100;
    const stream = Array.from({ length: 16 }, async () => {
      while (mayGoOn()) {
        const sentAt = performance.now();
        const { status } = await call('GET', path, { as: person.as });
        seen.push({ sentAt, status });
      }
    });
    await eventually(() => seen.some((one) => one.status === 200));
    const ended = await end(person);
    endedAt = performance.now();
    await Promise.all(stream);
    expect(ended.status).toBe(204);
    const allowedBefore = seen.filter((one) => one.status === 200).length;
    const after = seen.filter((one) => one.sentAt > endedAt);
    expect(allowedBefore).toBeGreaterThan(0);
    expect(after.length).toBeGreaterThanOrEqual(100);
    expect(after.filter((one) => one.status !== 403)).toEqual([]);
  });

  it('of a key: after the response nothing is allowed with the key', async () => {
    const issued = await call('POST', '/keys', { as: admin, body: { type: 2, duration: 0 } });
    const as = `Bearer ${textAt(issued, 'value')}`;
    expect((await call('GET', '/orgs', { as })).status).toBe(200);
    const path = `/keys/${textAt(issued, 'id')}`;
    expect((await call('DELETE', path, { as: admin })).status).toBe(204);
    const counts = await race(() => call('GET', '/orgs', { as }));
    expect(counts).toEqual({ 401: atOnce });
  });
});
