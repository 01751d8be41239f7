import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../api/server/resources.ts';
import { away, buildApi } from '../support/api/build.ts';
import { type Answer, at, call, json, type Method, textAt } from '../support/api/http.ts';
import {
  createEstate,
  type Estate,
  originOfApi,
  password,
  People,
  type Person,
  signIn,
} from '../support/api/people.ts';

let people: People;
let owner: Person;
let estate: Estate;
let key: string;

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  key = textAt(await call('POST', '/keys', { as: owner.as, body: { type: 2 } }), 'value');
});

afterAll(() => people.close());

const basic = (secret: string, name = 'excel') =>
  `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;

const told = (answer: Answer) => [answer.status, answer.status < 400 ? '' : at(answer, 'code')];

describe('an API key as the password of Basic', () => {
  it.each(['excel', '', 'jörg@example.com', 'a name with spaces'])(
    'reads as its user, whose name is %j',
    async (name) => {
      const as = basic(key, name);
      const orgs = await call('GET', '/orgs', { as });
      expect(json(orgs)).toEqual(json(await call('GET', '/orgs', { as: owner.as })));
      const reads: [Method, string][] = [
        ['GET', '/reader/senml'],
        ['GET', '/reader/json/export?convert=csv'],
        ['POST', '/reader/senml/search'],
        ['POST', '/things/search'],
      ];
      for (const [method, path] of reads) {
        expect([path, ...told(await call(method, path, { as }))]).toEqual([path, 200, '']);
      }
    },
  );

  it('changes nothing, wherever a request changes something', async () => {
    const changes = operations.filter(
      ({ method, path, needs }) =>
        !['anyone', 'thing'].includes(needs.kind) &&
        method !== 'GET' &&
        !/\/(search|query|preview)$/.test(path),
    );
    expect(changes.length).toBeGreaterThan(50);
    for (const { method, path: pattern } of changes) {
      const path = pattern.replaceAll(/:\w+(\([^)]*\))?/g, estate.thingId);
      const answer = await call(method, path, { as: basic(key), body: {} });
      expect([method, path, ...told(answer)]).toEqual([method, path, 401, 'credential_unsuitable']);
    }
  });

  it('is a token there as well, and no password of a user and no key of a thing', async () => {
    const as = basic(owner.as.slice('Bearer '.length));
    expect(told(await call('GET', '/orgs', { as }))).toEqual([200, '']);
    expect(told(await call('POST', '/orgs', { as, body: { name: 'org' } }))).toEqual([
      401,
      'credential_unsuitable',
    ]);
    for (const [secret, name] of [
      [password, owner.email],
      [estate.key, 'external'],
      ['', owner.email],
    ] as const) {
      expect((await call('GET', '/orgs', { as: basic(secret, name) })).status).toBe(401);
    }
    expect(told(await call('GET', '/keys', { as: basic(key) }))).toEqual([
      401,
      'credential_unsuitable',
    ]);
  });

  it('tells what is wrong with it', async () => {
    const issued = await call('POST', '/keys', { as: owner.as, body: { type: 2 } });
    const revoked = basic(textAt(issued, 'value'));
    await call('DELETE', `/keys/${textAt(issued, 'id')}`, { as: owner.as });
    for (const [as, code] of [
      [basic('mrk_unknown'), 'credential_unknown'],
      [revoked, 'credential_revoked'],
      [`Basic ${Buffer.from('no colon').toString('base64')}`, 'credential_malformed'],
      ['Basic ÿÿÿ', 'credential_malformed'],
      ['Basic', 'credential_malformed'],
    ] as const) {
      expect([as, ...told(await call('GET', '/orgs', { as }))]).toEqual([as, 401, code]);
    }
  });

  it('counts as a guess while it is unknown, and stands in no log', async () => {
    const lines: string[] = [];
    const limits = { unknownKeysPerMinuteMax: 2 };
    const api = buildApi({ redisUrl: away.redisUrl }, limits, '/nowhere', { lines });
    const ask = async (as: string, remoteAddress: string) => {
      const headers = { authorization: as };
      const url = '/orgs?name=asked';
      return (await api.server.inject({ method: 'GET', url, headers, remoteAddress })).statusCode;
    };
    const guess = () => basic(`mrk_${randomUUID()}`);
    expect(await ask(guess(), '10.1.2.3')).toBe(401);
    expect(await ask(guess(), '10.1.2.3')).toBe(401);
    expect(await ask(guess(), '10.1.2.3')).toBe(429);
    // From elsewhere nobody has guessed.
    expect(await ask(basic(key), '10.1.2.4')).toBe(200);
    await api.close();
    expect(lines.join('')).toContain('/orgs');
    for (const secret of [key, basic(key).slice('Basic '.length)]) {
      expect(lines.join('')).not.toContain(secret);
    }
  });
});

describe('a browser that remembers Basic', () => {
  it.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a picture of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
  ])('sends it along for %s in vain', async (_name, headers) => {
    const answer = await call('GET', '/reader/senml/export', { as: basic(key), headers });
    expect(told(answer)).toEqual([403, 'forbidden']);
  });

  it('opens a link with it that its user follows', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ]) {
      expect((await call('GET', '/orgs', { as: basic(key), headers })).status).toBe(200);
    }
  });

  it('works in the console with its session', async () => {
    const other = await people.register();
    const headers = { cookie: await signIn(other.email), origin: originOfApi() };
    const session = await call('GET', '/console/session', { as: basic(key), headers });
    expect(json(session)).toMatchObject({ id: other.id });
    const body = { name: `org ${randomUUID()}` };
    const made = await call('POST', '/orgs', { as: basic(key), headers, body });
    expect(made.status).toBe(201);
  });
});
