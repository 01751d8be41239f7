import { createServer, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokens } from '../../api/tokens/jwt.ts';
import { Secret } from '../../infra/config.ts';
import { loadLocalSecrets } from '../../infra/start/local-secrets.ts';
import { eventually } from '../eventually.ts';
import { system } from '../system.ts';
import { buildApi } from './build.ts';
import { type Answer, at, call, json, textAt } from './http.ts';
import { createEstate, type Estate, People, type Person, password } from './people.ts';

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
      error: 'entity not found',
      code: 'not_found',
      request_id: answer.headers['x-request-id'],
    });
    expect(at(answer, 'request_id')).toMatch(freshId);
  });

  it('has them where the request is none for the router, or none at all', async () => {
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

describe('a request id', () => {
  const everywhere = (): string[] => {
    const { apiUrl, ingestUrl, workersUrl } = system();
    return [
      ...['/health', '/things', '/nothing', '/docs/json', '/http/messages'].map((p) => apiUrl + p),
      ...['/health', '/metrics', '/nothing', '/http/messages'].map((p) => ingestUrl + p),
      ...['/health', '/metrics', '/nothing'].map((p) => workersUrl + p),
    ];
  };

  it('is on every answer of every process, and is another each time', async () => {
    const ids = await Promise.all(
      [...everywhere(), ...everywhere()].map(async (url) =>
        (await fetch(url)).headers.get('x-request-id'),
      ),
    );
    for (const id of ids) expect(id).toMatch(freshId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is the client’s where that is a sane one', async () => {
    const given = [
      '0f8fad5b-d9cb-469f-a165-70867728950e',
      'Root=1-67891233-abcdef',
      'a'.repeat(128),
    ];
    for (const id of given) {
      for (const url of everywhere()) {
        const answer = await fetch(url, { headers: { 'x-request-id': id } });
        expect([url, answer.headers.get('x-request-id')]).toEqual([url, id]);
      }
    }
    for (const id of ['', 'two words', 'a"b', 'a'.repeat(129), 'ä']) {
      for (const url of everywhere()) {
        const answer = await fetch(url, { headers: { 'x-request-id': id } });
        expect([url, answer.headers.get('x-request-id')]).toEqual([
          url,
          expect.stringMatching(freshId),
        ]);
      }
    }
  });

  it('stands on a message’s 202, by the API’s way as well', async () => {
    const { apiUrl, ingestUrl } = system();
    for (const url of [apiUrl, ingestUrl]) {
      const send = (headers: Record<string, string>) =>
        fetch(`${url}/http/messages`, {
          method: 'POST',
          headers: { authorization: `Thing ${estate.key}`, ...headers },
          body: '[{"n":"a","v":1}]',
        });
      const type = { 'content-type': 'application/senml+json' };
      const named = await send({ ...type, 'x-request-id': 'of-mine' });
      expect([named.status, named.headers.get('x-request-id')]).toEqual([202, 'of-mine']);
      const other = await send(type);
      expect([other.status, other.headers.get('x-request-id')]).toEqual([
        202,
        expect.stringMatching(freshId),
      ]);
    }
  });

  it('names the request’s queries in ClickHouse, each apart', async () => {
    const asked: string[] = [];
    const target = new URL(system().clickhouseUrl);
    const between = createServer((request, response) => {
      asked.push(new URL(request.url ?? '/', target).searchParams.get('query_id') ?? '');
      const { method, headers, url: path } = request;
      const on = httpRequest(new URL(path ?? '/', target.origin), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(on);
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const url = new URL(target);
    url.port = String(Object(between.address()).port);
    const built = buildApi({ clickhouseUrl: url.href });
    try {
      const [generation] = await people.rows('SELECT token_generation FROM users WHERE id = $1', [
        owner.id,
      ]);
      const token = await built.tokens.issue({
        userId: owner.id,
        generation: Number(generation?.['token_generation']),
      });
      const answer = await built.server.inject({
        method: 'GET',
        url: '/reader/senml?limit=1',
        headers: { authorization: `Bearer ${token}`, 'x-request-id': 'my-read' },
      });
      expect(answer.statusCode).toBe(200);
      const ours = asked.filter((id) => id.startsWith('my-read-'));
      expect(ours.length).toBeGreaterThan(0);
      expect(new Set(ours).size).toBe(ours.length);
    } finally {
      await built.close();
      between.close();
    }
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
  const invalid = 'error="invalid_token", error_description="';

  it('tells of no credential', async () => {
    expect(await refusal('/orgs')).toEqual(['credential_missing', bearer]);
    expect(await refusal('/metadata')).toEqual([
      'credential_missing',
      'Thing realm="millrace", External realm="millrace"',
    ]);
    expect(await refusal('/reader/senml')).toEqual([
      'credential_missing',
      `${bearer}, Thing realm="millrace", External realm="millrace"`,
    ]);
  });

  it('tells of one that can not be read', async () => {
    for (const as of ['Bearer', 'Bearer x', 'Basic abc', owner.as.slice('Bearer '.length)]) {
      const [code, challenge] = await refusal('/orgs', as);
      expect([as, code]).toEqual([as, 'credential_malformed']);
      expect(challenge).toContain(`${bearer}, ${invalid}`);
    }
  });

  it('tells of one that is nobody’s', async () => {
    const [head, claims] = owner.as.split('.');
    for (const as of [`${head}.${claims}.AAAA`, 'Bearer mrk_unknown']) {
      const [code, challenge] = await refusal('/orgs', as);
      expect([as, code]).toEqual([as, 'credential_unknown']);
      expect(challenge).toContain(invalid);
    }
    expect((await refusal('/metadata', 'Thing unknown'))[0]).toBe('credential_unknown');
  });

  it('tells of one that has expired', async () => {
    const { jwtSecret } = loadLocalSecrets(system().dataDir);
    const tokens = createTokens(new Secret(jwtSecret), -1, 'millrace');
    const token = await tokens.issue({ userId: owner.id, generation: 0 });
    expect((await refusal('/orgs', `Bearer ${token}`))[0]).toBe('credential_expired');
    const foreign = createTokens(new Secret(randomUUID()), -1, 'millrace');
    const unsigned = await foreign.issue({ userId: owner.id, generation: 0 });
    expect((await refusal('/orgs', `Bearer ${unsigned}`))[0]).toBe('credential_unknown');

    const issued = await call('POST', '/keys', { as: owner.as, body: { type: 2, duration: 1 } });
    const as = `Bearer ${textAt(issued, 'value')}`;
    await eventually(async () => (await call('GET', '/orgs', { as })).status === 401);
    expect((await refusal('/orgs', as))[0]).toBe('credential_expired');
  });

  it('tells of one that was revoked', async () => {
    const person = await people.register();
    const issued = await call('POST', '/keys', { as: person.as, body: { type: 2 } });
    const key = `Bearer ${textAt(issued, 'value')}`;
    await call('DELETE', `/keys/${textAt(issued, 'id')}`, { as: person.as });
    expect((await refusal('/orgs', key))[0]).toBe('credential_revoked');
    const change = { old_password: password, password: 'another good password' };
    await call('PATCH', '/password', { as: person.as, body: change });
    expect((await refusal('/orgs', person.as))[0]).toBe('credential_revoked');
  });

  it('tells of one of another kind', async () => {
    const issued = await call('POST', '/keys', { as: owner.as, body: { type: 2 } });
    const key = `Bearer ${textAt(issued, 'value')}`;
    expect((await refusal('/keys', key))[0]).toBe('credential_unsuitable');
    expect((await refusal('/orgs', `Thing ${estate.key}`))[0]).toBe('credential_unsuitable');
    expect((await refusal('/metadata', owner.as))[0]).toBe('credential_unsuitable');
  });

  it('tells of a login that failed', async () => {
    const body = { email: owner.email, password: 'a wrong password' };
    const answer = await call('POST', '/tokens', { body, from: '127.0.0.41' });
    expect([answer.status, at(answer, 'code'), challengeOf(answer)]).toEqual([
      401,
      'login_failed',
      bearer,
    ]);
  });

  it('tells the same of things at the edge', async () => {
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
