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

let admin: string;
let people: People;
let estate: Estate;
let receiver: Receiver;
let editor: Person;
let viewer: Person;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  estate = await createEstate(admin);
  receiver = await openReceiver();
  editor = await people.member('group', estate.groupId, 'editor');
  viewer = await people.member('group', estate.groupId, 'viewer');
});

afterAll(async () => {
  await receiver.close();
  await people.close();
});

const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';
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
          thing_id: thing,
          thing_name: expect.any(String),
          received_at: expect.stringMatching(/Z$/),
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
    const log = await call('GET', `/audit?entity_id=${id}&action=replay`, { as: admin });
    expect(at(log, 'entries')).toMatchObject([
      {
        operation: 'replayWebhook',
        kind: 'webhook',
        actor_id: editor.id,
        entity_name: 'hook',
        changes: { from: { to: expect.any(String) }, queued: { to: '2' } },
      },
    ]);
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

/** A message of a thing that is kept; its id. */
async function keepNow(thing: string): Promise<string> {
  const pack = bundleOf([{ thingId: thing, payload: '[]' }]);
  await people.keepPack(pack);
  return messageIdsOf(pack)[0] ?? '';
}
