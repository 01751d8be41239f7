import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, at, call, json, textAt } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';
import { oneOf, race } from '../race.ts';

let admin: string;
let people: People;
let estate: Estate;
let editor: Person;
let viewer: Person;
let outsider: Person;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  estate = await createEstate(admin);
  editor = await people.member('group', estate.groupId, 'editor');
  viewer = await people.member('group', estate.groupId, 'viewer');
  outsider = await people.register();
});

afterAll(async () => {
  await people.close();
});

const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
const url = 'https://receiver.example.com/hook';

async function thingId(): Promise<string> {
  const [thing] = await createThings(admin, estate.profileId, [
    { name: randomUUID(), type: 'device' },
  ]);
  return thing?.id ?? '';
}

const post = (thing: string, body: unknown, as = admin) =>
  call('POST', `/svcwebhooks/things/${thing}/webhooks`, { as, body });

/** Makes one webhook; gives its id. */
async function create(thing: string, members: Record<string, unknown> = {}): Promise<string> {
  const answer = await post(thing, [{ name: 'hook', url, ...members }]);
  if (answer.status !== 201) throw new Error(`not created: ${answer.status} ${answer.text}`);
  return textAt(answer, 0, 'id');
}

const view = async (id: string, as = admin) => call('GET', `/webhooks/${id}`, { as });
const put = (id: string, body: unknown, as = admin) => call('PUT', `/webhooks/${id}`, { as, body });
const rowOf = async (id: string) =>
  (await people.rows('SELECT * FROM webhooks WHERE id = $1', [id]))[0] ?? {};

/** The message of a refusal. */
const refusal = (answer: Answer) => [answer.status, at(answer, 'error')];
const malformed = (what: string) => [400, `malformed entity specification: ${what}`];

describe('webhooks', () => {
  it('are created from a list or a wrapped list, and returned as they were sent', async () => {
    const thing = await thingId();
    const full = {
      name: 'full',
      url,
      headers: { 'X-Key': 'e, ~', Authorization: 'Bearer x', 'X-None': '' },
      metadata: { clé: ['é'] },
      secret: 'a secret of ours that is long enough',
    };
    const list = await post(thing, [full, { name: 'bare', url: 'http://example.com:81/?a=b' }]);
    expect(list.status).toBe(201);
    const place = { id: uuid, thing_id: thing, group_id: estate.groupId };
    expect(json(list)).toEqual([
      { ...full, ...place },
      { name: 'bare', url: 'http://example.com:81/?a=b', headers: {}, metadata: {}, ...place },
    ]);
    const one = { name: 'one', url, headers: null, metadata: null, secret: null };
    const wrapped = await call('POST', `/things/${thing.toUpperCase()}/webhooks`, {
      as: admin,
      body: { webhooks: [one] },
    });
    expect([wrapped.status, json(wrapped)]).toEqual([
      201,
      { webhooks: [{ name: 'one', url, headers: {}, metadata: {}, ...place }] },
    ]);
    for (const path of ['/webhooks', '/svcwebhooks/webhooks']) {
      const read = await call('GET', `${path}/${textAt(list, 0, 'id')}`, { as: admin });
      expect([read.status, json(read)]).toEqual([200, at(list, 0)]);
    }
  });

  it('are created all or none, and the error names the member', async () => {
    const thing = await thingId();
    const good = { name: 'good', url };
    const refused = async (body: unknown) => refusal(await post(thing, body));
    const headers = (given: Record<string, unknown>) => refused([{ ...good, headers: given }]);
    expect(await refused([])).toEqual([400, expect.stringContaining('body')]);
    expect(await refused({ webhooks: [] })).toEqual([400, expect.stringContaining('webhooks')]);
    expect(await refused({})).toEqual(malformed('webhooks is missing'));
    expect(await refused([good, { url }])).toEqual(malformed('1.name is missing'));
    expect(await refused({ webhooks: [{ name: 'x' }] })).toEqual(
      malformed('webhooks.0.url is missing'),
    );
    for (const name of ['', 'x'.repeat(255), 1, null]) {
      expect(await refused([{ ...good, name }])).toEqual([400, expect.stringContaining('0.name')]);
    }
    expect(await headers({ 'X-A': 1 })).toEqual([400, expect.stringContaining('0.headers.X-A')]);
    expect(await headers({ 'X A': 'x' })).toEqual(
      malformed('0.headers."X A" is no name of a header'),
    );
    expect(await headers({ 'X-A\r\nB': 'x' })).toEqual([400, expect.stringContaining('0.headers')]);
    for (const [value, character] of [
      ['a\r\nSet-Cookie: x', '\r'],
      ['a\n', '\n'],
      ['\u0007', '\u0007'],
      ['Müller', 'ü'],
      ['Ω', 'Ω'],
      ['a 🌾', '🌾'],
    ]) {
      expect(await headers({ 'X-A': value })).toEqual(
        malformed(
          `0.headers.X-A holds ${JSON.stringify(character)}: a header holds visible ASCII and spaces; encode all else, for example as base64`,
        ),
      );
    }
    for (const value of [' a', 'a\t', ' ']) {
      expect(await headers({ 'X-A': value })).toEqual(
        malformed('0.headers.X-A begins or ends with a space, which receivers take off'),
      );
    }
    expect(await headers({ 'X-A': 'x', 'x-a': 'y' })).toEqual(
      malformed('0.headers.x-a is given twice'),
    );
    for (const [name, why] of [
      ['Content-Type', 'each delivery has its own'],
      ['content-length', 'each delivery has its own'],
      ['Content-Encoding', 'bodies are sent as they are'],
      ['Host', 'it is that of the URL'],
      ['USER-AGENT', 'it is that of the service'],
      ['Webhook-Signature', 'it tells a receiver that a message is ours'],
      ['webhook-whatever', 'it tells a receiver that a message is ours'],
      ['Millrace-Thing-Id', 'it tells a receiver that a message is ours'],
      ...['Transfer-Encoding', 'Connection', 'TE', 'Trailer', 'Upgrade', 'Proxy-Authorization'].map(
        (one) => [one, 'it is of the connection and not of the message'],
      ),
    ] as const) {
      expect(await headers({ [name]: 'x' })).toEqual(
        malformed(`0.headers.${name} can not be set: ${why}`),
      );
    }
    const long = Object.fromEntries(
      Array.from({ length: 3 }, (_, i) => [`X-${i}`, 'x'.repeat(4_000)]),
    );
    expect(await headers(long)).toEqual(malformed('0.headers hold more than 8192 bytes'));
    expect((await headers({ 'X-A': 'x'.repeat(4_097) }))[0]).toBe(400);
    const short = ['short', 'x'.repeat(23), '', `whsec_${Buffer.alloc(23).toString('base64')}`];
    for (const secret of short) {
      expect(await refused([{ ...good, secret }])).toEqual(
        malformed('0.secret must have at least 24 bytes'),
      );
    }
    for (const secret of ['whsec_not base64!', 'whsec_abc', 12_345_678, 'x'.repeat(257)]) {
      expect(await refused([{ ...good, secret }])).toEqual([
        400,
        expect.stringContaining('0.secret'),
      ]);
    }
    expect(await refused([good, { ...good, url: 'ftp://x.example.com' }])).toEqual(
      malformed('1.url must be an HTTP or HTTPS address'),
    );
    const left = await call('GET', `/things/${thing}/webhooks`, { as: admin });
    expect(at(left, 'total')).toBe(0);
    // As the platform's clients send it: taken, and not shown, as each delivery has its own.
    const typed = { ...good, headers: { 'Content-Type': 'application/json', 'X-A': 'b' } };
    const taken = await call('POST', `/things/${thing}/webhooks`, { as: admin, body: [typed] });
    expect([taken.status, at(taken, 0, 'headers')]).toEqual([201, { 'X-A': 'b' }]);
  });

  it.each([
    'example.com/hook',
    'mailto:a@b.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http:example.com',
    'http://',
    'http://a b.example.com/',
    'http://a.example.com/\n',
    'http://a.example.com:99999/',
    'http://[::zz]/',
    `http://a.example.com/${'x'.repeat(2_048)}`,
  ])('are refused with an invalid URL, such as %s', async (bad) => {
    const answer = await post(estate.thingId, [{ name: 'x', url: bad }]);
    expect(refusal(answer)).toEqual([400, expect.stringContaining('0.url')]);
  });

  it.each([
    'http://10.0.0.1/',
    'http://167772161/',
    'http://0x0a.0.0.1/',
    'http://012.0.0.1/',
    'http://192.168.1.1./',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[64:ff9b::a00:1]/',
    'http://user:password@10.0.0.1/',
    'http://10。0。0。1/',
  ])('are refused with a private address, such as %s', async (inside) => {
    const what = 'url leads to an address that is not allowed';
    const answer = await post(estate.thingId, [{ name: 'x', url: inside }]);
    expect(refusal(answer)).toEqual(malformed(`0.${what}`));
    const id = await create(await thingId());
    expect(refusal(await put(id, { url: inside }))).toEqual(malformed(what));
  });

  it('may have private addresses that the settings allow', async () => {
    for (const allowed of ['http://127.0.0.1:9/', 'http://2130706433/', 'http://[::1]/']) {
      expect(await create(await thingId(), { url: allowed })).toEqual(uuid);
    }
  });

  it('are at most fifty for a thing, however many ask at once', async () => {
    const thing = await thingId();
    const some = (count: number) => Array.from({ length: count }, () => ({ name: 'x', url }));
    expect((await post(thing, some(51))).status).toBe(400);
    expect((await post(thing, some(49))).status).toBe(201);
    const tooMany = await post(thing, some(2));
    expect(refusal(tooMany)).toEqual([
      409,
      'entity already exists: a thing has at most 50 webhooks',
    ]);
    expect(await race(5, () => post(thing, some(1)))).toEqual(oneOf(5, 201, 409));
    const list = await call('GET', `/things/${thing}/webhooks?limit=200`, { as: admin });
    expect(at(list, 'total')).toBe(50);
  });

  it('are listed by thing and by group', async () => {
    const { groupId, thingId: first, profileId } = await createEstate(admin);
    const [second] = await createThings(admin, profileId, [{ name: 'two', type: 'device' }]);
    const named = (names: string[]) => names.map((name) => ({ name, url, metadata: { of: name } }));
    await post(first, named(['a1', 'B2']));
    await post(second?.id ?? '', named(['a3']));
    const names = async (path: string) => {
      const answer = await call('GET', path, { as: admin });
      expect(answer.status).toBe(200);
      const list = at(answer, 'webhooks');
      if (!Array.isArray(list)) throw new Error(answer.text);
      return list.map((_, i) => textAt(answer, 'webhooks', i, 'name'));
    };
    const ofGroup = `/svcwebhooks/groups/${groupId}/webhooks`;
    expect(await names(`${ofGroup}?order=name&dir=asc`)).toEqual(['B2', 'a1', 'a3'].toSorted());
    expect(await names(`/things/${first}/webhooks?name=b`)).toEqual(['B2']);
    expect(await names(`${ofGroup}?metadata={"of":"a3"}`)).toEqual(['a3']);
    const page = await call('GET', `${ofGroup}?limit=1&offset=1&order=created_at&dir=asc&name=a`, {
      as: admin,
    });
    expect(json(page)).toEqual({
      total: 2,
      limit: 1,
      offset: 1,
      order: 'created_at',
      dir: 'asc',
      name: 'a',
      webhooks: [expect.objectContaining({ name: 'a3', thing_id: second?.id, group_id: groupId })],
    });
    const empty = await call('GET', `/things/${await thingId()}/webhooks`, { as: admin });
    expect(json(empty)).toEqual({ total: 0, offset: 0, limit: 10, webhooks: [] });
    expect((await call('GET', `${ofGroup}?order=secret`, { as: admin })).status).toBe(400);
    expect((await call('GET', `${ofGroup}?limit=201`, { as: admin })).status).toBe(400);
  });

  it('change where something is given, and null clears', async () => {
    const id = await create(await thingId(), { headers: { A: 'b' }, metadata: { a: 1 } });
    const before = json(await view(id));
    expect((await put(id, {})).text).toBe('');
    expect(json(await view(id))).toEqual(before);
    const changed = { name: 'new', url: 'http://new.example.com/', headers: { B: 'c' } };
    expect((await put(id, { ...changed, thing_id: absent, id: absent })).status).toBe(200);
    expect(json(await view(id))).toEqual({ ...Object(before), ...changed });
    await put(id, { headers: null, metadata: null });
    expect(json(await view(id))).toMatchObject({ name: 'new', headers: {}, metadata: {} });
    for (const bad of [{ name: null }, { name: '' }, { url: null }, { url: 'x' }, []]) {
      expect((await put(id, bad)).status).toBe(400);
    }
    expect(refusal(await put(id, { headers: { Host: 'x' } }))).toEqual(
      malformed('headers.Host can not be set: it is that of the URL'),
    );
    expect((await put(absent, { name: 'x' })).status).toBe(404);
  });

  it('are enabled by a change', async () => {
    const id = await create(await thingId());
    await people.rows(
      `UPDATE webhooks SET disabled_at = '2026-01-02T03:04:05Z', disabled_why = 'gone',
         failing_since = now() WHERE id = $1`,
      [id],
    );
    const disabled = { disabled_at: '2026-01-02T03:04:05.000Z', disabled_why: 'gone' };
    expect(json(await view(id))).toMatchObject(disabled);
    for (const [path, body] of [
      ['ping', undefined],
      ['replay', { failed: true }],
    ] as const) {
      const answer = await call('POST', `/webhooks/${id}/${path}`, { as: admin, body });
      expect(answer.status).toBe(409);
    }
    await put(id, {});
    expect(Object.keys(Object(json(await view(id))))).not.toContain('disabled_at');
    expect(await rowOf(id)).toMatchObject({ disabled_why: null, failing_since: null });
  });

  it('are disabled by an editor until one enables them, whatever else is changed', async () => {
    const id = await create(await thingId());
    expect((await put(id, { disabled: 'yes' })).status).toBe(400);
    await put(id, { disabled: true });
    const disabled = { disabled_at: expect.any(String), disabled_why: 'by_user' };
    expect(json(await view(id))).toMatchObject(disabled);
    const since = Object(json(await view(id))).disabled_at;
    await put(id, { name: 'another' });
    await put(id, { disabled: true });
    expect(json(await view(id))).toMatchObject({
      ...disabled,
      name: 'another',
      disabled_at: since,
    });
    expect((await call('POST', `/webhooks/${id}/ping`, { as: admin })).status).toBe(409);
    await put(id, { disabled: false });
    expect(Object.keys(Object(json(await view(id))))).not.toContain('disabled_at');
    const entries = await people.rows(
      `SELECT changes FROM audit_entries WHERE entity_id = $1 AND changes ? 'disabled_why' ORDER BY id`,
      [id],
    );
    expect(entries).toMatchObject([
      { changes: { disabled_why: { to: 'by_user' } } },
      { changes: { disabled_why: { from: 'by_user' } } },
    ]);
  });

  it('are deleted all or none, by either method', async () => {
    const thing = await thingId();
    const foreign = await createEstate(admin);
    const other = await create(foreign.thingId);
    const ids = [await create(thing), await create(thing), await create(thing)];
    const remove = (method: 'DELETE' | 'PATCH', webhook_ids: unknown, as = editor.as) =>
      call(method, '/svcwebhooks/webhooks', { as, body: { webhook_ids } });
    expect((await remove('DELETE', [ids[0], absent])).status).toBe(404);
    expect((await remove('DELETE', [ids[0], other])).status).toBe(403);
    expect((await remove('DELETE', [ids[0]], viewer.as)).status).toBe(403);
    expect((await remove('DELETE', [])).status).toBe(400);
    expect((await remove('DELETE', ['x'])).status).toBe(400);
    expect(at(await call('GET', `/things/${thing}/webhooks`, { as: admin }), 'total')).toBe(3);

    const removed = await remove('DELETE', [ids[0], ids[1], ids[1]?.toUpperCase()]);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect((await remove('PATCH', [ids[2]])).status).toBe(204);
    for (const id of ids) expect((await view(id)).status).toBe(404);
    expect((await remove('PATCH', [ids[2]])).status).toBe(404);
    expect((await view(other)).status).toBe(200);
  });

  it('are deleted with their thing, and so are their deliveries', async () => {
    const thing = await thingId();
    const id = await create(thing);
    await people.rows(
      `INSERT INTO webhook_deliveries (webhook_id, message_id, attempt, tried_at, duration_ms)
       VALUES ($1, 'm', 1, now(), 1)`,
      [id],
    );
    expect((await call('DELETE', `/things/${thing}`, { as: admin })).status).toBe(204);
    expect((await view(id)).status).toBe(404);
    const query = 'SELECT id FROM webhook_deliveries WHERE webhook_id = $1';
    expect(await people.rows(query, [id])).toEqual([]);
  });

  it('are read by viewers and changed by editors', async () => {
    const thing = await thingId();
    const id = await create(thing);
    for (const [person, looks, writes] of [
      [outsider, 403, 403],
      [viewer, 200, 403],
      [editor, 200, 200],
    ] as const) {
      const { as } = person;
      const paths = [`/webhooks/${id}`, `/webhooks/${id}/deliveries`, `/things/${thing}/webhooks`];
      for (const path of paths) {
        expect([path, (await call('GET', path, { as })).status]).toEqual([path, looks]);
      }
      expect((await put(id, { name: 'n' }, as)).status).toBe(writes);
      expect((await post(thing, [{ name: 'x', url }], as)).status).toBe(writes === 200 ? 201 : 403);
    }
  });
});

describe('headers', () => {
  it('are shown to editors and above only', async () => {
    const thing = await thingId();
    const id = await create(thing, { headers: { Authorization: 'Bearer of theirs' } });
    for (const [as, shows] of [
      [admin, true],
      [editor.as, true],
      [viewer.as, false],
    ] as const) {
      for (const path of [`/webhooks/${id}`, `/things/${thing}/webhooks`]) {
        const answer = await call('GET', path, { as });
        expect([path, answer.text.includes('of theirs')]).toEqual([path, shows]);
        expect([path, answer.text.includes('"headers"')]).toEqual([path, shows]);
      }
    }
  });

  it('are sealed where they are stored, and equal ones are no change', async () => {
    const headers = { Authorization: 'Bearer of theirs' };
    const id = await create(await thingId(), { headers });
    const stored = async () =>
      people.rows('SELECT headers_sealed FROM webhooks WHERE id = $1', [id]);
    const [before] = await stored();
    expect(String(before?.['headers_sealed'])).not.toContain('of theirs');
    await put(id, { headers });
    expect(await stored()).toEqual([before]);
    await put(id, { headers: { ...headers, 'X-A': 'b' } });
    expect(await stored()).not.toEqual([before]);
    expect(at(await view(id), 'headers')).toEqual({ ...headers, 'X-A': 'b' });
    const entries = await people.rows(
      `SELECT changes FROM audit_entries WHERE entity_id = $1 AND action = 'update'`,
      [id],
    );
    expect(entries).toEqual([{ changes: { headers: {} } }]);
  });
});

describe('the URL', () => {
  it('shows its scheme and its host to viewers, and all of it to editors', async () => {
    const thing = await thingId();
    const secret = 'https://chat.example.com:8443/hooks/T0KEN?key=T0KEN';
    const id = await create(thing, { url: secret });
    for (const path of [
      `/webhooks/${id}`,
      `/webhooks/${id}/deliveries`,
      `/things/${thing}/webhooks`,
      `/groups/${estate.groupId}/webhooks?limit=200`,
    ]) {
      const answer = await call('GET', path, { as: viewer.as });
      expect([path, answer.status, answer.text.includes('T0KEN')]).toEqual([path, 200, false]);
    }
    const ofViewer = await call('GET', `/webhooks/${id}`, { as: viewer.as });
    expect(at(ofViewer, 'url')).toBe('https://chat.example.com:8443');
    const ofEditor = await call('GET', `/webhooks/${id}`, { as: editor.as });
    expect(at(ofEditor, 'url')).toBe(secret);
  });

  it('orders lists by its scheme and its host alone: who may not see the rest can not find it by trying', async () => {
    const thing = await thingId();
    const ids: string[] = [];
    for (const path of ['e', 'b', 'f', 'a', 'd', 'c']) {
      ids.push(await create(thing, { url: `https://chat.example.com/${path}` }));
    }
    const first = await create(thing, { url: 'https://a.example.com/z' });
    const list = `/things/${thing}/webhooks?order=url&dir=asc`;
    const { webhooks } = Object(json(await call('GET', list, { as: viewer.as })));
    const listed = webhooks.map(({ id }: { id: string }) => id);
    expect(listed).toEqual([first, ...ids.toSorted()]);
  });

  it('holds no user and password', async () => {
    const thing = await thingId();
    const because = 'url must be without user and password: give an Authorization header';
    for (const one of ['https://a:b@example.com/', 'https://a@example.com/', 'http://:b@e.com']) {
      const made = await post(thing, { webhooks: [{ name: 'x', url: one }] });
      expect(refusal(made)).toEqual(malformed(`webhooks.0.${because}`));
      const id = await create(thing, {});
      expect(refusal(await put(id, { url: one }))).toEqual(malformed(because));
    }
  });
});
