import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { messageIdsOf, bundleOf } from '../../webhooks/bundles.ts';
import { answers, openReceiver, type Received, type Receiver } from '../../webhooks/receiver.ts';
import { away, buildApi } from '../../support/api/build.ts';
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
let receiver: Receiver;
let editor: Person;
let viewer: Person;
let outsider: Person;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  estate = await createEstate(admin);
  receiver = await openReceiver();
  editor = await people.member('group', estate.groupId, 'editor');
  viewer = await people.member('group', estate.groupId, 'viewer');
  outsider = await people.register();
});

afterAll(async () => {
  await receiver.close();
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
      headers: { 'X-Key': 'é', Authorization: 'Bearer x', 'Content-Type': 'text/plain' },
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
    for (const value of ['a\r\nSet-Cookie: x', 'a\n', '\u0007', 'Ω']) {
      expect(await headers({ 'X-A': value })).toEqual(
        malformed('0.headers.X-A holds what no header can'),
      );
    }
    expect(await headers({ 'X-A': 'x', 'x-a': 'y' })).toEqual(
      malformed('0.headers.x-a is given twice'),
    );
    const ours = ['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'TE', 'Upgrade'];
    const alsoOurs = ['webhook-id', 'Webhook-Signature', 'User-Agent', 'USER-AGENT'];
    const told = ['millrace-thing-id', 'Millrace-Subtopic', 'millrace-received-at'];
    for (const name of [...ours, ...alsoOurs, ...told, 'Proxy-Authorization']) {
      expect(await headers({ [name]: 'x' })).toEqual(malformed(`0.headers.${name} can not be set`));
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
      malformed('headers.Host can not be set'),
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

describe('a secret', () => {
  it('is shown to editors and above only', async () => {
    const thing = await thingId();
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const id = await create(thing, { secret });
    for (const [as, shows] of [
      [admin, true],
      [editor.as, true],
      [viewer.as, false],
    ] as const) {
      for (const path of [
        `/webhooks/${id}`,
        `/things/${thing}/webhooks`,
        `/groups/${estate.groupId}/webhooks?limit=200`,
      ]) {
        const answer = await call('GET', path, { as });
        expect([path, answer.text.includes(secret)]).toEqual([path, shows]);
        expect(answer.text.includes('sealed')).toBe(false);
      }
    }
  });

  it('is encrypted at rest', async () => {
    const secret = `secret-${randomUUID()}`;
    const id = await create(await thingId(), { secret });
    const [row] = await people.rows('SELECT w::text AS text FROM webhooks AS w WHERE id = $1', [
      id,
    ]);
    expect(row?.['text']).not.toContain(secret);
    expect(row?.['text']).not.toContain(Buffer.from(secret).toString('hex'));
  });

  it('that was replaced signs beside the new one for a day', async () => {
    const path = `/${randomUUID()}`;
    const id = await create(await thingId(), {
      url: receiver.url(path),
      secret: 'the first one of three of them',
    });
    await put(id, { secret: 'the second one of three of them' });
    expect(await rowOf(id)).toMatchObject({ previous_secret_sealed: expect.anything() });
    const [left] = await people.rows(
      'SELECT previous_secret_until - now() AS left FROM webhooks WHERE id = $1',
      [id],
    );
    expect(left?.['left']).toMatchObject({ hours: 23, minutes: 59 });
    const [received] = await pinged(id, path);
    expect(String(received?.headers['webhook-signature']).split(' ')).toHaveLength(2);

    // What is written back as it was read is no change.
    const before = await rowOf(id);
    await put(id, { secret: 'the second one of three of them', name: 'other' });
    const { updated_at: _was, name: _name, ...same } = before;
    expect(await rowOf(id)).toMatchObject(same);

    await put(id, { secret: null });
    expect(await rowOf(id)).toMatchObject({
      secret_sealed: null,
      previous_secret_sealed: null,
      previous_secret_until: null,
    });
    await put(id, { secret: 'the third one of three of them' });
    expect(await rowOf(id)).toMatchObject({ previous_secret_sealed: null });
    expect(at(await view(id), 'secret')).toBe('the third one of three of them');
  });
});

/** Sends a ping; gives what came to the path once it is there. */
async function pinged(id: string, path: string): Promise<Received[]> {
  const before = receiver.at(path).length;
  const answer = await call('POST', `/webhooks/${id}/ping`, { as: editor.as });
  expect([answer.status, json(answer)]).toEqual([
    202,
    { message_id: expect.stringMatching(/^ping-/) },
  ]);
  await eventually(() => receiver.at(path).length > before);
  return receiver.at(path).slice(before);
}

const deliveriesOf = (id: string, query = '', as = viewer.as) =>
  call('GET', `/webhooks/${id}/deliveries${query}`, { as });

describe('a ping', () => {
  it('arrives as a message of its own, and is listed with the response', async () => {
    const path = `/${randomUUID()}`;
    receiver.treat(path, (response) => void response.writeHead(201).end('é'.repeat(5_000)));
    const thing = await thingId();
    const id = await create(thing, { url: receiver.url(path), headers: { 'X-Mine': 'yes' } });
    const [received] = await pinged(id, path);
    expect(JSON.parse(String(received?.body))).toEqual({
      type: 'ping',
      timestamp: expect.stringMatching(/Z$/),
      data: { webhook_id: id, thing_id: thing },
    });
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-mine': 'yes',
      'webhook-id': expect.stringMatching(/^ping-/),
    });
    await eventually(async () => at(await deliveriesOf(id), 'total') === 1);
    expect(json(await deliveriesOf(id))).toEqual({
      total: 1,
      offset: 0,
      limit: 10,
      deliveries: [
        {
          id: expect.any(Number),
          message_id: expect.stringMatching(/^ping-/),
          request_id: expect.stringMatching(/-/),
          attempt: 1,
          tried_at: expect.stringMatching(/Z$/),
          duration_ms: expect.any(Number),
          status: 201,
          answer: 'é'.repeat(2_048),
        },
      ],
    });
  });

  it('that fails is listed with the reason', async () => {
    const id = await create(await thingId(), { url: 'http://127.0.0.1:9/' });
    const answer = await call('POST', `/webhooks/${id}/ping`, { as: editor.as });
    const messageId = textAt(answer, 'message_id');
    const found = async (query: string) => at(await deliveriesOf(id, query), 'total');
    await eventually(async () => (await found('')) === 1);
    const list = await deliveriesOf(id, '?outcome=failed');
    expect(at(list, 'outcome')).toBe('failed');
    const [first] = [at(list, 'deliveries')].flat();
    expect(first).toMatchObject({ message_id: messageId, error: expect.any(String), answer: '' });
    expect(Object.keys(Object(first))).not.toContain('status');
    const triedAt = String(Object(first).tried_at);
    for (const [query, total] of [
      ['?outcome=delivered', 0],
      ['?status=200', 0],
      [`?message_id=${messageId}`, 1],
      ['?message_id=other', 0],
      [`?from=${triedAt}`, 1],
      [`?from=${Date.parse(triedAt)}000000`, 1],
      [`?to=${triedAt.replace(/\.\d+Z/, '.999Z')}`, 1],
      ['?to=2001-01-01T00:00:00Z', 0],
    ] as const) {
      expect([query, await found(query)]).toEqual([query, total]);
    }
    for (const bad of ['outcome=maybe', 'status=1', 'from=yesterday', 'order=status']) {
      expect([bad, (await deliveriesOf(id, `?${bad}`)).status]).toEqual([bad, 400]);
    }
    expect((await deliveriesOf(absent)).status).toBe(404);
  });
});

describe('a replay', () => {
  const another = randomUUID();
  const yesterdayMs = Date.now() - 86_400_000;
  const atMinute = (minute: number) => new Date(yesterdayMs + minute * 60_000).toISOString();

  /** A message that is kept beside another thing's, received yesterday at such a minute. */
  async function keep(thing: string, minute: number, payload: Buffer): Promise<string> {
    const contentType = 'application/senml+cbor';
    const receivedMs = Date.parse(atMinute(minute));
    const pack = bundleOf([
      { thingId: another, payload: 'of another', receivedMs },
      { thingId: thing, payload, contentType, receivedMs },
    ]);
    await people.keepPack(pack);
    return messageIdsOf(pack)[1] ?? '';
  }

  const replay = (id: string, body: unknown, as = editor.as) =>
    call('POST', `/webhooks/${id}/replay`, { as, body });

  it('delivers one message again, under the same id', async () => {
    const path = `/${randomUUID()}`;
    const thing = await thingId();
    const id = await create(thing, { url: receiver.url(path) });
    const bytes = Buffer.from([0, 255, 254, 10]);
    const messageId = await keep(thing, 0, bytes);
    for (const times of [1, 2]) {
      const answer = await replay(id, { message_id: messageId });
      expect([answer.status, json(answer)]).toEqual([202, { queued: 1 }]);
      await eventually(() => receiver.at(path).length === times);
    }
    const [first, second] = receiver.at(path);
    expect(first?.body).toEqual(bytes);
    expect(first?.headers['content-type']).toBe('application/senml+cbor');
    expect(first?.headers['webhook-id']).toContain(messageId);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await eventually(async () => at(await deliveriesOf(id), 'total') === 2);
  });

  it('delivers those of a time range, both ends included, and of no other thing', async () => {
    const path = `/${randomUUID()}`;
    const thing = await thingId();
    const id = await create(thing, { url: receiver.url(path) });
    const body = (text: string) => Buffer.from(text);
    for (const minute of [0, 1, 2, 3]) await keep(thing, minute, body(`minute ${minute}`));
    await keep(await thingId(), 1, body('foreign'));
    const range = { from: atMinute(1), to: atMinute(2).replace('Z', '+00:00') };
    expect(json(await replay(id, range))).toEqual({ queued: 2 });
    await eventually(() => receiver.at(path).length === 2);
    const bodies = receiver.at(path).map((one) => String(one.body));
    expect(bodies.toSorted()).toEqual(['minute 1', 'minute 2']);
    expect(json(await replay(id, { from: '2030-01-01T00:00:00Z' }))).toEqual({ queued: 0 });
    expect(json(await replay(id, { to: atMinute(0) }))).toEqual({ queued: 1 });
  });

  it('delivers those whose last attempt failed', async () => {
    const path = `/${randomUUID()}`;
    receiver.treat(path, answers(204));
    const thing = await thingId();
    const id = await create(thing, { url: receiver.url(path) });
    const [lost, refused, taken, mended] = await Promise.all(
      ['lost', 'refused', 'taken', 'mended'].map((text) => keep(thing, 0, Buffer.from(text))),
    );
    for (const [messageId, statuses] of [
      [lost, [null, null]],
      [refused, [200, 500]],
      [taken, [200]],
      [mended, [500, 200]],
    ] as const) {
      for (const [i, status] of statuses.entries()) {
        await people.rows(
          `INSERT INTO webhook_deliveries
             (webhook_id, message_id, attempt, tried_at, duration_ms, status)
           VALUES ($1, $2, $3, now(), 1, $4)`,
          [id, messageId, i + 1, status],
        );
      }
    }
    expect(json(await replay(id, { failed: true }))).toEqual({ queued: 2 });
    await eventually(() => receiver.at(path).length === 2);
    const bodies = receiver.at(path).map((one) => String(one.body));
    expect(bodies.toSorted()).toEqual(['lost', 'refused']);
    // They have been delivered now.
    await eventually(async () => at(await replay(id, { failed: true }), 'queued') === 0);
  });

  it('delivers large messages whole', async () => {
    const path = `/${randomUUID()}`;
    const thing = await thingId();
    const id = await create(thing, { url: receiver.url(path) });
    const sizes = [10, 5_000_000, 20, 5_000_000, 30];
    for (const [minute, bytes] of sizes.entries())
      await keep(thing, minute, Buffer.alloc(bytes, 'x'));
    expect(json(await replay(id, { from: atMinute(0) }))).toEqual({ queued: 5 });
    await eventually(() => receiver.at(path).length === 5, 30_000);
    const received = receiver.at(path).map((one) => one.body.length);
    expect(received.toSorted((x, y) => x - y)).toEqual(sizes.toSorted((x, y) => x - y));
  });

  it('delivers more than are read at once', async () => {
    const thing = await thingId();
    const id = await create(thing, { url: receiver.url(`/${randomUUID()}`) });
    const messages = Array.from({ length: 60 }, () => ({ thingId: thing, payload: 'x' }));
    for (let packs = 0; packs < 20; packs++) await people.keepPack(bundleOf(messages));
    expect(json(await replay(id, { from: atMinute(0) }))).toEqual({ queued: 1_200 });
    // Nobody waits for them: deleting the webhook ends what is left.
    const body = { webhook_ids: [id] };
    expect((await call('DELETE', '/webhooks', { as: editor.as, body })).status).toBe(204);
  });

  it('is refused without a choice, and without permission', async () => {
    const id = await create(await thingId());
    const unclear = malformed('one of message_id, failed, or from and to is needed');
    const now = '2026-01-01T00:00:00Z';
    for (const body of [{}, { failed: true, from: now }, { message_id: 'x', failed: true }]) {
      expect(refusal(await replay(id, body))).toEqual(unclear);
    }
    for (const body of [{ failed: false }, { from: 'x' }, { message_id: '' }, []]) {
      expect((await replay(id, body)).status).toBe(400);
    }
    expect((await replay(id, { message_id: 'nothing of it' })).status).toBe(404);
    expect((await replay(id, { failed: true }, viewer.as)).status).toBe(403);
    expect((await replay(absent, { failed: true })).status).toBe(404);
    expect((await call('POST', `/webhooks/${id}/ping`, { as: viewer.as })).status).toBe(403);
  });
});

describe('with Redis away from the API', () => {
  it('replays and pings wait in PostgreSQL, and workers send them', async () => {
    const api = buildApi({ redisUrl: away.redisUrl });
    try {
      const authorization = `Bearer ${await api.tokens.issue({ userId: editor.id, generation: 0 })}`;
      const path = `/${randomUUID()}`;
      const thing = await thingId();
      const id = await create(thing, { url: receiver.url(path) });
      const messageId = await keepNow(thing);
      const send = (what: string, payload?: object) =>
        api.server.inject({
          method: 'POST',
          url: `/webhooks/${id}/${what}`,
          headers: { authorization },
          ...(payload === undefined ? {} : { payload }),
        });
      const sent = [await send('ping'), await send('replay', { message_id: messageId })];
      expect(sent.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
      await eventually(() => receiver.at(path).length === 2);
    } finally {
      await api.close();
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
});

/** A message of a thing that is kept; its id. */
async function keepNow(thing: string): Promise<string> {
  const pack = bundleOf([{ thingId: thing, payload: '[]' }]);
  await people.keepPack(pack);
  return messageIdsOf(pack)[0] ?? '';
}
