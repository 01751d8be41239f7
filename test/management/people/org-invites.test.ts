import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApi } from '../../support/api/build.ts';
import { type Answer, at, call, json, textAt } from '../../support/api/http.ts';
import { createdAt, loginAdmin, type Person, People } from '../../support/api/people.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

let platformAdmin: string;
let people: People;
let owner: Person;
let invitee: Person;
let outsider: Person;

beforeAll(async () => {
  platformAdmin = await loginAdmin();
  people = new People();
  [owner, invitee, outsider] = await Promise.all([
    people.register(),
    people.register(),
    people.register(),
  ]);
});

afterAll(() => people.close());

function newOrg(name = 'org'): Promise<string> {
  return createdAt('/orgs', owner.as, { name });
}

function newGroup(orgId: string, as = owner.as): Promise<string> {
  return createdAt(`/orgs/${orgId}/groups`, as, { name: randomUUID() });
}

function invite(orgId: string, body: Record<string, unknown> = {}, as = owner.as): Promise<Answer> {
  return call('POST', `/orgs/${orgId}/invites`, {
    as,
    body: { email: invitee.email, role: 'viewer', ...body },
  });
}

/** Invites to an org; gives the invite's id. */
async function invited(orgId: string, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await invite(orgId, body);
  expect([answer.status, answer.text]).toEqual([201, '']);
  return textAt(
    await call('GET', `/orgs/${orgId}/invites?state=pending`, { as: owner.as }),
    'invites',
    0,
    'id',
  );
}

async function stateOf(inviteId: string): Promise<unknown> {
  return at(await call('GET', `/invites/${inviteId}`, { as: owner.as }), 'state');
}

async function roleIn(place: 'org' | 'group', placeId: string, memberId: string): Promise<unknown> {
  const [row] = await people.rows(
    `SELECT role FROM ${place}_memberships WHERE ${place}_id = $1 AND member_id = $2`,
    [placeId, memberId],
  );
  return row?.['role'];
}

/** Lets an invite's time be over. */
async function expire(inviteId: string): Promise<void> {
  await people.rows('UPDATE org_invites SET expires_at = now() WHERE id = $1', [inviteId]);
}

describe('invites by mail', () => {
  it('are limited to five a day from an org to one person, with Retry-After', async () => {
    const orgId = await newOrg();
    for (let i = 0; i < 5; i++) {
      const id = await invited(orgId);
      expect((await call('DELETE', `/invites/${id}`, { as: owner.as })).status).toBe(204);
    }
    const refused = await invite(orgId);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(80_000);
    expect(at(await call('GET', `/orgs/${orgId}/invites`, { as: owner.as }), 'total')).toBe(5);
    const other = await invite(orgId, { email: outsider.email });
    expect(other.status).toBe(201);
    expect(other.headers['ratelimit']).toMatch(/^"invites-to";r=4;t=\d+, "invites";r=\d+;t=\d+$/);
    expect((await invite(await newOrg())).status).toBe(201);
  });
});

describe('the mailbox of an invitee', () => {
  it('gets ten invites a day from all orgs and the platform, and nobody learns of those of others', async () => {
    const api = buildApi();
    const post = async (user: string, url: string, payload: object) => {
      const token = await api.tokens.issue({ userId: user, generation: 0 });
      const authorization = `Bearer ${token}`;
      return api.server.inject({ method: 'POST', url, headers: { authorization }, payload });
    };
    const admin = textAt(await call('GET', '/users/profile', { as: await loginAdmin() }), 'id');
    const email = `Mailbox-${randomUUID()}@example.com`;
    const platform = await post(admin, '/invites', { invitee_email: email });
    expect([platform.statusCode, platform.headers['ratelimit']]).toEqual([201, undefined]);
    const person = await people.register(email.toLowerCase());
    const inviters = [owner, outsider];
    for (let i = 0; i < 10; i++) {
      const inviter = inviters[i % 2] ?? owner;
      const orgId = await createdAt('/orgs', inviter.as, { name: `org ${i}` });
      const body = { email: person.email, role: 'viewer' };
      const answer = await post(inviter.id, `/orgs/${orgId}/invites`, body);
      if (i < 9) {
        expect(answer.statusCode).toBe(201);
        expect(answer.headers['ratelimit']).toMatch(/^"invites-to";r=4;t=\d+, "invites";/);
        continue;
      }
      expect(answer.statusCode).toBe(429);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(80_000);
      const mails = await people.rows(
        `SELECT count(*)::integer AS sent FROM org_invites WHERE invitee_id = $1`,
        [person.id],
      );
      expect(mails).toEqual([{ sent: 9 }]);
    }
    await api.close();
  });
});

describe('an invite to an org', () => {
  it.each(['', '/svcauth'])('is made, seen and accepted under %s/', async (prefix) => {
    const orgId = await newOrg('Mill');
    const groupId = await newGroup(orgId);
    const body = {
      email: invitee.email.toUpperCase(),
      role: 'editor',
      redirect_path: '/view-invite',
      group_invites: [{ group_id: groupId, member_role: 'admin' }],
    };
    const made = await call('POST', `${prefix}/orgs/${orgId}/invites`, { as: owner.as, body });
    expect([made.status, made.text]).toEqual([201, '']);

    const shown = {
      id: expect.stringMatching(uuid),
      invitee_id: invitee.id,
      invitee_email: invitee.email,
      inviter_id: owner.id,
      inviter_email: owner.email,
      org_id: orgId,
      org_name: 'Mill',
      invitee_role: 'editor',
      state: 'pending',
      created_at: expect.stringMatching(timestamp),
      expires_at: expect.stringMatching(timestamp),
    };
    const { inviter_id: _, ...shownToUsers } = shown;
    const envelope = { total: 1, offset: 0, limit: 10 };
    const listed = await call('GET', `${prefix}/orgs/${orgId}/invites`, { as: owner.as });
    expect([listed.status, json(listed)]).toEqual([200, { ...envelope, invites: [shown] }]);
    const id = textAt(listed, 'invites', 0, 'id');
    const lifetimeMs =
      Date.parse(textAt(listed, 'invites', 0, 'expires_at')) -
      Date.parse(textAt(listed, 'invites', 0, 'created_at'));
    expect(lifetimeMs).toBe(7 * 86_400_000);

    const viewed = await call('GET', `${prefix}/invites/${id}`, { as: invitee.as });
    expect([viewed.status, json(viewed)]).toEqual([200, shown]);
    for (const [person, side] of [
      [invitee, 'received'],
      [owner, 'sent'],
    ] as const) {
      const path = `${prefix}/users/${person.id}/invites/${side}?order=created_at&limit=1`;
      const list = await call('GET', path, { as: person.as });
      expect([list.status, at(list, 'invites')]).toEqual([200, [shownToUsers]]);
    }

    const accepted = await call('POST', `${prefix}/invites/${id}/accept`, { as: invitee.as });
    expect([accepted.status, accepted.text]).toEqual([201, '']);
    expect(await stateOf(id)).toBe('accepted');
    expect(await roleIn('org', orgId, invitee.id)).toBe('editor');
    expect(await roleIn('group', groupId, invitee.id)).toBe('admin');
    expect((await call('GET', `/groups/${groupId}`, { as: invitee.as })).status).toBe(200);
  });

  it.each(['', '/svcauth'])('is declined or revoked under %s/', async (prefix) => {
    const orgId = await newOrg();
    const declined = await invited(orgId);
    const answer = await call('POST', `${prefix}/invites/${declined}/decline`, { as: invitee.as });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await stateOf(declined)).toBe('declined');

    const revoked = await invited(orgId);
    const gone = await call('DELETE', `${prefix}/invites/${revoked}`, { as: owner.as });
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect(await stateOf(revoked)).toBe('revoked');
    expect(await roleIn('org', orgId, invitee.id)).toBeUndefined();
  });

  it.each([
    [{ email: undefined }, 'email'],
    [{ email: '' }, 'email'],
    [{ email: 7 }, 'email'],
    [{ role: undefined }, 'role'],
    [{ role: 'owner' }, 'role'],
    [{ role: 'emperor' }, 'role'],
    [{ redirect_path: 'a b' }, 'redirect_path'],
    [{ redirect_path: 7 }, 'redirect_path'],
    [{ group_invites: {} }, 'group_invites'],
    [{ group_invites: [{ group_id: 'x', member_role: 'viewer' }] }, 'group_invites.0.group_id'],
    [{ group_invites: [{ group_id: absent }] }, 'group_invites.0.member_role'],
    [
      { group_invites: [{ group_id: absent, member_role: 'owner' }] },
      'group_invites.0.member_role',
    ],
    [{ group_invites: [{ group_id: absent, member_role: 'viewer' }] }, 'group_invites'],
  ])('is refused with %j', async (body, field) => {
    const orgId = await newOrg();
    const answer = await invite(orgId, body);
    expect(answer.status).toBe(400);
    expect(textAt(answer, 'error')).toContain(`malformed entity specification: ${field} `);
    const list = await call('GET', `/orgs/${orgId}/invites`, { as: owner.as });
    expect(at(list, 'total')).toBe(0);
  });

  it('is for registered users who are neither members nor invited', async () => {
    const orgId = await newOrg();
    expect((await invite(orgId, { email: 'nobody@example.com' })).status).toBe(404);
    expect((await invite(orgId, { email: 'no address' })).status).toBe(404);
    expect((await invite(orgId, { email: owner.email })).status).toBe(409);
    const both = await Promise.all([invite(orgId), invite(orgId)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    expect((await invite(orgId, { role: 'admin' })).status).toBe(409);
    expect(at(await call('GET', `/orgs/${orgId}/invites`, { as: owner.as }), 'total')).toBe(1);
  });

  it('names groups of its org alone, each once', async () => {
    const orgId = await newOrg();
    const groupId = await newGroup(orgId);
    const foreignId = await newGroup(await newOrg());
    const group = (group_id: string) => ({ group_id, member_role: 'viewer' });
    const statusOf = async (group_invites: unknown) =>
      (await invite(orgId, { group_invites })).status;
    expect(await statusOf([group(groupId), group(foreignId)])).toBe(400);
    expect(await statusOf([group(groupId), group(groupId.toUpperCase())])).toBe(400);
    expect(await statusOf([group(groupId)])).toBe(201);
  });

  it('is made by admins of the org, who are admins of the groups it names', async () => {
    const orgId = await newOrg();
    const groupId = await newGroup(orgId);
    const group_invites = [{ group_id: groupId, member_role: 'viewer' }];
    const [orgAdmin, editor] = await Promise.all([
      people.member('org', orgId, 'admin'),
      people.member('org', orgId, 'editor'),
    ]);
    const statusOf = async (as: string, body = {}) => (await invite(orgId, body, as)).status;
    expect(await statusOf(editor.as)).toBe(403);
    expect(await statusOf(outsider.as)).toBe(403);
    expect(await statusOf(orgAdmin.as, { group_invites })).toBe(403);
    await people.join('group', groupId, orgAdmin, 'editor');
    expect(await statusOf(orgAdmin.as, { group_invites })).toBe(403);
    expect(await statusOf(platformAdmin, { group_invites })).toBe(201);
    expect(await statusOf(orgAdmin.as, { email: outsider.email })).toBe(201);
  });

  it('is read by inviter, invitee, admins of the org and platform admins', async () => {
    const orgId = await newOrg();
    const id = await invited(orgId);
    const [orgAdmin, viewer] = await Promise.all([
      people.member('org', orgId, 'admin'),
      people.member('org', orgId, 'viewer'),
    ]);
    const statusOf = async (as: string) => (await call('GET', `/invites/${id}`, { as })).status;
    for (const as of [owner.as, invitee.as, orgAdmin.as, platformAdmin]) {
      expect(await statusOf(as)).toBe(200);
    }
    expect(await statusOf(viewer.as)).toBe(403);
    expect(await statusOf(outsider.as)).toBe(403);
    const listStatus = async (as: string) =>
      (await call('GET', `/orgs/${orgId}/invites`, { as })).status;
    expect(await listStatus(orgAdmin.as)).toBe(200);
    expect(await listStatus(viewer.as)).toBe(403);
  });

  it('is accepted or declined by its invitee only, and revoked by its inviter only', async () => {
    const orgId = await newOrg();
    const id = await invited(orgId);
    const orgAdmin = await people.member('org', orgId, 'admin');
    for (const { as } of [owner, outsider, orgAdmin, { as: platformAdmin }]) {
      expect((await call('POST', `/invites/${id}/accept`, { as })).status).toBe(403);
      expect((await call('POST', `/invites/${id}/decline`, { as })).status).toBe(403);
    }
    for (const { as } of [invitee, outsider, orgAdmin, { as: platformAdmin }]) {
      expect((await call('DELETE', `/invites/${id}`, { as })).status).toBe(403);
    }
    expect(await stateOf(id)).toBe('pending');
  });

  it.each(['accepted', 'declined', 'revoked', 'expired'])('does nothing once %s', async (state) => {
    const orgId = await newOrg();
    const id = await invited(orgId);
    if (state === 'expired') await expire(id);
    else await people.rows('UPDATE org_invites SET state = $2 WHERE id = $1', [id, state]);
    expect((await call('POST', `/invites/${id}/accept`, { as: invitee.as })).status).toBe(403);
    expect((await call('POST', `/invites/${id}/decline`, { as: invitee.as })).status).toBe(403);
    expect((await call('DELETE', `/invites/${id}`, { as: owner.as })).status).toBe(403);
    expect(await stateOf(id)).toBe(state);
    expect(await roleIn('org', orgId, invitee.id)).toBeUndefined();
    expect((await invite(orgId)).status).toBe(201);
  });

  it('shows as expired on every read, and makes room for a new one', async () => {
    const someone = await people.register();
    const orgId = await newOrg();
    const id = await invited(orgId, { email: someone.email });
    await expire(id);
    expect((await invite(orgId, { email: someone.email })).status).toBe(201);
    expect(at(await call('GET', `/invites/${id}`, { as: someone.as }), 'state')).toBe('expired');
    for (const [path, as] of [
      [`/orgs/${orgId}/invites`, owner.as],
      [`/users/${someone.id}/invites/received`, someone.as],
      [`/users/${owner.id}/invites/sent`, owner.as],
    ] as const) {
      const query = `email=${path.includes('received') ? owner.email : someone.email}`;
      const expired = await call('GET', `${path}?${query}&state=expired`, { as });
      expect(json(expired)).toMatchObject({
        total: 1,
        state: 'expired',
        invites: [{ id, state: 'expired' }],
      });
      expect(at(await call('GET', `${path}?${query}&state=pending`, { as }), 'total')).toBe(1);
      expect(at(await call('GET', `${path}?${query}`, { as }), 'total')).toBe(2);
    }
  });

  it('keeps the role of an invitee who has become a member meanwhile, and adds the groups', async () => {
    const orgId = await newOrg();
    const groupId = await newGroup(orgId);
    const group_invites = [{ group_id: groupId, member_role: 'viewer' }];
    const id = await invited(orgId, { role: 'viewer', group_invites });
    await people.join('org', orgId, invitee, 'admin');
    expect((await call('POST', `/invites/${id}/accept`, { as: invitee.as })).status).toBe(201);
    expect(await roleIn('org', orgId, invitee.id)).toBe('admin');
    expect(await roleIn('group', groupId, invitee.id)).toBe('viewer');
  });

  it('is deleted with its org', async () => {
    const orgId = await newOrg();
    const id = await invited(orgId);
    await people.rows('DELETE FROM orgs WHERE id = $1', [orgId]);
    expect((await call('GET', `/invites/${id}`, { as: invitee.as })).status).toBe(404);
    expect((await call('POST', `/invites/${id}/accept`, { as: invitee.as })).status).toBe(404);
  });

  it.each([
    ['GET', '/invites/:id'],
    ['POST', '/invites/:id/accept'],
    ['POST', '/invites/:id/decline'],
    ['DELETE', '/invites/:id'],
    ['POST', '/orgs/:id/invites'],
    ['GET', '/orgs/:id/invites'],
    ['GET', '/users/:id/invites/received'],
    ['GET', '/users/:id/invites/sent'],
  ] as const)('%s %s of what is absent, of no id, by nobody', async (method, path) => {
    const body =
      path.startsWith('/orgs') && method === 'POST' ? { email: 'a@b', role: 'viewer' } : undefined;
    const ask = async (id: string, as?: string) =>
      (
        await call(method, path.replace(':id', id), {
          ...(as === undefined ? {} : { as }),
          ...(body === undefined ? {} : { body }),
        })
      ).status;
    expect(await ask(absent, owner.as)).toBe(404);
    expect(await ask('no-uuid', owner.as)).toBe(400);
    expect(await ask(absent)).toBe(401);
    expect(await ask(absent, 'Bearer rubbish')).toBe(401);
  });
});

describe('the lists of invites', () => {
  it('come in pages, filtered, with an exact total', async () => {
    const orgId = await newOrg();
    const ids = [];
    for (const person of [invitee, outsider, await people.register()]) {
      const role = person === outsider ? 'admin' : 'viewer';
      expect((await invite(orgId, { email: person.email, role })).status).toBe(201);
    }
    const path = `/orgs/${orgId}/invites`;
    const all = await call('GET', `${path}?order=created_at&dir=asc`, { as: owner.as });
    for (let i = 0; i < 3; i++) ids.push(textAt(all, 'invites', i, 'id'));
    const page = await call('GET', `${path}?dir=asc&limit=2&offset=2&total=0`, { as: owner.as });
    expect(json(page)).toMatchObject({ total: 3, offset: 2, limit: 2, dir: 'asc' });
    expect(at(page, 'invites', 0, 'id')).toBe(ids.toSorted()[2]);
    expect(at(page, 'invites', 1)).toBeUndefined();
    const email = outsider.email.toUpperCase();
    for (const filter of [`email=${email}`, 'role=admin']) {
      const found = await call('GET', `${path}?${filter}`, { as: owner.as });
      expect([at(found, 'total'), at(found, 'invites', 0, 'id')]).toEqual([1, ids[1]]);
    }
  });

  it.each([
    'limit=0',
    'limit=201',
    'offset=-1',
    'order=state',
    'dir=up',
    'state=lost',
    'limit=1&limit=2',
  ])('refuse ?%s', async (query) => {
    const orgId = await newOrg();
    for (const path of [
      `/orgs/${orgId}/invites`,
      `/users/${owner.id}/invites/sent`,
      `/users/${owner.id}/invites/received`,
    ]) {
      expect((await call('GET', `${path}?${query}`, { as: owner.as })).status).toBe(400);
    }
  });

  it.each(['received', 'sent'])(
    'of %s invites are for the user and the platform admin',
    async (side) => {
      const path = `/users/${invitee.id}/invites/${side}`;
      expect((await call('GET', path, { as: invitee.as })).status).toBe(200);
      expect((await call('GET', path, { as: platformAdmin })).status).toBe(200);
      expect((await call('GET', path, { as: outsider.as })).status).toBe(403);
      const ofNobody = `/users/${absent}/invites/${side}`;
      expect((await call('GET', ofNobody, { as: platformAdmin })).status).toBe(404);
    },
  );
});

describe('an invite whose inviter may no longer invite', () => {
  it('ends when the inviter, or the invitee, leaves the org', async () => {
    const orgId = await newOrg();
    const admin = await people.member('org', orgId, 'admin');
    const made = await invite(orgId, { role: 'admin' }, admin.as);
    expect(made.status).toBe(201);
    const [{ id = '' } = {}] = await people.rows('SELECT id FROM org_invites WHERE org_id = $1', [
      orgId,
    ]);
    const path = `/orgs/${orgId}/memberships`;
    const removal = { as: owner.as, body: { member_ids: [admin.id] } };
    expect((await call('PATCH', path, removal)).status).toBe(204);
    expect((await call('POST', `/invites/${String(id)}/accept`, { as: invitee.as })).status).toBe(
      403,
    );
    expect(await roleIn('org', orgId, invitee.id)).toBeUndefined();
  });

  it('gives nothing after the inviter got a lower role', async () => {
    const orgId = await newOrg();
    const admin = await people.member('org', orgId, 'admin');
    expect((await invite(orgId, { role: 'admin' }, admin.as)).status).toBe(201);
    const [{ id = '' } = {}] = await people.rows('SELECT id FROM org_invites WHERE org_id = $1', [
      orgId,
    ]);
    const demotion = { org_memberships: [{ email: admin.email, role: 'viewer' }] };
    const path = `/orgs/${orgId}/memberships`;
    expect((await call('PUT', path, { as: owner.as, body: demotion })).status).toBe(200);
    expect((await call('POST', `/invites/${String(id)}/accept`, { as: invitee.as })).status).toBe(
      403,
    );
    expect(await roleIn('org', orgId, invitee.id)).toBeUndefined();
  });
});
