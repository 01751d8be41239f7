import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Ask, call, json } from '../support/api/http.ts';
import { password, People, type Person } from '../support/api/people.ts';
import { system } from '../support/system.ts';

/** Failed sign-ins count for addresses of their own. */
const from = '127.0.0.73';
const elsewhere = '127.0.0.74';

let people: People;
let user: Person;

beforeAll(async () => {
  people = new People();
  user = await people.register();
});

afterAll(() => people.close());

/** The origin that `call` asks, as a browser there would tell it. */
const origin = () => {
  const url = new URL(system().apiUrl);
  url.hostname = '127.0.0.1';
  return url.origin;
};

function signIn(email: string, secret: string, ask: Ask = {}): Promise<Answer> {
  return call('POST', '/console/sign-in', {
    from,
    body: { email, password: secret },
    ...ask,
    headers: { origin: origin(), ...ask.headers },
  });
}

async function cookieOf({ email }: Person): Promise<string> {
  const answer = await signIn(email, password);
  expect([answer.status, answer.text]).toEqual([204, '']);
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

describe('a sign-in', () => {
  it('leaves a cookie that no script and no other site gets, and that opens the API', async () => {
    const answer = await signIn(user.email, password);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(
      /^millrace_session=[\w.-]+; Path=\/; Max-Age=36000; HttpOnly; SameSite=Strict$/,
    );
    const [own = ''] = cookie.split(';');
    const session = await call('GET', '/console/session', { headers: { cookie: own } });
    expect(json(session)).toEqual({ id: user.id, email: user.email, platform_admin: false });
    const orgs = await call('GET', '/orgs', { headers: { cookie: own } });
    expect(json(orgs)).toEqual(json(await call('GET', '/orgs', { as: user.as })));

    const { host } = new URL(origin());
    const overTls = await signIn(user.email, password, { headers: { origin: `https://${host}` } });
    expect(overTls.headers['set-cookie']).toMatch(/; Secure$/);
  });

  it('is a session only: its token is no bearer token, and a bearer token is no session', async () => {
    const token = (await cookieOf(user)).split('=')[1];
    expect((await call('GET', '/orgs', { as: `Bearer ${token}` })).status).toBe(401);
    const headers = { cookie: `millrace_session=${user.as.replace('Bearer ', '')}` };
    expect((await call('GET', '/orgs', { headers })).status).toBe(401);
    // What is in `Authorization` counts, whatever the cookie is.
    const other = await people.register();
    const answer = await call('GET', '/console/session', {
      as: other.as,
      headers: { cookie: await cookieOf(user) },
    });
    expect(json(answer)).toMatchObject({ id: other.id });
  });

  it('is refused to who does not know the password, and counts together with the API’s own', async () => {
    const wrong = await signIn(user.email, 'not the password');
    const nobody = await signIn(`${randomUUID()}@example.com`, password);
    for (const answer of [wrong, nobody]) {
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect([answer.status, json(answer)]).toMatchObject([401, { code: 'login_failed' }]);
    }
    expect((await signIn('', '')).status).toBe(400);

    const { email } = await people.register();
    for (let i = 0; i < 5; i++) {
      expect((await signIn(email, 'wrong', { from: elsewhere })).status).toBe(401);
      const body = { email, password: 'wrong' };
      expect((await call('POST', '/tokens', { from: elsewhere, body })).status).toBe(401);
    }
    const refused = await signIn(email, password, { from: elsewhere });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('ends with a sign-out, with a change of password, and with its user', async () => {
    const [leaver, changer] = [await people.register(), await people.register()];
    const cookies = [await cookieOf(leaver), await cookieOf(changer)];
    const statuses = () =>
      Promise.all(
        cookies.map(async (cookie) => {
          return (await call('GET', '/console/session', { headers: { cookie } })).status;
        }),
      );
    expect(await statuses()).toEqual([200, 200]);
    await people.rows('DELETE FROM users WHERE id = $1', [leaver.id]);
    const body = { old_password: password, password: `${password} new` };
    const headers = { cookie: cookies[1] ?? '', origin: origin() };
    expect((await call('PATCH', '/password', { headers, body })).status).toBe(201);
    expect(await statuses()).toEqual([401, 401]);

    const out = await call('POST', '/console/sign-out', { headers: { origin: origin() } });
    expect(out.headers['set-cookie']).toMatch(/^millrace_session=; Path=\/; Max-Age=0;/);
  });
});

const foreign: [string, Record<string, string>][] = [
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ['a sandbox', { origin: 'null' }],
  ['what looks alike', { origin: 'http://127.0.0.1.evil.example' }],
  ['rubbish', { origin: 'rubbish' }],
];

describe('a session', () => {
  it.each([...foreign, ['nowhere', {}], ['a typed address', { 'sec-fetch-site': 'none' }]])(
    'changes nothing for %s',
    async (_name, headers) => {
      const cookie = await cookieOf(user);
      const body = { name: 'of another site' };
      const made = await call('POST', '/orgs', { headers: { cookie, ...headers }, body });
      expect([made.status, made.headers['location']]).toEqual([403, undefined]);
      const gone = await call('DELETE', `/orgs/${randomUUID()}`, {
        headers: { cookie, ...headers },
      });
      expect(gone.status).toBe(403);
      for (const path of ['/console/sign-in', '/console/sign-out']) {
        const answer = await call('POST', path, {
          from,
          headers,
          body: { email: user.email, password },
        });
        expect([path, answer.status, answer.headers['set-cookie']]).toEqual([path, 403, undefined]);
      }
    },
  );

  it.each(foreign)('shows nothing to %s', async (_name, headers) => {
    const cookie = await cookieOf(user);
    expect((await call('GET', '/orgs', { headers: { cookie, ...headers } })).status).toBe(403);
  });

  it('works from a page of the service, and by a link that was followed', async () => {
    const cookie = await cookieOf(user);
    for (const headers of [{ origin: origin() }, { 'sec-fetch-site': 'same-origin' }]) {
      const body = { name: `org ${randomUUID()}` };
      const made = await call('POST', '/orgs', { headers: { cookie, ...headers }, body });
      expect(made.status).toBe(201);
    }
    const followed = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' };
    for (const headers of [{}, { 'sec-fetch-site': 'none' }, followed]) {
      expect((await call('GET', '/orgs', { headers: { cookie, ...headers } })).status).toBe(200);
    }
  });

  it('has the rights of its user, and no others', async () => {
    const headers = { cookie: await cookieOf(user) };
    expect((await call('GET', '/reader/backup', { headers })).status).toBe(403);
    expect((await call('GET', '/queues/api/queues', { headers })).status).toBe(403);
    expect((await call('GET', '/metadata', { headers })).status).toBe(401);
  });
});
