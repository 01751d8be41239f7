import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, at, call, json, textAt } from '../../support/api/http.ts';
import { createdAt, login, loginAdmin, type Person, People } from '../../support/api/people.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';
const password = 'long enough';

let admin: string;
let people: People;
let user: Person;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  user = await people.register();
});

afterAll(() => people.close());

const newEmail = () => `${randomUUID()}@example.com`;

function invite(body: Record<string, unknown>, as = admin): Promise<Answer> {
  return call('POST', '/invites', { as, body });
}

function register(id: string, body: Record<string, unknown>): Promise<Answer> {
  return call('POST', `/register/invite/${id}`, { body });
}

async function stateOf(id: string): Promise<unknown> {
  return at(await call('GET', `/invites/${id}`, { as: admin }), 'state');
}

async function isUser(email: string): Promise<boolean> {
  return (await people.rows('SELECT 1 FROM users WHERE email = $1', [email])).length === 1;
}

describe('an invite to the platform', () => {
  it.each(['', '/svcauth'])('is made, seen and used to register under %s/', async (prefix) => {
    const email = newEmail();
    const made = await call('POST', `${prefix}/invites`, {
      as: admin,
      body: { invitee_email: email, redirect_path: '/register' },
    });
    expect([made.status, made.text]).toEqual([201, '']);
    expect(made.headers['location']).toMatch(/^\/invites\/[0-9a-f-]{36}$/);
    const id = String(made.headers['location']).slice('/invites/'.length);

    const shown = {
      id,
      invitee_email: email,
      state: 'pending',
      created_at: expect.stringMatching(timestamp),
      expires_at: expect.stringMatching(timestamp),
    };
    const list = await call('GET', `${prefix}/invites?email=${email.toUpperCase()}`, { as: admin });
    expect([list.status, json(list)]).toEqual([
      200,
      { total: 1, offset: 0, limit: 10, email: email.toUpperCase(), invites: [shown] },
    ]);
    const viewed = await call('GET', `${prefix}/invites/${id}`, { as: admin });
    expect([viewed.status, json(viewed)]).toEqual([200, shown]);

    const body = { email: email.toUpperCase(), password };
    const registered = await call('POST', `${prefix}/register/invite/${id}`, { body });
    expect([registered.status, registered.text]).toEqual([201, '']);
    expect(await stateOf(id)).toBe('accepted');
    const as = await login(email, password);
    const self = await call('GET', String(registered.headers['location']), { as });
    expect([self.status, at(self, 'email')]).toEqual([200, email]);
    const received = `/users/${textAt(self, 'id')}/invites/received`;
    expect(at(await call('GET', received, { as }), 'total')).toBe(0);
  });

  it('to an org as well leaves an org invite waiting, with its groups', async () => {
    const orgId = await createdAt('/orgs', user.as, { name: 'Mill' });
    const groupId = await createdAt(`/orgs/${orgId}/groups`, user.as, { name: 'group' });
    const email = newEmail();
    const id = await createdAt('/invites', admin, {
      invitee_email: email,
      org_id: orgId,
      role: 'editor',
      group_invites: [{ group_id: groupId, member_role: 'admin' }],
    });
    expect(at(await call('GET', `/orgs/${orgId}/invites`, { as: user.as }), 'total')).toBe(0);
    expect((await call('GET', `/invites/${id}`, { as: user.as })).status).toBe(200);

    expect((await register(id, { email, password })).status).toBe(201);
    const as = await login(email, password);
    const list = await call('GET', `/orgs/${orgId}/invites`, { as: user.as });
    expect(at(list, 'invites', 0)).toMatchObject({
      invitee_email: email,
      inviter_email: expect.stringContaining('@'),
      org_name: 'Mill',
      invitee_role: 'editor',
      state: 'pending',
    });
    expect((await call('GET', `/orgs/${orgId}`, { as })).status).toBe(403);
    const waiting = textAt(list, 'invites', 0, 'id');
    expect((await call('POST', `/invites/${waiting}/accept`, { as })).status).toBe(201);
    expect((await call('GET', `/orgs/${orgId}`, { as })).status).toBe(200);
    const [row] = await people.rows(
      `SELECT role FROM group_memberships JOIN users ON users.id = member_id
       WHERE group_id = $1 AND email = $2`,
      [groupId, email],
    );
    expect(row).toEqual({ role: 'admin' });
  });

  it('is made, and listed, by the platform admin alone', async () => {
    expect((await invite({ invitee_email: newEmail() }, user.as)).status).toBe(403);
    expect((await call('GET', '/invites', { as: user.as })).status).toBe(403);
    const nobody = await call('POST', '/invites', { body: { invitee_email: newEmail() } });
    expect(nobody.status).toBe(401);
    expect((await call('GET', '/invites')).status).toBe(401);
  });

  it.each([
    [{ invitee_email: undefined }, 'invitee_email'],
    [{ invitee_email: 'no address' }, 'invitee_email'],
    [{ invitee_email: 'one@example.com,two@example.com' }, 'invitee_email'],
    [{ org_id: absent }, 'role'],
    [{ role: 'viewer' }, 'org_id'],
    [{ org_id: 'x', role: 'viewer' }, 'org_id'],
    [{ org_id: absent, role: 'owner' }, 'role'],
    [{ redirect_path: 'a\nb' }, 'redirect_path'],
    [{ group_invites: [{ group_id: absent, member_role: 'viewer' }] }, 'group_invites'],
    [{ group_invites: [{ group_id: absent, member_role: 'king' }] }, 'group_invites.0.member_role'],
  ])('is refused with %j', async (body, field) => {
    const answer = await invite({ invitee_email: newEmail(), ...body });
    expect(answer.status).toBe(400);
    expect(textAt(answer, 'error')).toContain(`malformed entity specification: ${field}`);
  });

  it('names an org that is there, and groups that are in it', async () => {
    const orgId = await createdAt('/orgs', user.as, { name: 'org' });
    const body = { invitee_email: newEmail(), role: 'viewer' };
    expect((await invite({ ...body, org_id: absent })).status).toBe(404);
    const group_invites = [{ group_id: absent, member_role: 'viewer' }];
    expect((await invite({ ...body, org_id: orgId, group_invites })).status).toBe(400);
  });

  it('is refused for users and for people with an invite', async () => {
    const { email } = user;
    expect((await invite({ invitee_email: email.toUpperCase() })).status).toBe(409);
    const invitee_email = newEmail();
    const both = await Promise.all([invite({ invitee_email }), invite({ invitee_email })]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    expect((await invite({ invitee_email: invitee_email.toUpperCase() })).status).toBe(409);
  });

  it('is revoked by its inviter only, and cannot be accepted like an org invite', async () => {
    const id = await createdAt('/invites', admin, { invitee_email: newEmail() });
    expect((await call('GET', `/invites/${id}`, { as: user.as })).status).toBe(403);
    expect((await call('DELETE', `/invites/${id}`, { as: user.as })).status).toBe(403);
    expect((await call('POST', `/invites/${id}/accept`, { as: admin })).status).toBe(403);
    expect((await call('POST', `/invites/${id}/decline`, { as: admin })).status).toBe(403);
    expect(await stateOf(id)).toBe('pending');
    const revoked = await call('DELETE', `/svcauth/invites/${id}`, { as: admin });
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expect(await stateOf(id)).toBe('revoked');
  });

  it('shows as expired on every read, and makes room for a new one', async () => {
    const email = newEmail();
    const id = await createdAt('/invites', admin, { invitee_email: email });
    await people.rows('UPDATE platform_invites SET expires_at = now() WHERE id = $1', [id]);
    expect(await stateOf(id)).toBe('expired');
    expect((await register(id, { email, password })).status).toBe(403);
    expect((await call('DELETE', `/invites/${id}`, { as: admin })).status).toBe(403);
    const renewed = await createdAt('/invites', admin, { invitee_email: email });
    const expired = await call('GET', `/invites?email=${email}&state=expired`, { as: admin });
    expect([at(expired, 'total'), at(expired, 'invites', 0, 'id')]).toEqual([1, id]);
    expect(at(expired, 'invites', 0, 'state')).toBe('expired');
    expect((await register(renewed, { email, password })).status).toBe(201);
  });

  it.each([
    'limit=0',
    'limit=201',
    'offset=-1',
    'order=email',
    'dir=up',
    'state=lost',
    'email=a&email=b',
  ])('is in no list with ?%s', async (query) => {
    expect((await call('GET', `/invites?${query}`, { as: admin })).status).toBe(400);
  });
});

describe('registering by an invite', () => {
  it('needs the invited e-mail, and a password', async () => {
    const email = newEmail();
    const id = await createdAt('/invites', admin, { invitee_email: email });
    const refused = async (body: Record<string, unknown>, field: string) => {
      const answer = await register(id, body);
      expect(answer.status).toBe(400);
      expect(textAt(answer, 'error')).toContain(`malformed entity specification: ${field} `);
    };
    await refused({ password }, 'email');
    await refused({ email }, 'password');
    await refused({ email, password: '1234567' }, 'password');
    await refused({ email, password: 12345678 }, 'password');
    await refused({ email: newEmail(), password }, 'email');
    expect(await isUser(email)).toBe(false);
    expect(await stateOf(id)).toBe('pending');
    expect((await register(id, { email, password: '12345678' })).status).toBe(201);
    expect(await login(email, '12345678')).toContain('Bearer ');
  });

  it.each(['accepted', 'revoked', 'expired'])('is refused once the invite is %s', async (state) => {
    const email = newEmail();
    const id = await createdAt('/invites', admin, { invitee_email: email });
    await people.rows('UPDATE platform_invites SET state = $2 WHERE id = $1', [id, state]);
    expect((await register(id, { email, password })).status).toBe(403);
    expect(await isUser(email)).toBe(false);
  });

  it('keeps the invite pending when the e-mail is a user already', async () => {
    const email = newEmail();
    const id = await createdAt('/invites', admin, { invitee_email: email });
    await people.register(email);
    expect((await register(id, { email, password })).status).toBe(409);
    expect(await stateOf(id)).toBe('pending');
  });

  it('needs an invite to the platform', async () => {
    const body = { email: user.email, password };
    expect((await register(absent, body)).status).toBe(404);
    expect((await register('no-uuid', body)).status).toBe(400);
    const inviter = await people.register();
    const orgId = await createdAt('/orgs', inviter.as, { name: 'org' });
    await call('POST', `/orgs/${orgId}/invites`, {
      as: inviter.as,
      body: { email: user.email, role: 'viewer' },
    });
    const list = await call('GET', `/orgs/${orgId}/invites`, { as: inviter.as });
    expect((await register(textAt(list, 'invites', 0, 'id'), body)).status).toBe(403);
  });
});
