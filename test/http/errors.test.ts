import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokens } from '../../api/access/tokens/jwt.ts';
import { Secret } from '../../infra/runtime/process/config.ts';
import { readCors } from '../../infra/runtime/network/cors.ts';
import { loadLocalSecrets } from '../../infra/local/installation/local-secrets.ts';
import { errorCodes, errorTable } from '../../schemas/http/errors.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { buildApi } from '../support/api/build.ts';
import { type Answer, at, call, json, type Method, textAt } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  type Estate,
  People,
  type Person,
  password,
} from '../support/api/people.ts';

const freshId = /^[0-9a-f]{12}-[0-9a-z]+$/;

let people: People;
let owner: Person;
let estate: Estate;

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
});

afterAll(() => people.close());

function challengeOf(answer: Answer): string {
  return String(answer.headers['www-authenticate']);
}

describe('an error', () => {
  it('has its text, its code, and the id of its request', async () => {
    const answer = await call('GET', '/nothing');
    expect(json(answer)).toEqual({
      error: 'entity not found: path',
      code: 'not_found',
      request_id: answer.headers['x-request-id'],
    });
    expect(at(answer, 'request_id')).toMatch(freshId);
  });

  it('has them also for requests that the router does not know, and for malformed ones', async () => {
    const badUrl = await call('GET', '/things/%zz');
    expect(json(badUrl)).toMatchObject({
      code: 'malformed',
      request_id: badUrl.headers['x-request-id'],
    });
    const { port } = new URL(system().apiUrl);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('nothing of HTTP\r\n\r\n');
    const text = String(await once(socket, 'data'));
    const [, id] = /\r\nX-Request-Id: (\S+)\r\n/.exec(text) ?? [];
    expect(id).toMatch(freshId);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      code: 'malformed',
      request_id: id,
    });
  });
});

describe('a 401', () => {
  async function refusal(path: string, as?: string): Promise<[unknown, string]> {
    const answer = await call('GET', path, as === undefined ? {} : { as });
    expect(answer.status).toBe(401);
    expect(at(answer, 'error')).toBe('failed to perform authentication over the entity');
    return [at(answer, 'code'), challengeOf(answer)];
  }
  const bearer = 'Bearer realm="millrace"';
  const basic = 'Basic realm="millrace", charset="UTF-8"';
  const invalid = 'error="invalid_token", error_description="';

  it('says that there is no credential', async () => {
    expect(await refusal('/orgs')).toEqual(['credential_missing', `${bearer}, ${basic}`]);
    expect(await refusal('/metadata')).toEqual([
      'credential_missing',
      'Thing realm="millrace", External realm="millrace"',
    ]);
    expect(await refusal('/reader/senml')).toEqual([
      'credential_missing',
      `${bearer}, Thing realm="millrace", External realm="millrace", ${basic}`,
    ]);
  });

  it('asks no browser for a password, and nobody where something changes', async () => {
    const browser = await call('GET', '/orgs', { headers: { 'user-agent': 'Mozilla/5.0 (X11)' } });
    expect([browser.status, challengeOf(browser)]).toEqual([401, bearer]);
    expect(challengeOf(await call('POST', '/orgs', { body: { name: 'org' } }))).toBe(bearer);
    expect(challengeOf(await call('POST', '/orgs/search'))).toBe(`${bearer}, ${basic}`);
  });

  it('says that the credential is malformed', async () => {
    for (const as of ['Bearer', 'Bearer x', 'Basic abc', owner.as.slice('Bearer '.length)]) {
      const [code, challenge] = await refusal('/orgs', as);
      expect([as, code]).toEqual([as, 'credential_malformed']);
      expect(challenge).toContain(`${bearer}, ${invalid}`);
    }
  });

  it('says that the credential is unknown', async () => {
    const [head, claims] = owner.as.split('.');
    for (const as of [`${head}.${claims}.AAAA`, 'Bearer mrk_unknown']) {
      const [code, challenge] = await refusal('/orgs', as);
      expect([as, code]).toEqual([as, 'credential_unknown']);
      expect(challenge).toContain(invalid);
    }
    expect((await refusal('/metadata', 'Thing unknown'))[0]).toBe('credential_unknown');
  });

  it('says that the credential has expired', async () => {
    const { jwtSecret } = loadLocalSecrets(system().dataDir);
    const tokens = createTokens(new Secret(jwtSecret), -1);
    const token = await tokens.issue({ userId: owner.id, generation: 0 });
    expect((await refusal('/orgs', `Bearer ${token}`))[0]).toBe('credential_expired');
    const foreign = createTokens(new Secret(randomUUID()), -1);
    const unsigned = await foreign.issue({ userId: owner.id, generation: 0 });
    expect((await refusal('/orgs', `Bearer ${unsigned}`))[0]).toBe('credential_unknown');

    const issued = await call('POST', '/keys', { as: owner.as, body: { type: 2, duration: 1 } });
    const as = `Bearer ${textAt(issued, 'value')}`;
    await eventually(async () => (await call('GET', '/orgs', { as })).status === 401);
    expect((await refusal('/orgs', as))[0]).toBe('credential_expired');
  });

  it('says that the credential was revoked', async () => {
    const person = await people.register();
    const issued = await call('POST', '/keys', { as: person.as, body: { type: 2 } });
    const key = `Bearer ${textAt(issued, 'value')}`;
    await call('DELETE', `/keys/${textAt(issued, 'id')}`, { as: person.as });
    expect((await refusal('/orgs', key))[0]).toBe('credential_revoked');
    const change = { old_password: password, password: 'another good password' };
    await call('PATCH', '/password', { as: person.as, body: change });
    expect((await refusal('/orgs', person.as))[0]).toBe('credential_revoked');
  });

  it('says that the credential is of another kind', async () => {
    const issued = await call('POST', '/keys', { as: owner.as, body: { type: 2 } });
    const key = `Bearer ${textAt(issued, 'value')}`;
    expect((await refusal('/keys', key))[0]).toBe('credential_unsuitable');
    expect((await refusal('/orgs', `Thing ${estate.key}`))[0]).toBe('credential_unsuitable');
    expect((await refusal('/metadata', owner.as))[0]).toBe('credential_unsuitable');
  });

  it('says that a login failed', async () => {
    const body = { email: owner.email, password: 'a wrong password' };
    const answer = await call('POST', '/tokens', { body, from: '127.0.0.41' });
    expect([answer.status, at(answer, 'code'), challengeOf(answer)]).toEqual([
      401,
      'login_failed',
      bearer,
    ]);
  });

  it('says the same of things at the edge', async () => {
    const refused = async (headers: Record<string, string>) => {
      const answer = await fetch(`${system().ingestUrl}/http/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
      const body: unknown = await answer.json();
      expect([answer.status, Object(body).request_id]).toEqual([
        401,
        answer.headers.get('x-request-id'),
      ]);
      return [Object(body).code, answer.headers.get('www-authenticate')];
    };
    const things = 'Thing realm="millrace"';
    expect(await refused({})).toEqual([
      'credential_missing',
      `${things}, External realm="millrace"`,
    ]);
    expect(await refused({ authorization: 'Thing' })).toEqual([
      'credential_malformed',
      expect.stringContaining(`${things}, ${invalid}`),
    ]);
    expect(await refused({ authorization: 'Thing nobody' })).toEqual([
      'credential_unknown',
      expect.stringContaining(`${things}, ${invalid}`),
    ]);
  });
});

describe('a refusal', () => {
  it('names the role that is needed, and where', async () => {
    const viewer = await people.member('group', estate.groupId, 'viewer');
    await people.join('org', estate.orgId, viewer, 'viewer');
    const body = { name: 'another name' };
    const refused = async (method: Method, path: string, as = viewer.as) => {
      const answer = await call(method, path, { as, ...(method === 'GET' ? {} : { body }) });
      return [answer.status, at(answer, 'code'), at(answer, 'error')];
    };
    const phrase = 'failed to perform authorization over the entity';
    expect(await refused('PUT', `/things/${estate.thingId}`)).toEqual([
      403,
      'forbidden',
      `${phrase}: needs editor in the group`,
    ]);
    expect(await refused('PUT', `/orgs/${estate.orgId}`)).toEqual([
      403,
      'forbidden',
      `${phrase}: needs admin in the org`,
    ]);
    expect(await refused('GET', '/reader/backup')).toEqual([
      403,
      'forbidden',
      `${phrase}: needs the platform admin`,
    ]);
    const stranger = await people.register();
    expect(await refused('GET', `/things/${estate.thingId}`, stranger.as)).toEqual([
      403,
      'forbidden',
      `${phrase}: needs viewer in the group`,
    ]);
  });

  it('names the kind of the absent entity', async () => {
    const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';
    const kinds = [
      [`/things/${absent}`, 'thing'],
      [`/profiles/${absent}`, 'profile'],
      [`/groups/${absent}`, 'group'],
      [`/orgs/${absent}`, 'org'],
      [`/webhooks/${absent}`, 'webhook'],
      [`/users/${absent}`, 'user'],
      [`/keys/${absent}`, 'API key'],
      [`/invites/${absent}`, 'invite'],
      [`/orgs/${estate.orgId}/members/${absent}`, 'member'],
      [`/groups/01ARZ3NDEKTSV4RRFFQ69G5FAV`, 'hierarchical group'],
      [`/reader/senml?publisher=${absent}`, 'thing'],
      ['/nothing', 'path'],
    ];
    for (const [path = '', kind] of kinds) {
      const answer = await call('GET', path, { as: owner.as });
      expect([path, answer.status, at(answer, 'error')]).toEqual([
        path,
        404,
        `entity not found: ${kind}`,
      ]);
    }
    const tree = await createdAt('/groups', owner.as, { name: randomUUID() });
    const nobody = 'nobody@example.com';
    const ofOrg = { org_memberships: [{ email: nobody, role: 'viewer' }] };
    const ofGroup = { group_memberships: [{ member_id: absent, role: 'viewer' }] };
    const { orgId, groupId, thingId } = estate;
    const inTree = { name: 'x', parent_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    const writes = [
      ['POST', '/groups', inTree, 'hierarchical group: parent_id'],
      ['DELETE', `/groups/${tree}/members`, { members: ['x'] }, 'member'],
      ['POST', `/orgs/${orgId}/memberships`, ofOrg, 'user: org_memberships.0.email'],
      ['PUT', `/orgs/${orgId}/memberships`, ofOrg, 'user: org_memberships.0.email'],
      ['PATCH', `/orgs/${orgId}/memberships`, { member_ids: [absent] }, 'member'],
      ['POST', `/groups/${groupId}/memberships`, ofGroup, 'user: member_id'],
      ['PUT', `/groups/${groupId}/memberships`, ofGroup, 'member'],
      ['PATCH', `/groups/${groupId}/memberships`, { member_ids: [absent] }, 'member'],
      ['POST', `/orgs/${orgId}/invites`, { email: nobody, role: 'viewer' }, 'user: email'],
      ['POST', `/profiles/${absent}/things`, [{ name: 'x', type: 'device' }], 'profile'],
      ['PATCH', `/things/${thingId}`, { profile_id: absent }, 'profile'],
      ['PATCH', '/things', { thing_ids: [absent] }, 'thing'],
      ['POST', '/certs', { thing_id: absent }, 'thing'],
      ['POST', '/identify', { key: absent, type: 'internal' }, 'thing'],
    ] as const;
    for (const [method, path, body, kind] of writes) {
      const answer = await call(method, path, { as: owner.as, body });
      expect([method, path, answer.status, at(answer, 'error')]).toEqual([
        method,
        path,
        404,
        `entity not found: ${kind}`,
      ]);
    }
  });
});

describe('a 429', () => {
  it('names the rate that was exceeded', async () => {
    const body = { email: `${randomUUID()}@example.com`, password: 'a wrong password' };
    const attempt = () => call('POST', '/tokens', { body, from: '127.0.0.42' });
    for (const left of [9, 8]) {
      const failed = await attempt();
      expect([failed.status, at(failed, 'code')]).toEqual([401, 'login_failed']);
      const policies = '"account";q=10;w=900, "address";q=100;w=3600';
      expect(failed.headers['ratelimit-policy']).toBe(policies);
      expect(failed.headers['ratelimit']).toMatch(
        new RegExp(`^"account";r=${left};t=\\d+, "address";r=\\d+;t=\\d+$`),
      );
    }
    await Promise.all(Array.from({ length: 12 }, attempt));
    const refused = await attempt();
    expect([refused.status, at(refused, 'code')]).toEqual([429, 'too_many']);
    const seconds = String(refused.headers['retry-after']);
    expect(refused.headers['ratelimit-policy']).toBe('"account";q=10;w=900');
    expect(refused.headers['ratelimit']).toBe(`"account";r=0;t=${seconds}`);
  });
});

describe('CORS_ORIGINS', () => {
  const preflight = (origin: string) =>
    ({
      method: 'OPTIONS',
      url: '/things/x',
      headers: { origin, 'access-control-request-method': 'PUT' },
    }) as const;

  it('allows requests by pages of these origins, and no others', async () => {
    const origin = 'https://app.example.com';
    const built = buildApi({}, {}, undefined, { corsOrigins: `http://localhost:3000, ${origin}` });
    try {
      const asked = await built.server.inject(preflight(origin));
      expect([asked.statusCode, asked.headers['access-control-allow-origin']]).toEqual([
        204,
        origin,
      ]);
      expect(asked.headers['access-control-allow-methods']).toContain('PUT');
      expect(asked.headers['access-control-allow-headers']).toContain('Authorization');
      const answer = await built.server.inject({ url: '/orgs', headers: { origin } });
      expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([
        401,
        origin,
      ]);
      expect(answer.headers['access-control-expose-headers']).toMatch(
        /Location.*Retry-After.*X-Request-Id/,
      );
      expect(answer.headers['vary']).toBe('Origin');
      for (const foreign of ['https://example.com', 'http://app.example.com', 'null']) {
        const { headers } = await built.server.inject(preflight(foreign));
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers['access-control-allow-methods']).toBeUndefined();
      }
    } finally {
      await built.close();
    }
  });

  it('allows all origins with *', async () => {
    const built = buildApi({}, {}, undefined, { corsOrigins: '*' });
    try {
      const { headers } = await built.server.inject(preflight('https://example.com'));
      expect(headers['access-control-allow-origin']).toBe('*');
    } finally {
      await built.close();
    }
  });

  it('is none by default', async () => {
    const answer = await call('GET', '/health', { headers: { origin: 'https://example.com' } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    const asked = await fetch(`${system().apiUrl}/things`, {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
    });
    expect(asked.status).toBe(405);
  });

  it('must be origins', () => {
    for (const text of ['app.example.com', 'https://a.example/path', 'https://a.example, *']) {
      expect(() => readCors({ CORS_ORIGINS: text })).toThrow('CORS_ORIGINS: ');
    }
  });
});

describe('/', () => {
  it('is a list of links', async () => {
    const answer = await call('GET', '/');
    expect([answer.status, json(answer)]).toEqual([
      200,
      {
        name: 'Millrace',
        version: expect.any(String),
        links: {
          docs: '/docs',
          'docs/json': '/docs/json',
          bench: '/bench',
          queues: '/queues',
          health: '/health',
        },
      },
    ]);
  });

  it('is a page for browsers, with nothing from other hosts', async () => {
    const answer = await call('GET', '/', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(answer.headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      vary: 'Accept',
    });
    const files = [...answer.text.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(files.length).toBeGreaterThan(1);
    for (const path of files) {
      const file = await call('GET', `/${path}`);
      expect([path, file.status, file.headers['cache-control']]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });
});

describe('the codes', () => {
  it('are in the documentation, each with its status and its meaning', () => {
    const path = join(import.meta.dirname, '../../infra/ERRORS.md');
    const rows = [...readFileSync(path, 'utf8').matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \|$/gm)];
    expect(
      rows.map(([, code, status, means]) => ({ code, status: Number(status), means })),
    ).toEqual(
      errorCodes.map((code) => {
        const { status, means } = errorTable[code];
        return { code, status, means };
      }),
    );
  });

  it('are those of the OpenAPI document', async () => {
    const document = await call('GET', '/docs/json');
    const code = ['components', 'schemas', 'Error', 'properties', 'code', 'enum'];
    expect(at(document, ...code)).toEqual(errorCodes);
  });
});

describe('connections without a request', () => {
  it('make room for others when there is none left', async () => {
    const built = buildApi({}, {}, undefined, { connectionsMax: 8 });
    const url = await built.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = new URL(url);
    const silent = Array.from({ length: 12 }, () => connect(Number(port), '127.0.0.1'));
    for (const socket of silent) socket.on('error', () => undefined);
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    const answer = await fetch(`${url}/health/live`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('keep-alive')).toBe('timeout=75');
    await answer.text();
    await eventually(() => expect(silent.filter(({ closed }) => closed)).toHaveLength(5));
    for (const socket of silent) socket.destroy();
    await built.close();
  });
});
