import { createServer, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { buildApi } from '../support/api/build.ts';
import { createEstate, type Estate, People, type Person } from '../support/api/people.ts';

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

describe('a request id', () => {
  const everywhere = (): string[] => {
    const { apiUrl, ingestUrl, workersUrl } = system();
    return [
      ...['/health', '/things', '/nothing', '/docs/json', '/http/messages'].map((p) => apiUrl + p),
      ...['/health', '/metrics', '/nothing', '/http/messages'].map((p) => ingestUrl + p),
      ...['/health', '/metrics', '/nothing'].map((p) => workersUrl + p),
    ];
  };

  it('is on every response of every process, and differs each time', async () => {
    const ids = await Promise.all(
      [...everywhere(), ...everywhere()].map(async (url) =>
        (await fetch(url)).headers.get('x-request-id'),
      ),
    );
    for (const id of ids) expect(id).toMatch(freshId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is that of the client where it is well formed', async () => {
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

  it('is on the 202 of a message, through the API as well', async () => {
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

  it('is part of the ids of its queries in ClickHouse, which all differ', async () => {
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

describe('the access log', () => {
  it('has a line for each request, without its query', async () => {
    const lines: string[] = [];
    const built = buildApi({}, {}, undefined, { lines });
    try {
      const [row] = await people.rows('SELECT token_generation FROM users WHERE id = $1', [
        owner.id,
      ]);
      const token = await built.tokens.issue({
        userId: owner.id,
        generation: Number(row?.['token_generation']),
      });
      const authorization = `Bearer ${token}`;
      const address = await built.server.listen({ host: '127.0.0.1', port: 0 });
      const path = `/things/${estate.thingId}?secret=of-mine`;
      await fetch(`${address}/things?name=of-mine`, {
        headers: { authorization, 'x-request-id': 'first' },
      });
      await fetch(address + path, { headers: { authorization, 'x-request-id': 'second' } });
      await fetch(`${address}/nothing`, { headers: { 'x-request-id': 'third' } });
      await fetch(`${address}/health`);
      const told = await eventually(() => {
        const all = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered');
        expect(all).toHaveLength(3);
        return all;
      });
      const caller = `user ${owner.id}`;
      const line = { method: 'GET', ms: expect.any(Number), bytes: expect.any(Number) };
      expect(told).toMatchObject([
        { ...line, request_id: 'first', route: '/things', status: 200, caller },
        { ...line, request_id: 'second', route: '/things/:id', caller },
        { ...line, request_id: 'third', route: 'unknown', status: 404 },
      ]);
      for (const { bytes } of told) expect(bytes).toBeGreaterThan(100);
      expect(lines.join()).not.toContain('of-mine');
      expect(lines.join()).not.toContain(token);
    } finally {
      await built.close();
    }
  });
});
