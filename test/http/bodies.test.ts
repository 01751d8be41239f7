import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { at, call, json } from '../support/api/http.ts';
import {
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

describe('bodies', () => {
  const post = (raw: string | Buffer, headers: Record<string, string> = {}) =>
    call('POST', '/orgs', { as: admin, raw, headers });

  it.each([
    ['cut', '{"name":"x"'],
    ['no JSON', 'name=x'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['NUL in a string', '{"name":"a\\u0000b"}'],
    ['half a pair in a string', '{"name":"a\\ud800b"}'],
    ['half a pair, deep', '{"name":"a","metadata":{"a":[{"b":"\\udc00"}]}}'],
    ['NUL in a name', '{"name":"a","metadata":{"\\u0000":1}}'],
    ['beyond a double', '{"name":"a","metadata":{"n":1e400}}'],
    ['__proto__', '{"name":"a","__proto__":{"admin":true}}'],
    ['__proto__, deep', '{"name":"a","metadata":{"__proto__":{}}}'],
    ['constructor', '{"name":"a","metadata":{"constructor":{"prototype":{}}}}'],
    ['33 deep', `{"name":"a","metadata":${'{"a":'.repeat(31)}{}${'}'.repeat(31)}}`],
    ['a hundred thousand deep', '['.repeat(100_000)],
    [
      'a hundred thousand deep, closed',
      `{"name":"a","metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    ],
  ])('are refused: %s', async (_name, raw) => {
    const answer = await post(raw);
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({
      error: expect.stringMatching(/^malformed entity specification: /),
    });
  });

  it.each([
    ['{"name":"x"', 'line 1, column 12 (byte 11), name: it ends inside an object, after 11 bytes'],
    ['{\n "name": None}', 'line 2, column 10 (byte 11), name: None is not JSON: write null'],
    [
      '[{"name":"x"},]',
      'line 1, column 15 (byte 14), element 1: the comma before ] is one too many',
    ],
    ['{"name":"x","__proto__":{}}', 'no member may be named __proto__'],
  ])('are refused with the place and the cause: %s', async (raw, told) => {
    const answer = await post(raw);
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({ error: expect.stringContaining(`the body: ${told}`) });
  });

  it('of the wrong type are a 415', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/jsonx', 'nonsense']) {
      const answer = await post('{"name":"x"}', { 'content-type': type });
      expect([type, answer.status]).toEqual([type, 415]);
      expect(json(answer)).toMatchObject({ error: 'unsupported content type' });
    }
    expect(
      (await post('{"name":"x"}', { 'content-type': 'application/json; charset=utf-8' })).status,
    ).toBe(201);
  });

  it('are at most a mebibyte, a batch eight', async () => {
    const text = (bytes: number) => `{"name":"a","unknown":{"x":"${'x'.repeat(bytes)}"}}`;
    expect((await post(text(1024 * 1024 - 100))).status).toBe(201);
    const refused = await post(text(1024 * 1024));
    expect([refused.status, json(refused)]).toMatchObject([
      413,
      { error: 'request entity too large' },
    ]);

    const batch = (bytes: number) =>
      call('POST', `/groups/${estate.groupId}/profiles`, {
        as: admin,
        body: Array.from({ length: 8 }, () => ({
          name: randomUUID(),
          unknown: { x: 'x'.repeat(bytes / 8) },
        })),
      });
    expect((await batch(7 * 1024 * 1024)).status).toBe(201);
    expect((await batch(8 * 1024 * 1024)).status).toBe(413);
  });

  it('keep metadata within 64 KiB, however it came', async () => {
    const limit = 64 * 1024;
    const holding = (bytes: number) => ({ x: 'x'.repeat(bytes - 8) });
    const answers = await Promise.all(
      [limit, limit + 1].map((bytes) =>
        call('POST', '/orgs', { as: admin, body: { name: 'a', metadata: holding(bytes) } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 400]);
    expect(at(answers[1] ?? (await post('')), 'error')).toContain('metadata is larger than 64 KiB');

    const [thing] = await createThings(admin, estate.profileId, [
      { name: randomUUID(), type: 'device' },
    ]);
    const grow = (metadata: object) =>
      call('PUT', '/things', { as: admin, body: [{ id: thing?.id, metadata }] });
    const half = 'x'.repeat(limit / 2);
    expect([(await grow({ a: half })).status, (await grow({ b: half })).status]).toEqual([
      200, 200,
    ]);
    const refused = await grow({ c: half });
    expect(refused.status).toBe(400);
    expect(at(refused, 'error')).toContain(`metadata of ${thing?.id} is larger than 64 KiB`);
    // Few bytes, and many as Postgres writes them.
    const numbers = await grow({ a: Array.from({ length: 900 }, () => 1e300), b: null });
    expect([numbers.status, at(numbers, 'error')]).toEqual([
      400,
      expect.stringContaining(`metadata of ${thing?.id} is larger than 64 KiB`),
    ]);
    const zerosIn = (count: number) => Array.from({ length: count }, () => 0);
    expect((await grow({ a: zerosIn(499), b: zerosIn(498) })).status).toBe(200);
    expect((await grow({ c: 1 })).status).toBe(200);
    const one = await grow({ d: 1 });
    expect([one.status, at(one, 'error')]).toEqual([
      400,
      expect.stringContaining(`metadata of ${thing?.id} holds more than 1000 values`),
    ]);
    const many = await grow({ a: Array.from({ length: 1_000 }, () => 0) });
    expect(at(many, 'error')).toContain('0.metadata holds more than 1000 values');
  });

  it('that hold a profile’s config are 4 KiB of what is known', async () => {
    const put = async (config: object) => {
      const answer = await call('PUT', `/profiles/${estate.profileId}`, {
        as: admin,
        body: { config },
      });
      return [answer.status, answer.status === 200 ? '' : at(answer, 'error')];
    };
    const filters = (count: number) => ({
      transformer: { data_filters: Array.from({ length: count }, () => 'x'.repeat(100)) },
    });
    const wrong = (what: string) => [400, `malformed entity specification: ${what}`];
    expect(await put(filters(39))).toEqual([200, '']);
    expect(await put(filters(40))).toEqual(wrong('config is larger than 4 KiB'));
    expect(await put({ colour: 'red' })).toEqual(
      wrong(
        'config.colour is not known; these are: content_type, write, line, transformer, gateway',
      ),
    );
    expect(await put({ transformer: { colour: 1 } })).toEqual(
      wrong(
        'config.transformer.colour is not known; these are: data_filters, data_field, time_field, time_format, time_location',
      ),
    );
    expect(await put({})).toEqual([200, '']);
  });

  it('with too many values are refused before they are parsed', async () => {
    const zeros = (bytes: number) => `[${'0,'.repeat(bytes / 2 - 2)}0]`;
    const open = await call('POST', '/tokens', { raw: zeros(1024 * 1024) });
    expect(open.status).toBe(413);
    const few = await post(zeros(1024 * 1024));
    expect([few.status, at(few, 'error')]).toEqual([400, expect.stringContaining('100000 values')]);
    const path = `/profiles/${estate.profileId}/things`;
    const many = await call('POST', path, { as: admin, raw: zeros(8 * 1024 * 1024) });
    expect([many.status, at(many, 'error')]).toEqual([
      400,
      expect.stringContaining('250000 values'),
    ]);
    const search = (raw: string) => call('POST', '/reader/senml/search', { as: admin, raw });
    const found = await search(zeros(1024 * 1024));
    expect([found.status, at(found, 'error')]).toEqual([
      400,
      expect.stringContaining('10000 values'),
    ]);
    const deep = await search('['.repeat(1024 * 1024));
    expect([deep.status, at(deep, 'error')]).toEqual([
      400,
      expect.stringContaining('nested deeper than 32'),
    ]);
  });

  it('are not read without permission', async () => {
    const stranger = await people.register();
    // No JSON, and said to be longer than what comes.
    const sent = async (id: string) => {
      const path = `/profiles/${id}/things`;
      const socket = connect(Number(new URL(system().apiUrl).port), '127.0.0.1');
      socket.setEncoding('latin1');
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${stranger.as}\r\n` +
          'content-type: application/json\r\ncontent-length: 8000000\r\n\r\n[[[',
      );
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return String(answer).slice(0, 12);
    };
    expect(await sent(estate.profileId)).toBe('HTTP/1.1 403');
    expect(await sent(randomUUID())).toBe('HTTP/1.1 404');
    expect(await sent('none')).toBe('HTTP/1.1 400');
  });

  it('that arrive slowly are refused when the permission ends meanwhile', async () => {
    const editor = await people.member('group', estate.groupId, 'editor');
    const socket = connect(Number(new URL(system().apiUrl).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => (answer += String(text)));
    socket.write(
      `PUT /profiles/${estate.profileId} HTTP/1.1\r\nhost: x\r\nauthorization: ${editor.as}\r\n` +
        'content-type: application/json\r\ncontent-length: 17\r\nexpect: 100-continue\r\n\r\n',
    );
    // Node says so as soon as the request is let in or not; its body is waited for from then on.
    await eventually(() => expect(answer).toContain('100 Continue'));
    const taken = Date.now();
    await people.rows('DELETE FROM group_memberships WHERE member_id = $1', [editor.id]);
    await eventually(() => Date.now() - taken > 1_500);
    socket.write('{"name":"stolen"}');
    await eventually(() => expect(answer).toContain('HTTP/1.1 403'));
    socket.destroy();
  });

  it('may be left out where none is needed, whatever the headers say', async () => {
    const answer = await call('DELETE', `/things/${estate.thingId}/external-key`, {
      as: admin,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(204);
  });

  it.each([
    `'; DROP TABLE orgs; --`,
    'a\r\nset-cookie: x=1',
    '${jndi:ldap://x}',
    '<script>alert(1)</script>',
    '\u202e\ufeff😀e\u0301',
    '{"$gt":""}',
    '\u0001\u001f',
  ])('keep %j unchanged', async (name) => {
    const created = await call('POST', '/orgs', {
      as: admin,
      body: { name, metadata: { [name]: [name] } },
    });
    expect(created.status).toBe(201);
    const read = await call('GET', String(created.headers['location']), { as: admin });
    expect(json(read)).toMatchObject({ name, metadata: { [name]: [name] } });
  });
});
