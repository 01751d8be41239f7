import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { buildApi } from '../support/api/build.ts';
import { type Answer, at, call } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { connectMqtt, endMqttClients } from '../support/messages/mqtt.ts';
import { OpenStream } from '../support/messages/streams.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';
import { errorOf, write } from './line/write.ts';

const people = new People();
let editor: Person;
let estate: Estate;

beforeAll(async () => {
  editor = await people.register();
  estate = await createEstate(editor.as);
});

afterAll(async () => {
  endMqttClients();
  await people.close();
});

type Thing = { id: string; key: string };

/** Of a profile of its own, in the group that all of them share. */
async function newThing(
  config: ProfileConfig = {},
  more: Record<string, unknown> = {},
): Promise<Thing> {
  const profile = [{ name: randomUUID(), config }];
  const profileId = await createdAt(`/groups/${estate.groupId}/profiles`, editor.as, profile);
  const given = [{ name: randomUUID(), type: 'device', ...more }];
  const [thing] = await createThings(editor.as, profileId, given);
  if (thing === undefined) throw new Error('no thing was made');
  return thing;
}

const partOfIt: ProfileConfig = {
  content_type: 'application/json',
  transformer: { data_field: 'data' },
};

/** How many things an edge knows to be waited for. */
async function awaitedAt(edge: string): Promise<number> {
  const text = await (await fetch(`${edge}/metrics`)).text();
  return Number(/^millrace_awaited_things (\d+)$/m.exec(text)?.[1]);
}

async function waitingAtApi(): Promise<number> {
  const text = await (await fetch(`${system().apiUrl}/metrics`)).text();
  return Number(/^millrace_budget_held\{budget="nextMessages"\} (\d+)$/m.exec(text)?.[1]);
}

const ask = ({ id }: Thing, { as = editor.as, wait = 30 } = {}): Promise<Answer> =>
  call('GET', `/things/${id}/next-message?wait=${wait}`, { as });

/** Begins to wait for the next message of a thing. The edges know it. */
async function begin(
  thing: Thing,
  { as = editor.as, edges = [system().ingestUrl] } = {},
): Promise<{ answer: Promise<Answer> }> {
  const before = await Promise.all(edges.map(awaitedAt));
  const answer = ask(thing, { as });
  await eventually(async () => {
    const now = await Promise.all(edges.map(awaitedAt));
    expect(now.every((count, edge) => count > (before[edge] ?? 0))).toBe(true);
  });
  return { answer };
}

const messageIn = (answer: Answer): unknown => {
  expect(answer.status).toBe(200);
  return at(answer, 'message');
};

const post = (
  key: string,
  body: string | Uint8Array,
  { type = 'application/json', path = '', edge = system().ingestUrl } = {},
) =>
  write(`${edge}/http/messages${path}`, body, {
    authorization: `Thing ${key}`,
    'content-type': type,
  });

describe('the next message of a thing', () => {
  it('is shown as it was posted, though its profile keeps a part of it', async () => {
    const thing = await newThing(partOfIt);
    const { answer } = await begin(thing);
    const body = '{"at": 7,\n "data": {"level": 3.20}, "ü": null}';
    expect(await post(thing.key, body, { path: '/hall/one' })).toMatchObject({ status: 202 });
    expect(messageIn(await answer)).toEqual({
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      protocol: 'http',
      content_type: 'application/json',
      subtopic: 'hall.one',
      bytes: Buffer.byteLength(body),
      encoding: 'text',
      body,
      accepted: true,
    });
    const path = `/reader/json?publisher=${thing.id}`;
    await eventually(async () => {
      const stored = await call('GET', path, { as: editor.as });
      expect(at(stored, 'messages', 0, 'payload')).toEqual({ level: 3.2 });
    });
  });

  it('is shown with the reason if it is refused, as its device is told it', async () => {
    const thing = await newThing(partOfIt);
    const { answer } = await begin(thing);
    const body = '{"level":3.2}';
    const refusal = await post(thing.key, body);
    expect(refusal.status).toBe(400);
    const refused = { status: 400, code: 'malformed', error: errorOf(refusal) };
    expect(messageIn(await answer)).toMatchObject({ body, accepted: false, refused });
  });

  it.each([4, 5] as const)(
    'is shown as it came over MQTT %s, taken or refused',
    async (version) => {
      const thing = await newThing(partOfIt);
      const device = await connectMqtt(thing.key, version);
      for (const [body, isTaken] of [
        ['{"data":{"level":1}}', true],
        ['{"level":1}', false],
      ] as const) {
        const { answer } = await begin(thing);
        const sent = device.client.publishAsync('hall/one', body, { qos: 1 });
        await sent.catch(() => undefined);
        expect(messageIn(await answer)).toMatchObject({
          protocol: 'mqtt',
          content_type: 'application/json',
          subtopic: 'hall.one',
          body,
          accepted: isTaken,
        });
      }
      await device.end();
    },
  );

  it('is shown as it came over a stream, alone of those in its frame', async () => {
    const thing = await newThing(partOfIt);
    const stream = await OpenStream.open(system().ingestUrl, thing.key);
    const { answer } = await begin(thing);
    const bodies = [1, 2, 3].map((level) => `{"data":{"level":${level}}}`);
    stream.socket.send(bodies.join('\n'));
    await stream.answered(3);
    expect(messageIn(await answer)).toMatchObject({
      protocol: 'ws',
      body: bodies[0],
      accepted: true,
    });
    await eventually(async () => {
      const stored = await call('GET', `/reader/json?publisher=${thing.id}`, { as: editor.as });
      expect(at(stored, 'total')).toBe(3);
    });
    stream.socket.close();
  });

  it('may be lines of InfluxDB, of which some are refused', async () => {
    const thing = await newThing();
    const { answer } = await begin(thing);
    const lines = 'hall level=1\nno line\n';
    const written = await write(`${system().ingestUrl}/write`, lines, {
      authorization: `Token ${thing.key}`,
    });
    expect(written.status).toBe(400);
    expect(messageIn(await answer)).toMatchObject({
      protocol: 'line',
      body: lines,
      accepted: true,
      refused: { status: 400, code: 'malformed', error: expect.stringContaining('no line') },
    });
  });

  it('is also what a gateway sends for it, and that is none of the gateway', async () => {
    const externalKey = randomUUID();
    const device = await newThing(partOfIt, { external_key: externalKey });
    const gateway = await newThing({ gateway: { device_path: 'device' } }, { type: 'gateway' });
    const { answer: ofGateway } = await begin(gateway);
    for (const [more, isTaken] of [
      [{ data: { level: 1 } }, true],
      [{}, false],
    ] as const) {
      const { answer } = await begin(device);
      const body = JSON.stringify({ device: externalKey, ...more });
      expect((await post(gateway.key, body)).status).toBe(isTaken ? 202 : 400);
      expect(messageIn(await answer)).toMatchObject({ body, accepted: isTaken });
    }
    const unknown = `{"device":"${randomUUID()}"}`;
    expect((await post(gateway.key, unknown)).status).toBe(403);
    const refused = { status: 403, code: 'forbidden' };
    expect(messageIn(await ofGateway)).toMatchObject({ body: unknown, refused });
  });

  it('is shown to all who wait for it, and each message to one wait', async () => {
    const thing = await newThing();
    const { answer } = await begin(thing);
    const other = ask(thing);
    await eventually(async () => expect(await waitingAtApi()).toBe(2));
    for (const body of ['{"a":1}', '{"a":2}']) await post(thing.key, body);
    const messages = [messageIn(await answer), messageIn(await other)];
    expect(messages).toMatchObject([{ body: '{"a":1}' }, { body: '{"a":1}' }]);
    const { answer: later } = await begin(thing);
    await post(thing.key, '{"a":3}', { edge: system().apiUrl });
    expect(messageIn(await later)).toMatchObject({ body: '{"a":3}' });
  });

  it('is null if none comes in the time that one waits', async () => {
    const thing = await newThing();
    const other = await newThing();
    const answer = ask(thing, { wait: 1 });
    await post(other.key, '{"a":1}');
    expect(messageIn(await answer)).toBe(null);
    for (const wait of ['0', '31', '-1', 'x']) {
      const path = `/things/${thing.id}/next-message?wait=${wait}`;
      expect(await call('GET', path, { as: editor.as })).toMatchObject({ status: 400 });
    }
    await post(thing.key, '{"a":1}');
  });
});

describe('who may wait for it', () => {
  it('is an editor of the group, and nobody whose right ends meanwhile', async () => {
    const [thing, quiet] = [await newThing(), await newThing()];
    const viewer = await people.member('group', estate.groupId, 'viewer');
    const stranger = await people.register();
    for (const { as } of [viewer, stranger]) {
      expect(await ask(thing, { as, wait: 1 })).toMatchObject({ status: 403 });
    }
    const other = await people.member('group', estate.groupId, 'editor');
    const { answer } = await begin(thing, { as: other.as });
    const path = `/groups/${estate.groupId}/memberships`;
    const left = await call('PATCH', path, { as: editor.as, body: { member_ids: [other.id] } });
    expect(left.status).toBe(204);
    // A right that ended counts after a second at the latest.
    await ask(quiet, { wait: 1 });
    await post(thing.key, '{"secret":1}');
    const refused = await answer;
    expect(refused.status).toBe(403);
    expect(refused.text).not.toContain('secret');
    await post(quiet.key, '{"a":1}');
  });
});

describe('hostile messages and waits', () => {
  it('a body of a megabyte is shown by its first 64 KiB, with its size', async () => {
    const thing = await newThing();
    const { answer } = await begin(thing);
    const body = JSON.stringify({ text: 'ü'.repeat(500_000) });
    expect((await post(thing.key, body)).status).toBe(202);
    const message = Object(messageIn(await answer));
    expect(message).toMatchObject({ bytes: Buffer.byteLength(body), encoding: 'text' });
    expect(body.startsWith(message.body)).toBe(true);
    expect(Buffer.byteLength(message.body)).toBeGreaterThan(64 * 1024 - 4);
    expect(Buffer.byteLength(message.body)).toBeLessThanOrEqual(64 * 1024);
  });

  it('bytes that are no text, control characters and markup come as they are', async () => {
    const thing = await newThing();
    for (const sent of [
      Buffer.from([0x81, 0xa2, 0x00, 0x61, 0x61, 0x02, 0x01, 0xff]),
      Buffer.from('{"a":"</script>\u0000\u2028\u001b[2J"}\r\n'),
      Buffer.alloc(0),
    ]) {
      const { answer } = await begin(thing);
      const { status } = await post(thing.key, sent, { type: 'application/senml+cbor' });
      const message = Object(messageIn(await answer));
      const encoding = message.encoding === 'text' ? 'utf8' : 'base64';
      expect(Buffer.from(message.body, encoding)).toEqual(sent);
      expect(message).toMatchObject({ bytes: sent.length, refused: { status } });
    }
  });

  it('a caller waits at four places at once, and again once one has ended', async () => {
    const thing = await newThing();
    const hasty = await people.member('group', estate.groupId, 'editor');
    const leaving = new AbortController();
    const url = `${system().apiUrl}/things/${thing.id}/next-message`;
    const { signal } = leaving;
    const waiting = Array.from({ length: 4 }, () =>
      fetch(url, { headers: { authorization: hasty.as }, signal }).catch(() => 'left'),
    );
    await eventually(async () => expect(await waitingAtApi()).toBe(4));
    const refused = await ask(thing, { as: hasty.as, wait: 1 });
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
    expect((await ask(thing, { wait: 1 })).status).toBe(200);
    leaving.abort();
    expect(await Promise.all(waiting)).toEqual(['left', 'left', 'left', 'left']);
    await eventually(async () => {
      expect((await ask(thing, { as: hasty.as, wait: 1 })).status).toBe(200);
    });
    await post(thing.key, '{"a":1}');
  });
});

describe('several edges', () => {
  const edges: OwnEdge[] = [];

  beforeAll(async () => {
    const env = { LOG_LEVEL: 'trace', INGEST_ACCESS_LOG: '1' };
    edges.push(await startOwnEdge(env), await startOwnEdge(env));
  });

  afterAll(async () => {
    await Promise.all(edges.map(stopOwnEdge));
  });

  it('know for which things somebody waits, and each tells, and writes no log line of it', async () => {
    const secrets = edges.map(() => randomUUID());
    for (const [at_, { url: edge }] of edges.entries()) {
      const thing = await newThing(partOfIt);
      const { answer } = await begin(thing, { edges: edges.map(({ url }) => url) });
      const body = JSON.stringify({ data: { secret: secrets[at_] } });
      expect((await post(thing.key, body, { edge })).status).toBe(202);
      expect(messageIn(await answer)).toMatchObject({ body, accepted: true });
    }
    const logged = edges.map((edge) => edge.output()).join('');
    expect(logged).toContain('/http/messages');
    expect(secrets.filter((secret) => logged.includes(secret))).toEqual([]);
  });
});

describe('a wait ends with 503', () => {
  it('when its Redis breaks off, and the next one goes on', async () => {
    const thing = await newThing();
    const { answer } = await begin(thing);
    const redis = new Redis(system().redisUrl);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    redis.disconnect();
    const { status, headers } = await answer;
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    await eventually(async () => {
      const next = ask(thing, { wait: 2 });
      await post(thing.key, '{"a":1}');
      await post(thing.key, '{"a":1}');
      expect(messageIn(await next)).toMatchObject({ body: '{"a":1}' });
    });
  });

  it('when its API stops', async () => {
    const api = buildApi();
    const { adminEmail: email, adminPassword } = system();
    const payload = { email, password: adminPassword };
    const login = await api.server.inject({ method: 'POST', url: '/tokens', payload });
    const headers = { authorization: `Bearer ${login.json().token}` };
    const [first, thing] = [await newThing(), await newThing()];
    // It is connected to Redis once one ends without a message.
    await eventually(async () => {
      const url = `/things/${first.id}/next-message?wait=1`;
      expect((await api.server.inject({ url, headers })).statusCode).toBe(200);
    });
    const before = await awaitedAt(system().ingestUrl);
    const waiting = api.server.inject({ url: `/things/${thing.id}/next-message`, headers });
    await eventually(async () => {
      expect(await awaitedAt(system().ingestUrl)).toBeGreaterThan(before);
    });
    await api.close();
    expect((await waiting).statusCode).toBe(503);
  });
});
