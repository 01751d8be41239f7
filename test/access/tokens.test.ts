import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { system } from '../support/system.ts';
import { call, json, textAt } from '../support/api/http.ts';
import { login, People, type Person } from '../support/api/people.ts';

let people: People;
let person: Person;

beforeAll(async () => {
  people = new People();
  person = await people.register();
});

afterAll(() => people.close());

const wrong = { error: 'failed to perform authentication over the entity' };

describe('POST /tokens', () => {
  it('gives the admin a token that opens the API', async () => {
    const { adminEmail: email, adminPassword: password } = system();
    const answer = await call('POST', '/tokens', { body: { email, password } });
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const as = `Bearer ${textAt(answer, 'token')}`;
    expect((await call('GET', '/reader/senml', { as })).status).toBe(200);
  });

  it('takes an e-mail in any case', async () => {
    expect(await login(person.email.toUpperCase())).toMatch(/^Bearer /);
  });

  it('answers a wrong password and an unknown e-mail alike', async () => {
    const from = '127.0.0.31';
    const attempts = [
      { email: person.email, password: 'wrong password' },
      { email: `${randomUUID()}@example.com`, password: 'wrong password' },
    ];
    for (const body of attempts) {
      const answer = await call('POST', '/tokens', { body, from });
      expect(answer.status).toBe(401);
      expect(json(answer)).toMatchObject(wrong);
    }
  });

  it('takes as long for an unknown e-mail as for a wrong password', async () => {
    const known = await people.register();
    const msOf = async (email: string, from: string) => {
      const startedAt = performance.now();
      const body = { email, password: 'wrong password' };
      expect((await call('POST', '/tokens', { body, from })).status).toBe(401);
      return performance.now() - startedAt;
    };
    const times: [number[], number[]] = [[], []];
    // By turns: whatever else the machine does slows down both.
    for (let i = 0; i < 9; i++) {
      times[0].push(await msOf(known.email, '127.0.0.32'));
      times[1].push(await msOf(`${randomUUID()}@example.com`, '127.0.0.33'));
    }
    const [wrongPassword = 0, unknown = 0] = times.map(
      (all) => all.toSorted((a, b) => a - b)[4] ?? 0,
    );
    expect(Math.max(wrongPassword, unknown) / Math.min(wrongPassword, unknown)).toBeLessThan(2);
  });

  it.each([
    {},
    { email: 'a@example.com' },
    { password: 'long enough' },
    { email: 1, password: 2 },
    { email: ['a@example.com'], password: 'long enough' },
    { email: 'a\0@example.com', password: 'long enough' },
    { email: 'a@example.com', password: null },
    [],
    null,
    'text',
  ])('refuses %j as malformed', async (body) => {
    expect((await call('POST', '/tokens', { body })).status).toBe(400);
  });

  it('is throttled by account, known or not, with Retry-After', async () => {
    const unknown = `${randomUUID()}@example.com`;
    for (const email of [(await people.register()).email, unknown]) {
      const body = { email, password: 'wrong password' };
      for (let i = 0; i < 10; i++) {
        expect((await call('POST', '/tokens', { body, from: `127.0.1.${i}` })).status).toBe(401);
      }
      const refused = await call('POST', '/tokens', { body, from: '127.0.1.99' });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('refuses even the right password of a throttled account', async () => {
    const { email } = await people.register();
    const body = { email, password: 'wrong password' };
    await Promise.all(
      Array.from({ length: 15 }, () => call('POST', '/tokens', { body, from: '127.0.0.34' })),
    );
    await expect(login(email)).rejects.toThrow(/429/);
  });

  it('hashes no more than ten of a burst of wrong passwords', async () => {
    const { email } = await people.register();
    const body = { email, password: 'wrong password' };
    const answers = await Promise.all(
      Array.from({ length: 150 }, () => call('POST', '/tokens', { body, from: '127.0.0.38' })),
    );
    const hashed = answers.filter(({ status }) => status === 401);
    const refused = answers.filter(({ status }) => status === 429);
    expect([hashed.length, refused.length]).toEqual([10, 140]);
    expect(refused.every(({ headers }) => Number(headers['retry-after']) > 0)).toBe(true);
  });

  it('throttles all spellings of an account together', async () => {
    const { email } = await people.register(`iii-${randomUUID()}@example.com`);
    const spelled = [email, email.toUpperCase(), email.replace('iii', 'İiI')];
    for (let i = 0; i < 12; i++) {
      const body = { email: spelled[i % 2], password: 'wrong password' };
      await call('POST', '/tokens', { body, from: '127.0.0.39' });
    }
    for (const one of spelled) await expect(login(one)).rejects.toThrow(/429|401/);
  });

  it('forgets failures after a login', async () => {
    const { email } = await people.register();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 6; i++) {
        const body = { email, password: 'wrong password' };
        expect((await call('POST', '/tokens', { body, from: '127.0.0.35' })).status).toBe(401);
      }
      await login(email);
    }
  });

  it('is throttled by address, and other addresses go on', async () => {
    const from = '127.0.0.36';
    const attempt = () =>
      call('POST', '/tokens', {
        body: { email: `${randomUUID()}@example.com`, password: 'wrong password' },
        from,
      });
    const first = await Promise.all(Array.from({ length: 100 }, attempt));
    expect(new Set(first.map((answer) => answer.status))).toEqual(new Set([401]));
    expect((await attempt()).status).toBe(429);
    expect(await login(person.email)).toMatch(/^Bearer /);
  });

  it('lets fifty logins of one account in at once', async () => {
    const { email } = await people.register();
    const headers = await Promise.all(Array.from({ length: 50 }, () => login(email)));
    expect(headers).toHaveLength(50);
  });
});

describe('a token', () => {
  it('is refused when it is malformed, cut, foreign, unsigned, or without its scheme', async () => {
    const token = person.as.slice('Bearer '.length);
    const [head, claims] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const foreign = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('millrace')
      .setSubject(person.id)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode('another secret of 32 characters.'));
    const headers = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${token.slice(0, -2)}`,
      `Bearer ${head}.${claims}.`,
      `Bearer ${none}.${claims}.`,
      `Bearer ${foreign}`,
      `Basic ${token}`,
      `Thing ${token}`,
      token,
    ];
    for (const as of headers) {
      const answer = await call('POST', '/orgs', {
        ...(as === undefined ? {} : { as }),
        body: { name: 'org' },
      });
      expect([as, answer.status, json(answer)]).toMatchObject([as, 401, wrong]);
    }
  });

  it('is refused before the body is read', async () => {
    expect((await call('POST', '/orgs', { raw: '{' })).status).toBe(401);
  });

  it('ends with its user', async () => {
    const leaving = await people.register();
    await people.rows('DELETE FROM users WHERE id = $1', [leaving.id]);
    const answer = await call('POST', '/orgs', { as: leaving.as, body: { name: 'org' } });
    expect(answer.status).toBe(401);
  });
});
