import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { system } from '../support/system.ts';
import { at, call, json } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
} from '../support/api/people.ts';

let admin: string;
let people: People;
let estate: Estate;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  estate = await createEstate(admin);
});

afterAll(() => people.close());

describe('every route', () => {
  it('answers with and without a service prefix', async () => {
    const prefixes = ['', '/svcthings', '/svcauth', '/svcusers', '/svcwebhooks', '/svccerts'];
    for (const prefix of prefixes) {
      const answer = await call('GET', `${prefix}/orgs/${estate.orgId}`, { as: admin });
      expect([prefix, answer.status]).toEqual([prefix, 200]);
    }
    for (const path of [
      '/svcother/orgs',
      '/svcthings/svcauth/orgs/x',
      '/svcthings',
      '/svcthingsx/orgs',
    ]) {
      expect([path, (await call('GET', path)).status]).toEqual([path, 404]);
    }
  });

  it('answers with a slash at the end, before a query as well', async () => {
    for (const end of ['/', '/?limit=1', '?name=/?']) {
      const answer = await call('GET', `/svcthings/orgs${end}`, { as: admin });
      expect([end, answer.status]).toEqual([end, 200]);
    }
    expect((await call('GET', '/orgs//', { as: admin })).status).toBe(404);
  });

  it('has the console at its root for browsers, with any query', async () => {
    const page = await call('GET', '/?utm_source=mail', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(json(await call('GET', '/?x=y'))).toMatchObject({ name: 'Millrace' });
  });

  it('accepts any content type without a body', async () => {
    const { id = '' } =
      (await createThings(admin, estate.profileId, [{ name: 'gone', type: 'device' }]))[0] ?? {};
    const headers = { 'content-type': 'application/senml+json' };
    for (const path of [`/reader/senml/${id}`, `/things/${id}`]) {
      const answer = await call('DELETE', path, { as: admin, headers });
      expect([path, answer.status, answer.text]).toEqual([path, 204, '']);
    }
  });

  it('gets 404 where there is no such route and 405 for another method, whatever the body', async () => {
    const notFound = await call('POST', '/nothing', {
      raw: '{',
      headers: { 'content-type': 'a/b' },
    });
    expect([notFound.status, json(notFound)]).toMatchObject([
      404,
      { error: 'entity not found: path' },
    ]);
    const other = await call('PATCH', `/profiles/${estate.profileId}`, { raw: '{' });
    expect([other.status, json(other)]).toMatchObject([405, { error: 'method not allowed' }]);
    expect(other.headers['allow']).toBe('DELETE, GET, HEAD, PUT');
    expect((await call('DELETE', '/tokens')).status).toBe(405);
    expect((await call('GET', '/things//external-key')).status).toBe(404);
    expect((await call('GET', '/%zz')).status).toBe(400);
    for (const id of ['no-uuid', `urn:uuid:${estate.orgId}`, `{${estate.orgId}}`]) {
      expect([id, (await call('GET', `/orgs/${id}`, { as: admin })).status]).toEqual([id, 400]);
      const query = `/reader/senml?publisher=${encodeURIComponent(id)}`;
      expect([id, (await call('GET', query, { as: admin })).status]).toEqual([id, 400]);
    }
    const long = await call('GET', `/orgs/${'x'.repeat(5_000)}`, { as: admin });
    expect(long.status).toBeGreaterThanOrEqual(400);
    expect(long.status).toBeLessThan(500);
    expect(json(long)).toMatchObject({ error: expect.any(String) });
  });
});

describe('what the API does not understand', () => {
  it.each([
    ['/reader/senml?pubisher=x', 'pubisher is not known; did you mean publisher?'],
    ['/reader/json/export?form=1', 'form is not known; did you mean from?'],
    ['/reader/senml/live?nmae=x', 'nmae is not known; did you mean name?'],
    ['/things?lmit=5', 'lmit is not known; did you mean limit?'],
    ['/orgs?Limit=5', 'Limit is not known; did you mean limit?'],
    ['/certs/x?colour=red', 'colour is not known: there are none here'],
    ['/keys?colour=red', 'colour is not known; these are: limit, offset, order, dir'],
  ])('GET %s: %s', async (path, detail) => {
    const answer = await call('GET', path, { as: admin });
    expect([answer.status, at(answer, 'error')]).toEqual([
      400,
      `malformed entity specification: ${detail}`,
    ]);
  });

  it('is ignored where the platform’s clients send it, except in a deletion', async () => {
    const sent =
      'total offset limit order dir name email metadata format time_format level tree'.split(' ');
    for (const name of sent) {
      const read = await call('GET', `/orgs/${estate.orgId}?${name}=1`, { as: admin });
      expect([name, read.status]).toEqual([name, 200]);
      const path = `/things/${estate.thingId}?${name}=1`;
      expect([name, (await call('DELETE', path, { as: admin })).status]).toEqual([name, 400]);
    }
    const removals = [
      ['/things', { thing_ids: [estate.thingId] }],
      ['/profiles', { profile_ids: [estate.profileId] }],
      ['/groups', { group_ids: [estate.groupId] }],
      ['/webhooks', { webhook_ids: [randomUUID()] }],
      [`/orgs/${estate.orgId}/memberships`, { member_ids: [randomUUID()] }],
      [`/groups/${estate.groupId}/memberships`, { member_ids: [randomUUID()] }],
    ] as const;
    for (const [path, body] of removals) {
      const answer = await call('PATCH', `${path}?name=x`, { as: admin, body });
      expect([path, answer.status, at(answer, 'error')]).toEqual([
        path,
        400,
        'malformed entity specification: name is not known: there are none here',
      ]);
    }
    expect((await call('GET', `/things/${estate.thingId}`, { as: admin })).status).toBe(200);
  });

  it('of a body is ignored, except in a deletion', async () => {
    const refused = await call('DELETE', `/things/${estate.thingId}`, {
      as: admin,
      body: { soft: true },
    });
    expect([refused.status, at(refused, 'error')]).toEqual([
      400,
      'malformed entity specification: a body is not taken here',
    ]);
    const tree = await createdAt('/groups', admin, { name: randomUUID() });
    const members = ['a', 'b'];
    const add = { members, type: 'users' };
    await call('POST', `/groups/${tree}/members`, { as: admin, body: add });
    const id = randomUUID();
    const removals = [
      ['DELETE', '/webhooks', { webhook_ids: [id], dry_run: true }],
      ['PATCH', '/webhooks', { webhook_ids: [id], dry_run: true }],
      ['PATCH', '/things', { thing_ids: [id], dry_run: true }],
      ['PATCH', `/orgs/${estate.orgId}/memberships`, { member_ids: [id], dry_run: true }],
      ['PATCH', `/groups/${estate.groupId}/memberships`, { member_ids: [id], dry_run: true }],
      ['DELETE', `/groups/${tree}/members`, { members, dry_run: true }],
    ] as const;
    for (const [method, path, body] of removals) {
      const answer = await call(method, path, { as: admin, body });
      expect([path, answer.status, at(answer, 'error')]).toEqual([
        path,
        400,
        expect.stringContaining('malformed entity specification: dry_run is not known; these are:'),
      ]);
    }
    const mistyped = await call('DELETE', `/groups/${tree}/members`, {
      as: admin,
      body: { members, typ: 'things' },
    });
    expect([mistyped.status, at(mistyped, 'error')]).toEqual([
      400,
      'malformed entity specification: typ is not known; did you mean type?',
    ]);
    const left = await call('GET', `/groups/${tree}/members`, { as: admin });
    expect(at(left, 'total')).toBe(2);
  });

  it('of a profile’s config is named, with the likely name', async () => {
    const make = (config: object) =>
      call('POST', `/groups/${estate.groupId}/profiles`, {
        as: admin,
        body: [{ name: randomUUID(), config }],
      });
    const errors = {
      'transformer.data_feild': { transformer: { data_feild: 'a' } },
      contentType: { contentType: 'application/json' },
    };
    const meant = { 'transformer.data_feild': 'data_field', contentType: 'content_type' };
    for (const [name, config] of Object.entries(errors)) {
      const answer = await make(config);
      expect([answer.status, at(answer, 'error')]).toEqual([
        400,
        `malformed entity specification: 0.config.${name} is not known; did you mean ${Reflect.get(meant, name)}?`,
      ]);
    }
  });
});

describe('what is not HTTP', () => {
  it('gets an error of the same form, and the server goes on', async () => {
    const { hostname, port } = new URL(system().apiUrl);
    const speak = async (text: string) => {
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        answer += chunk;
      });
      socket.end(text);
      await once(socket, 'close');
      return answer;
    };
    const huge = `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`;
    const twice =
      'POST /tokens HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}';
    for (const text of ['rubbish\r\n\r\n', huge, twice]) {
      const answer = await speak(text);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('{"error":"malformed entity specification');
    }
    expect((await call('GET', '/health')).status).toBe(200);
  });
});

describe('GET /health', () => {
  it('passes while all databases are there', async () => {
    const answer = await call('GET', '/health');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/health\+json/);
    const pass = [{ status: 'pass' }];
    const checks = { postgres: pass, clickhouse: pass, redis: pass, ingest: pass };
    expect(json(answer)).toMatchObject({ status: 'pass', description: 'Millrace API' });
    expect(at(answer, 'checks')).toEqual(checks);
  });
});

describe('GET /metrics', () => {
  it('counts answers by route, without ids', async () => {
    await call('GET', `/orgs/${estate.orgId}`, { as: admin });
    const answer = await call('GET', '/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    expect(answer.text).toMatch(
      /millrace_api_requests_answered_total\{route="\/orgs\/:id",method="GET",status="200"\} \d+/,
    );
    expect(answer.text).not.toContain(estate.orgId);
  });
});

describe('/http', () => {
  const senml = { 'content-type': 'application/senml+json' };

  it('forwards messages and refusals', async () => {
    const as = `Thing ${estate.key}`;
    const publish = (raw: string, headers: Record<string, string> = senml) =>
      call('POST', '/http/messages/a/b', { as, raw, headers });
    const taken = await publish('[{"n":"x","v":1}]');
    expect([taken.status, taken.text]).toEqual([202, '']);
    expect((await publish('[{"n":')).status).toBe(400);
    expect((await publish('x', { 'content-type': 'text/csv' })).status).toBe(415);
    expect((await publish(`[${'1,'.repeat(600_000)}1]`)).status).toBe(413);
    const asked = await call('POST', '/http/messages?subtopic=a', {
      as,
      raw: '[{"n":"x","v":1}]',
      headers: senml,
    });
    expect([asked.status, at(asked, 'error')]).toEqual([
      400,
      'malformed entity specification: subtopic: stands in the path, /http/messages/<subtopic>',
    ]);
    const stranger = await call('POST', '/http/messages', {
      as: 'Thing nobody',
      raw: '[{"n":"x","v":1}]',
      headers: senml,
    });
    expect(stranger.status).toBe(401);
    expect(at(stranger, 'error')).toBe('failed to perform authentication over the entity');
  });

  it('forwards a chunked body', async () => {
    const { hostname, port } = new URL(system().apiUrl);
    const socket = connect(Number(port), hostname);
    socket.setEncoding('latin1');
    socket.write(
      `POST /http/messages HTTP/1.1\r\nhost: x\r\nauthorization: Thing ${estate.key}\r\n` +
        'content-type: application/senml+json\r\ntransfer-encoding: chunked\r\nexpect: 100-continue\r\n' +
        'connection: close\r\n\r\n8\r\n[{"n":"c\r\n9\r\n","v":1}]\r\n0\r\n\r\n',
    );
    let answer = '';
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    await once(socket, 'close');
    expect(answer).toContain('HTTP/1.1 202 ');
  });
});
