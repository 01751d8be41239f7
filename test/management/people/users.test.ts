import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  login,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';
import { oneOf, race } from '../race.ts';

let admin: string;
let people: People;
let person: Person;
let colleague: Person;
let stranger: Person;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  person = await people.register();
  stranger = await people.register();
  const orgId = await createdAt('/orgs', person.as, { name: 'org' });
  colleague = await people.member('org', orgId, 'viewer');
});

afterAll(() => people.close());

/** Every route answers under its service's prefix, and without. */
const forms = ['', '/svcusers'];
const locationPattern =
  /^\/users\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';
const password = 'correct horse battery';
const forbidden = {
  error: expect.stringMatching(/^failed to perform authorization over the entity: needs /),
};

describe('POST /users', () => {
  it.each(forms)('%s/users: makes a user who can log in', async (form) => {
    const email = `New.${randomUUID()}@Example.com`;
    const created = await call('POST', `${form}/users`, { as: admin, body: { email, password } });
    expect([created.status, created.text]).toEqual([201, '']);
    const location = String(created.headers['location']);
    expect(location).toMatch(locationPattern);

    const as = await login(email.toLowerCase(), password);
    const read = await call('GET', location, { as });
    expect([read.status, json(read)]).toEqual([200, { id: location.slice(7), email }]);
  });

  it.each([
    [{ password }, 'email is missing'],
    [{ email: 'a@example.com' }, 'password is missing'],
    [{ email: 7, password }, 'email must be string'],
    [{ email: null, password }, 'email must be string'],
    [{ email: '', password }, 'email must match'],
    [{ email: 'nobody', password }, 'email must match'],
    [{ email: '@example.com', password }, 'email must match'],
    [{ email: 'a@', password }, 'email must match'],
    [{ email: 'a@b@example.com', password }, 'email must match'],
    [{ email: 'a b@example.com', password }, 'email must match'],
    [{ email: 'a@example.com ', password }, 'email must match'],
    [{ email: 'a@example.com\nBcc:b', password }, 'email must match'],
    [{ email: 'a\u0007@example.com', password }, 'email must match'],
    [{ email: 'a@example.com,b', password }, 'email must match'],
    [{ email: `${'x'.repeat(243)}@example.com`, password }, 'email must NOT have more than 254'],
    [{ email: 'a@example.com', password: '7 chars' }, 'password must NOT have fewer than 8'],
    [{ email: 'a@example.com', password: '😀'.repeat(7) }, 'password must NOT have fewer than 8'],
    [
      { email: 'a@example.com', password: 'x'.repeat(1025) },
      'password must NOT have more than 1024',
    ],
    [{ email: 'a@example.com', password: 12345678 }, 'password must be string'],
    [[], 'body must be object'],
    [null, 'body must be object'],
  ])('refuses %j', async (body, what) => {
    const answer = await call('POST', '/users', { as: admin, body });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
  });

  it('takes an e-mail and a password of full length', async () => {
    const email = `${randomUUID()}${'x'.repeat(206)}@example.com`;
    expect(email).toHaveLength(254);
    const secret = '😀'.repeat(1024);
    const body = { email, password: secret };
    expect((await call('POST', '/users', { as: admin, body })).status).toBe(201);
    expect(await login(email, secret)).toMatch(/^Bearer /);
  });

  it('is for the platform admin', async () => {
    const body = { email: `${randomUUID()}@example.com`, password };
    expect((await call('POST', '/users', { body })).status).toBe(401);
    const refused = await call('POST', '/users', { as: person.as, body });
    expect([refused.status, json(refused)]).toMatchObject([403, forbidden]);
    expect((await call('POST', '/users', { as: person.as, body: {} })).status).toBe(403);
    await expect(login(body.email, password)).rejects.toThrow(/401/);
  });

  it('allows an e-mail once, in any case', async () => {
    const body = { email: person.email.toUpperCase(), password };
    const answer = await call('POST', '/users', { as: admin, body });
    expect([answer.status, json(answer)]).toMatchObject([
      409,
      { error: 'entity already exists: email' },
    ]);
  });

  it('creates one of twenty equal users at once', async () => {
    const email = `${randomUUID()}@example.com`;
    const statuses = await race(20, (i) =>
      call('POST', '/users', {
        as: admin,
        body: { email: i % 2 === 0 ? email : email.toUpperCase(), password },
      }),
    );
    expect(statuses).toEqual(oneOf(20, 201, 409));
    const list = await call('GET', `/users?email=${email}`, { as: admin });
    expect(at(list, 'total')).toBe(1);
  });
});

describe('GET /users/:id', () => {
  it.each(forms)(
    '%s/users/:id: shows the caller, members of common orgs, and all users to the admin',
    async (form) => {
      const path = `${form}/users/${person.id}`;
      for (const as of [person.as, colleague.as, admin]) {
        const answer = await call('GET', path, { as });
        expect([answer.status, json(answer)]).toEqual([
          200,
          { id: person.id, email: person.email },
        ]);
      }
    },
  );

  it('shows nobody else', async () => {
    const answer = await call('GET', `/users/${person.id}`, { as: stranger.as });
    expect([answer.status, json(answer)]).toMatchObject([403, forbidden]);
    expect((await call('GET', `/users/${stranger.id}`, { as: person.as })).status).toBe(403);
    expect((await call('GET', `/users/${absent}`, { as: person.as })).status).toBe(404);
    expect((await call('GET', `/users/${absent}`, { as: admin })).status).toBe(404);
    expect((await call('GET', '/users/me', { as: admin })).status).toBe(400);
    expect((await call('GET', `/users/${person.id}`)).status).toBe(401);
  });

  it('needs a common org: a common group is not enough', async () => {
    const { groupId } = await createEstate(admin);
    await people.join('group', groupId, person, 'viewer');
    await people.join('group', groupId, stranger, 'viewer');
    expect((await call('GET', `/users/${person.id}`, { as: stranger.as })).status).toBe(403);
  });
});

describe('GET /users', () => {
  it.each(forms)('%s/users: lists the caller and the members of common orgs', async (form) => {
    const listed = [person, colleague]
      .map(({ id, email }) => ({ id, email }))
      .toSorted((a, b) => (a.id < b.id ? 1 : -1));
    for (const { as } of [person, colleague]) {
      const answer = await call('GET', `${form}/users`, { as });
      expect(answer.status).toBe(200);
      expect(json(answer)).toEqual({
        total: 2,
        offset: 0,
        limit: 10,
        Users: listed,
        users: listed,
      });
    }
    const alone = await call('GET', `${form}/users`, { as: stranger.as });
    expect(at(alone, 'Users')).toEqual([{ id: stranger.id, email: stranger.email }]);
    expect((await call('GET', `${form}/users`)).status).toBe(401);
  });

  it('lists a member of several common orgs once', async () => {
    const orgId = await createdAt('/orgs', colleague.as, { name: 'second' });
    await people.join('org', orgId, person, 'admin');
    expect(at(await call('GET', '/users', { as: person.as }), 'total')).toBe(2);
  });

  it('lists everyone to the admin, by part of the e-mail in any case', async () => {
    const part = stranger.email.slice(3, 30).toUpperCase();
    const answer = await call('GET', `/users?email=${part}`, { as: admin });
    const listed = [{ id: stranger.id, email: stranger.email }];
    expect(json(answer)).toEqual({
      total: 1,
      offset: 0,
      limit: 10,
      email: part,
      Users: listed,
      users: listed,
    });
    const others = await call('GET', `/users?email=${part}`, { as: person.as });
    expect(others.status).toBe(200);
    expect([at(others, 'total'), at(others, 'Users')]).toEqual([0, []]);
    const all = await call('GET', '/users?email=%25', { as: admin });
    expect(at(all, 'total')).toBe(0);
  });

  it('pages, sorts, and ignores what clients send to any list', async () => {
    const [low, high] = [person, colleague].map(({ email }) => email).toSorted();
    const query = 'limit=1&order=email&total=0&level=2';
    const first = await call('GET', `/users?${query}&dir=asc`, { as: person.as });
    expect(json(first)).toMatchObject({
      total: 2,
      offset: 0,
      limit: 1,
      order: 'email',
      dir: 'asc',
    });
    expect(first.text).not.toContain('level');
    expect(at(first, 'Users', 0, 'email')).toBe(low);
    const second = await call('GET', `/users?${query}&dir=asc&offset=1`, { as: person.as });
    expect([at(second, 'Users', 0, 'email'), at(second, 'offset')]).toEqual([high, 1]);
    const turned = await call('GET', `/users?${query}`, { as: person.as });
    expect(at(turned, 'Users', 0, 'email')).toBe(high);
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'offset=-1',
    'order=password_hash',
    'dir=up',
    'email=a&email=b',
    'metadata=[]',
    'metadata={',
  ])('refuses ?%s', async (query) => {
    const answer = await call('GET', `/users?${query}`, { as: person.as });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(query.split('=')[0]);
  });
});

describe('PUT /users', () => {
  it.each(forms)('%s/users: sets the metadata of the caller', async (form) => {
    const own = await people.register();
    const read = async () => json(await call('GET', `/users/${own.id}`, { as: own.as }));
    const put = async (body: unknown) => {
      const answer = await call('PUT', `${form}/users`, { as: own.as, body });
      expect([answer.status, answer.text]).toEqual([200, '']);
      return read();
    };
    const metadata = { team: 'ночь', tags: [1, { deep: null }] };
    const plain = { id: own.id, email: own.email };
    expect(await put({ metadata })).toEqual({ ...plain, metadata });
    expect(await put({})).toEqual({ ...plain, metadata });
    expect(await put({ metadata: { other: 1 }, id: absent, email: 'x@example.com' })).toEqual({
      ...plain,
      metadata: { other: 1 },
    });
    expect(await put({ metadata: null })).toEqual(plain);
  });

  it('makes a user found by what the metadata holds', async () => {
    const own = await people.register();
    const team = randomUUID();
    await call('PUT', '/users', { as: own.as, body: { metadata: { team, floor: 2 } } });
    const query = `metadata=${encodeURIComponent(JSON.stringify({ team }))}`;
    const found = await call('GET', `/users?${query}`, { as: admin });
    const listed = [{ id: own.id, email: own.email, metadata: { team, floor: 2 } }];
    expect(json(found)).toMatchObject({ total: 1, metadata: { team }, Users: listed });
    expect(at(await call('GET', `/users?${query}`, { as: stranger.as }), 'total')).toBe(0);
  });

  it.each([[{ metadata: [] }], [{ metadata: 'text' }], [{ metadata: 1 }], [[]], [null]])(
    'refuses %j',
    async (body) => {
      expect((await call('PUT', '/users', { as: person.as, body })).status).toBe(400);
    },
  );

  it('needs a user', async () => {
    expect((await call('PUT', '/users', { body: { metadata: {} } })).status).toBe(401);
  });
});

describe('PATCH /password', () => {
  const secondPassword = 'another horse battery';

  it.each(forms)(
    '%s/password: the new one works from then on, and the old one does not',
    async (form) => {
      const own = await people.register();
      const body = { old_password: password, password: secondPassword };
      const answer = await call('PATCH', `${form}/password`, { as: own.as, body });
      expect([answer.status, answer.text]).toEqual([201, '']);
      await expect(login(own.email, password)).rejects.toThrow(/401/);
      expect(await login(own.email, secondPassword)).toMatch(/^Bearer /);
    },
  );

  it('ends all earlier tokens, and no API key', async () => {
    const own = await people.register();
    const other = await login(own.email);
    const made = await call('POST', '/keys', { as: own.as, body: { type: 2 } });
    const key = `Bearer ${textAt(made, 'value')}`;
    const body = { old_password: password, password: secondPassword };
    expect((await call('PATCH', '/password', { as: own.as, body })).status).toBe(201);
    const statusOf = async (as: string) => (await call('GET', '/orgs', { as })).status;
    expect([await statusOf(own.as), await statusOf(other)]).toEqual([401, 401]);
    expect(await statusOf(key)).toBe(200);
    expect(await statusOf(await login(own.email, secondPassword))).toBe(200);
  });

  it('refuses a wrong old password and changes nothing', async () => {
    const own = await people.register();
    const body = { old_password: 'a wrong password', password: secondPassword };
    const answer = await call('PATCH', '/password', { as: own.as, body });
    expect([answer.status, json(answer)]).toMatchObject([
      400,
      { error: 'malformed entity specification: old_password is wrong' },
    ]);
    expect(await login(own.email, password)).toMatch(/^Bearer /);
  });

  it.each([
    [{ password }, 'old_password is missing'],
    [{ old_password: password }, 'password is missing'],
    [{ old_password: password, password: '7 chars' }, 'password must NOT have fewer than 8'],
    [
      { old_password: password, password: 'x'.repeat(1025) },
      'password must NOT have more than 1024',
    ],
    [{ old_password: password, password: null }, 'password must be string'],
    [{ old_password: 1, password }, 'old_password must be string'],
    [[], 'body must be object'],
  ])('refuses %j', async (body, what) => {
    const answer = await call('PATCH', '/password', { as: person.as, body });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain(`malformed entity specification: ${what}`);
  });

  it('needs a user', async () => {
    const body = { old_password: password, password: secondPassword };
    expect((await call('PATCH', '/password', { body })).status).toBe(401);
  });

  it('counts wrong old passwords like failed logins', async () => {
    const own = await people.register();
    const guess = (secret: string, from: string) =>
      call('PATCH', '/password', {
        as: own.as,
        body: { old_password: secret, password: secondPassword },
        from,
      });
    for (let i = 0; i < 10; i++) {
      expect((await guess('a wrong password', `127.0.2.${i}`)).status).toBe(400);
    }
    const refused = await guess(password, '127.0.2.99');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await expect(login(own.email, password)).rejects.toThrow(/429/);
  });

  it('succeeds once of several at once', async () => {
    const own = await people.register();
    const wanted = Array.from({ length: 5 }, () => randomUUID());
    const answers = await Promise.all(
      wanted.map((one) =>
        call('PATCH', '/password', {
          as: own.as,
          body: { old_password: password, password: one },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual(oneOf(5, 201, 400));
    expect(await login(own.email, wanted[statuses.indexOf(201)])).toMatch(/^Bearer /);
  });
});
