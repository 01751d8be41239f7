import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApi } from '../support/api/build.ts';
import { type Answer, type Ask, call, json, textAt } from '../support/api/http.ts';
import {
  originOfApi as origin,
  password,
  People,
  type Person,
  signIn as cookieOf,
} from '../support/api/people.ts';

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

function signIn(email: string, secret: string, ask: Ask = {}): Promise<Answer> {
  return call('POST', '/console/sign-in', {
    from,
    body: { email, password: secret },
    ...ask,
    headers: { origin: origin(), ...ask.headers },
  });
}

const openAs = async (cookie: string) =>
  (await call('GET', '/console/session', { headers: { cookie } })).status;

/** The sessions of a user, as the API lists them to a browser. */
async function sessionsOf(cookie: string): Promise<{ id: string; current: boolean }[]> {
  return Object(json(await call('GET', '/sessions', { headers: { cookie } }))).sessions;
}

const asBrowser = (cookie: string) => ({ headers: { cookie, origin: origin() } });

describe('a sign-in', () => {
  it('leaves a cookie that no script and no other site gets, and that opens the API', async () => {
    const answer = await signIn(user.email, password);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(
      /^millrace_session=[\w-]+; Path=\/; Max-Age=36000; HttpOnly; SameSite=Strict$/,
    );
    const [own = ''] = cookie.split(';');
    const session = await call('GET', '/console/session', { headers: { cookie: own } });
    expect(json(session)).toEqual({ id: user.id, email: user.email, platform_admin: false });
    const orgs = await call('GET', '/orgs', { headers: { cookie: own } });
    expect(json(orgs)).toEqual(json(await call('GET', '/orgs', { as: user.as })));

    const { host } = new URL(origin());
    const overTls = await signIn(user.email, password, { headers: { origin: `https://${host}` } });
    expect(overTls.headers['set-cookie']).toMatch(
      /^__Host-millrace_session=[\w-]+; Path=\/; Max-Age=36000; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  it('over TLS is none for who comes without, and the other way round', async () => {
    const { host } = new URL(origin());
    const plain = await cookieOf(user.email);
    const value = plain.split('=')[1] ?? '';
    const overTls = `__Host-${plain}`;
    const post = async (cookie: string, page: string) => {
      const body = { name: `org ${randomUUID()}` };
      const headers = { cookie, origin: page };
      return (await call('POST', '/orgs', { headers, body })).status;
    };
    expect(await post(plain, `http://${host}`)).toBe(201);
    expect(await post(overTls, `https://${host}`)).toBe(201);
    expect(await post(plain, `https://${host}`)).toBe(401);
    expect(await post(overTls, `http://${host}`)).toBe(401);
    // A cookie planted without TLS stands beside the browser's own.
    const both = `millrace_session=planted; __Host-millrace_session=${value}`;
    expect(await post(both, `https://${host}`)).toBe(201);
    expect(await openAs(both)).toBe(200);
  });

  it('knows the scheme by the proxy that is trusted', async () => {
    const { server, close } = buildApi({}, {}, undefined, { trustProxy: '127.0.0.1' });
    const at = async (proto: string, page: string) => {
      const answer = await server.inject({
        method: 'POST',
        url: '/console/sign-in',
        headers: { host: 'console.example', origin: page, 'x-forwarded-proto': proto },
        payload: { email: user.email, password },
      });
      return [answer.statusCode, String(answer.headers['set-cookie']).split('=')[0]];
    };
    expect(await at('https', 'https://console.example')).toEqual([204, '__Host-millrace_session']);
    expect(await at('http', 'http://console.example')).toEqual([204, 'millrace_session']);
    for (const page of [
      'http://console.example',
      'https://console.example:8443',
      'https://other.example',
    ]) {
      expect(await at('https', page)).toEqual([403, 'undefined']);
    }
    await close();
  });

  it('is a session only: its token is no bearer token, and a bearer token is no session', async () => {
    const token = (await cookieOf(user.email)).split('=')[1];
    expect((await call('GET', '/orgs', { as: `Bearer ${token}` })).status).toBe(401);
    const headers = { cookie: `millrace_session=${user.as.replace('Bearer ', '')}` };
    expect((await call('GET', '/orgs', { headers })).status).toBe(401);
    // What is in `Authorization` counts, whatever the cookie is.
    const other = await people.register();
    const answer = await call('GET', '/console/session', {
      as: other.as,
      headers: { cookie: await cookieOf(user.email) },
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

  it('ends at once and everywhere with a sign-out, for who has kept the cookie too', async () => {
    const cookie = await cookieOf(user.email);
    const other = buildApi();
    const there = () => other.server.inject({ url: '/console/session', headers: { cookie } });
    expect([await openAs(cookie), (await there()).statusCode]).toEqual([200, 200]);
    const out = await call('POST', '/console/sign-out', asBrowser(cookie));
    expect(out.headers['set-cookie']).toMatch(/^millrace_session=; Path=\/; Max-Age=0;/);
    const refused = await call('GET', '/orgs', { headers: { cookie } });
    expect([refused.status, json(refused)]).toMatchObject([401, { code: 'credential_revoked' }]);
    expect((await there()).statusCode).toBe(401);
    await other.close();
    // A browser that is signed out already may sign out.
    expect((await call('POST', '/console/sign-out', asBrowser(cookie))).status).toBe(204);
    expect((await call('POST', '/console/sign-out', asBrowser(''))).status).toBe(204);
  });

  it('ends with its user, and with a change of password but where that is made', async () => {
    const [leaver, changer] = [await people.register(), await people.register()];
    const left = await cookieOf(leaver.email);
    await people.rows('DELETE FROM users WHERE id = $1', [leaver.id]);
    expect(await openAs(left)).toBe(401);

    const [own, other] = [await cookieOf(changer.email), await cookieOf(changer.email)];
    const body = { old_password: password, password: `${password} new` };
    expect((await call('PATCH', '/password', { ...asBrowser(own), body })).status).toBe(201);
    expect([await openAs(own), await openAs(other)]).toEqual([200, 401]);
    expect((await call('GET', '/orgs', { as: changer.as })).status).toBe(401);
    expect(await sessionsOf(own)).toMatchObject([{ current: true }]);
  });

  it('ends when its time is over, and tells so', async () => {
    const cookie = await cookieOf(user.email);
    const session = (await sessionsOf(cookie)).find(({ current }) => current);
    await people.rows('UPDATE sessions SET expires_at = now() WHERE id = $1', [session?.id]);
    const answer = await call('GET', '/orgs', { headers: { cookie } });
    expect(json(answer)).toMatchObject({ code: 'credential_expired' });
  });
});

const foreign: [string, Record<string, string>][] = [
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ['a sandbox', { origin: 'null' }],
  ['what looks alike', { origin: 'http://127.0.0.1.evil.example' }],
  ['rubbish', { origin: 'rubbish' }],
];

describe('sessions', () => {
  it('are listed to their user alone, with when, where and in which browser', async () => {
    const [one, other] = [await people.register(), await people.register()];
    const phone = await cookieOf(one.email, 'a phone');
    const desk = await cookieOf(one.email, 'd'.repeat(600));
    await cookieOf(other.email);
    const answer = json(
      await call('GET', '/sessions?order=created_at', { headers: { cookie: desk } }),
    );
    const times = {
      created_at: expect.stringMatching(/Z$/),
      last_used_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
    };
    const id = expect.any(String);
    expect(answer).toMatchObject({
      total: 2,
      sessions: [
        { id, ...times, address: '127.0.0.1', user_agent: 'd'.repeat(512), current: true },
        { id, ...times, address: '127.0.0.1', user_agent: 'a phone', current: false },
      ],
    });
    const byToken = json(await call('GET', '/sessions', { as: one.as }));
    expect(byToken).toMatchObject({ total: 2, sessions: [{ current: false }, { current: false }] });

    // The time and the address of its last use are noted to the minute.
    await people.rows(
      "UPDATE sessions SET last_used_at = last_used_at - interval '2 minutes' WHERE user_id = $1",
      [one.id],
    );
    const before = Date.now() - 1_000;
    await call('GET', '/orgs', { headers: { cookie: phone }, from: '127.0.0.75' });
    const [, used] = Object(
      json(await call('GET', '/sessions?order=created_at', { headers: { cookie: desk } })),
    ).sessions;
    expect(used.address).toBe('127.0.0.75');
    expect(Date.parse(used.last_used_at)).toBeGreaterThan(before);
  });

  it('end one by one, by their user alone', async () => {
    const one = await people.register();
    const [desk, phone] = [await cookieOf(one.email), await cookieOf(one.email)];
    const other = (await sessionsOf(desk)).find(({ current }) => !current);
    const path = `/sessions/${other?.id}`;
    const stranger = await call('DELETE', path, asBrowser(await cookieOf(user.email)));
    expect([stranger.status, await openAs(phone)]).toEqual([404, 200]);
    expect((await call('DELETE', path, asBrowser(desk))).status).toBe(204);
    expect([await openAs(desk), await openAs(phone)]).toEqual([200, 401]);
    expect((await call('DELETE', path, asBrowser(desk))).status).toBe(404);
    expect(await sessionsOf(desk)).toHaveLength(1);
    const audit = await people.rows(
      'SELECT operation, action, entity_name FROM audit_entries WHERE entity_id = $1',
      [other?.id],
    );
    expect(audit).toEqual([{ operation: 'endSession', action: 'delete', entity_name: one.email }]);
  });

  it('end all at once, with all tokens, and API keys stay', async () => {
    const one = await people.register();
    const cookies = [await cookieOf(one.email), await cookieOf(one.email)];
    const key = textAt(await call('POST', '/keys', { as: one.as, body: { type: 2 } }), 'value');
    expect((await call('DELETE', '/sessions', asBrowser(cookies[0] ?? ''))).status).toBe(204);
    expect(await Promise.all(cookies.map(openAs))).toEqual([401, 401]);
    expect((await call('GET', '/orgs', { as: one.as })).status).toBe(401);
    expect((await call('GET', '/orgs', { as: `Bearer ${key}` })).status).toBe(200);
    expect(await openAs(await cookieOf(one.email))).toBe(200);
  });

  it('are a hundred of a user at most: one more ends the first', async () => {
    const one = await people.register();
    const first = await cookieOf(one.email);
    await people.rows(
      `INSERT INTO sessions (id, user_id, value_hash, token_generation, expires_at, address, user_agent)
       SELECT gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), 0, now() + interval '1 hour', '', ''
       FROM generate_series(1, 99)`,
      [one.id],
    );
    expect(await openAs(first)).toBe(200);
    const last = await cookieOf(one.email);
    expect([await openAs(first), await openAs(last)]).toEqual([401, 200]);
    expect(json(await call('GET', '/sessions', { as: one.as }))).toMatchObject({ total: 100 });
  });
});

describe('a session', () => {
  it.each([...foreign, ['nowhere', {}], ['a typed address', { 'sec-fetch-site': 'none' }]])(
    'changes nothing for %s',
    async (_name, headers) => {
      const cookie = await cookieOf(user.email);
      const body = { name: 'of another site' };
      // A session without TLS is none of a page with it.
      const refused = headers['origin']?.startsWith('https:') === true ? 401 : 403;
      const made = await call('POST', '/orgs', { headers: { cookie, ...headers }, body });
      expect([made.status, made.headers['location']]).toEqual([refused, undefined]);
      const gone = await call('DELETE', `/orgs/${randomUUID()}`, {
        headers: { cookie, ...headers },
      });
      expect(gone.status).toBe(refused);
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
    const cookie = await cookieOf(user.email);
    const { status } = await call('GET', '/orgs', { headers: { cookie, ...headers } });
    // A session without TLS is none of a page with it.
    expect(status).toBe(headers['origin']?.startsWith('https:') === true ? 401 : 403);
  });

  it('works from a page of the service, and by a link that was followed', async () => {
    const cookie = await cookieOf(user.email);
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
    const headers = { cookie: await cookieOf(user.email) };
    expect((await call('GET', '/reader/backup', { headers })).status).toBe(403);
    expect((await call('GET', '/operations/queues', { headers })).status).toBe(403);
    expect((await call('GET', '/metadata', { headers })).status).toBe(401);
  });
});
