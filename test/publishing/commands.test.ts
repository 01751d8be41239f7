import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { at, call, json, textAt } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';

const people = new People();
let editor: Person;
let estate: Estate;
const open: WebSocket[] = [];

beforeAll(async () => {
  editor = await people.register();
  estate = await createEstate(editor.as);
});

afterAll(async () => {
  for (const socket of open) socket.terminate();
  await people.close();
});

type Thing = { id: string; key: string };
let made = 0;

async function newThing(type = 'device'): Promise<Thing> {
  made += 1;
  const [thing] = await createThings(editor.as, estate.profileId, [
    { name: `thing ${made}`, type },
  ]);
  if (thing === undefined) throw new Error('no thing was made');
  return thing;
}

async function send(thing: Thing, command: string, more: object = {}): Promise<string> {
  const body = { command, ...more };
  const sent = await call('POST', `/http/things/${thing.id}/commands`, { as: editor.as, body });
  return textAt(sent, 'id');
}

/** A request of a thing to an edge, or to the API. */
async function ask(
  method: 'GET' | 'POST',
  path: string,
  { key, body, edge = system().ingestUrl }: { key: string; body?: unknown; edge?: string },
) {
  const answer = await request(`${edge}${path}`, {
    method,
    headers: {
      authorization: `Thing ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text };
}

const commandsIn = ({ text }: { text: string }): { id: string; command: string }[] =>
  Object(JSON.parse(text)).commands;

const stateOf = async (id: string) =>
  at(await call('GET', `/commands/${id}`, { as: editor.as }), 'state');

/** A stream that asked for commands, and those that it got. */
async function listen(key: string, edge = system().ingestUrl) {
  const socket = new WebSocket(`${edge.replace('http', 'ws')}/http/messages/stream`, {
    headers: { authorization: `Thing ${key}` },
  });
  open.push(socket);
  const got: { id: string; command: string; params?: unknown }[] = [];
  const told: unknown[] = [];
  socket.addEventListener('message', ({ data }) => {
    const frame: unknown = JSON.parse(typeof data === 'string' ? data : '');
    const { command } = Object(frame);
    if (command === undefined) told.push(frame);
    else got.push(command);
  });
  await once(socket, 'open');
  socket.send('commands');
  return { socket, got, told };
}

describe.each([
  ['the edge', () => system().ingestUrl],
  ['the API, which passes it on', () => system().apiUrl],
])('a request for commands to %s', (_, url) => {
  it('is answered at once with those that wait, and with none where none do', async () => {
    const thing = await newThing();
    const edge = url();
    expect(json(await ask('GET', '/http/commands', { key: thing.key, edge }))).toEqual({
      commands: [],
    });
    const id = await send(thing, 'open', { params: { percent: 40 }, subtopic: 'valve.north' });
    const answer = await ask('GET', '/http/commands', { key: thing.key, edge });
    expect(commandsIn(answer)).toEqual([
      {
        id,
        command: 'open',
        params: { percent: 40 },
        subtopic: 'valve.north',
        created_at: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);
    expect(await stateOf(id)).toBe('delivered');
    // Once more it is sent only after a while.
    expect(commandsIn(await ask('GET', '/http/commands', { key: thing.key, edge }))).toEqual([]);
    const acknowledge = `/http/commands/${id}/acknowledge`;
    expect((await ask('POST', acknowledge, { key: thing.key, edge })).status).toBe(204);
    expect((await ask('POST', acknowledge, { key: thing.key, edge })).status).toBe(204);
    const seen = await call('GET', `/commands/${id}`, { as: editor.as });
    expect(json(seen)).toMatchObject({
      state: 'acknowledged',
      delivered_by: 'http',
      deliveries: 1,
    });
  });

  it('waits for one that is sent later', async () => {
    const thing = await newThing();
    const waiting = ask('GET', '/http/commands?wait=30', { key: thing.key, edge: url() });
    const id = await send(thing, 'open');
    expect(commandsIn(await waiting).map((one) => one.id)).toEqual([id]);
  });

  it('of a thing that commands another is what the API makes of it', async () => {
    const [sender, receiver] = [await newThing('controller'), await newThing('actuator')];
    const sent = await ask('POST', `/http/things/${receiver.id}/commands/valve/north`, {
      key: sender.key,
      body: { command: 'open', metadata: { a: 1 } },
      edge: url(),
    });
    expect(sent.status).toBe(202);
    const seen = await call('GET', `/commands/${textAt(sent, 'id')}`, { as: editor.as });
    expect(json(seen)).toMatchObject({
      command: 'open',
      metadata: { a: 1 },
      subtopic: 'valve.north',
      sender_type: 'thing',
      sender_id: sender.id,
      expires_at: textAt(sent, 'expires_at'),
    });
    const audit = `/orgs/${estate.orgId}/audit?entity_id=${textAt(sent, 'id')}`;
    expect(at(await call('GET', audit, { as: editor.as }), 'entries', 0, 'actor_id')).toBe(
      sender.id,
    );
    const back = await ask('POST', `/http/things/${sender.id}/commands`, {
      key: receiver.key,
      body: { command: 'open' },
      edge: url(),
    });
    expect([back.status, at(back, 'code')]).toEqual([403, 'forbidden']);
    expect(back.text).toContain(
      'a thing of the type actuator commands none of the type controller',
    );
  });
});

describe('the edge', () => {
  it.each([
    ['GET', '/http/commands?wait=soon', undefined, 400],
    ['GET', '/http/commands?wait=61', undefined, 400],
    ['POST', '/http/commands', {}, 405],
    ['POST', '/http/commands/x/acknowledge', {}, 400],
    ['POST', '/http/commands/5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11/acknowledge', {}, 404],
    ['POST', '/http/things/x/commands', { command: 'a' }, 400],
    ['POST', '/http/things/5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11/commands', { command: 'a' }, 404],
    ['POST', `/things/5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11/commands`, {}, 400],
    ['POST', `/http/groups/5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11/commands`, { command: 7 }, 400],
    ['GET', '/http/groups/5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11/commands', undefined, 405],
  ] as const)('refuses what it does not take: %s %s', async (method, path, body, status) => {
    const answer = await ask(method, path, { key: estate.key, body });
    expect([answer.status, typeof at(answer, 'error')]).toEqual([status, 'string']);
  });

  it('refuses a command that is not JSON, and one of nobody', async () => {
    const path = `${system().ingestUrl}/http/things/${estate.thingId}/commands`;
    const plain = await request(path, {
      method: 'POST',
      headers: { authorization: `Thing ${estate.key}`, 'content-type': 'text/plain' },
      body: 'open',
    });
    expect(plain.statusCode).toBe(415);
    await plain.body.dump();
    const unknown = await ask('GET', '/http/commands', { key: 'wrong' });
    expect([unknown.status, at(unknown, 'code')]).toEqual([401, 'credential_unknown']);
  });

  it('takes no ack of a command of another thing', async () => {
    const [thing, other] = [await newThing(), await newThing()];
    const id = await send(thing, 'open');
    const answer = await ask('POST', `/http/commands/${id}/acknowledge`, { key: other.key });
    expect(answer.status).toBe(404);
    expect(await stateOf(id)).toBe('queued');
  });

  it('answers a request that waits with 401 where its key is changed meanwhile', async () => {
    const thing = await newThing();
    const waiting = ask('GET', '/http/commands?wait=30', { key: thing.key });
    const change = { as: editor.as, body: { key: `new ${thing.id}` } };
    await call('PUT', `/things/${thing.id}`, change);
    await eventually(async () => {
      expect((await ask('GET', '/http/commands', { key: thing.key })).status).toBe(401);
    });
    const id = await send(thing, 'open');
    expect((await waiting).status).toBe(401);
    await eventually(async () => {
      const again = await ask('GET', '/http/commands', { key: `new ${thing.id}` });
      expect(commandsIn(again).map((one) => one.id)).toEqual([id]);
    });
  });
});

describe('a stream', () => {
  it('gets commands once it asks for them, those that wait first, and acknowledges them', async () => {
    const thing = await newThing();
    const first = await send(thing, 'one', { params: { precise: 1.5 } });
    const stream = await listen(thing.key);
    await eventually(() => expect(stream.got.map(({ id }) => id)).toEqual([first]));
    const second = await send(thing, 'two');
    await eventually(() => expect(stream.got).toHaveLength(2));
    stream.socket.send(`acknowledge ${first} ${second}`);
    stream.socket.send('[{"n":"a","v":1}]');
    await eventually(() => expect(stream.told).toEqual([{ ack: 1 }]));
    await eventually(async () => {
      expect([await stateOf(first), await stateOf(second)]).toEqual([
        'acknowledged',
        'acknowledged',
      ]);
    });
  });

  it('that does not ask for them gets none', async () => {
    const thing = await newThing();
    const id = await send(thing, 'open');
    const socket = new WebSocket(
      `${system().ingestUrl.replace('http', 'ws')}/http/messages/stream`,
      { headers: { authorization: `Thing ${thing.key}` } },
    );
    open.push(socket);
    const frames: string[] = [];
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') frames.push(data);
    });
    await once(socket, 'open');
    socket.send('[{"n":"a","v":1}]');
    await eventually(() => expect(frames).toEqual(['{"ack":1}']));
    expect(await stateOf(id)).toBe('queued');
  });

  it('that ended leaves what it did not acknowledge to the next one, at once', async () => {
    const thing = await newThing();
    const stream = await listen(thing.key);
    const id = await send(thing, 'open');
    await eventually(() => expect(stream.got).toHaveLength(1));
    stream.socket.terminate();
    const next = await listen(thing.key);
    await eventually(() => expect(next.got.map((one) => one.id)).toEqual([id]));
  });

  it('that ended leaves it to a request as well, long before its time with the edge is over', async () => {
    const thing = await newThing();
    const stream = await listen(thing.key);
    const id = await send(thing, 'open');
    await eventually(() => expect(stream.got).toHaveLength(1));
    stream.socket.terminate();
    await eventually(async () => {
      const answer = await ask('GET', '/http/commands', { key: thing.key });
      expect(commandsIn(answer).map((one) => one.id)).toEqual([id]);
    }, 15_000);
  });

  it('gets commands to its group, and has sixteen at most that it did not acknowledge', async () => {
    const own = await createEstate(editor.as);
    const stream = await listen(own.key);
    for (let i = 0; i < 20; i++) {
      await call('POST', `/groups/${own.groupId}/commands`, {
        as: editor.as,
        body: { command: `${i}` },
      });
    }
    await eventually(() => expect(stream.got).toHaveLength(16));
    expect(stream.got[0]).toMatchObject({ command: '0', group_id: own.groupId });
    for (const { id } of stream.got) stream.socket.send(`acknowledge ${id}`);
    await eventually(() => expect(stream.got).toHaveLength(20));
    expect(stream.got.map(({ command }) => Number(command))).toEqual([...Array(20).keys()]);
  });
});

describe('several edges', () => {
  let second: OwnEdge;
  beforeAll(async () => {
    second = await startOwnEdge({});
  });
  afterAll(() => stopOwnEdge(second));

  it('give a command to the thing wherever it listens, and know what another one gave', async () => {
    const thing = await newThing();
    const stream = await listen(thing.key, second.url);
    const id = await send(thing, 'open');
    await eventually(() => expect(stream.got.map((one) => one.id)).toEqual([id]));
    expect(commandsIn(await ask('GET', '/http/commands', { key: thing.key }))).toEqual([]);
    await ask('POST', `/http/commands/${id}/acknowledge`, { key: thing.key });
    expect(await stateOf(id)).toBe('acknowledged');
  });
});

describe('while PostgreSQL does not answer', () => {
  let relay: Server;
  let edge: OwnEdge;
  let isAway = false;
  const sockets = new Set<Socket>();

  /** Between the edge and PostgreSQL: while it is away, no byte passes. */
  beforeAll(async () => {
    const url = new URL(system().databaseUrl);
    const { port, hostname } = url;
    relay = createServer((client) => {
      const server = connect(Number(port), hostname);
      for (const [socket, other] of [
        [client, server],
        [server, client],
      ] as const) {
        sockets.add(socket);
        socket.on('error', () => other.destroy());
        socket.on('close', () => other.destroy());
        socket.on('data', (bytes) => void (isAway || other.write(bytes)));
      }
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const address = relay.address();
    url.hostname = '127.0.0.1';
    url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
    edge = await startOwnEdge({ DATABASE_URL: url.href });
  });

  afterAll(async () => {
    await stopOwnEdge(edge);
    for (const socket of sockets) socket.destroy();
    relay.close();
  });

  it('commands are refused for the moment, and messages are taken as ever', async () => {
    const thing = await newThing();
    const publish = async () => {
      const startedAt = performance.now();
      const answer = await request(`${edge.url}/http/messages`, {
        method: 'POST',
        headers: { authorization: `Thing ${thing.key}`, 'content-type': 'application/json' },
        body: '[{"n":"a","v":1}]',
      });
      await answer.body.dump();
      return { status: answer.statusCode, ms: performance.now() - startedAt };
    };
    await eventually(async () => expect((await publish()).status).toBe(202));
    const stream = await listen(thing.key, edge.url);
    const before = await send(thing, 'before');
    await eventually(() => expect(stream.got.map(({ id }) => id)).toEqual([before]));

    isAway = true;
    const asked = Array.from({ length: 40 }, (_, i) =>
      i % 2 === 0
        ? ask('GET', '/http/commands', { key: thing.key, edge: edge.url })
        : ask('POST', `/http/things/${thing.id}/commands`, {
            key: thing.key,
            body: { command: 'a' },
            edge: edge.url,
          }),
    );
    stream.socket.send(`acknowledge ${before}`);
    const meanwhile = await send(thing, 'meanwhile');
    let isOver = false;
    const statuses = Promise.all(asked).then((answers) => {
      isOver = true;
      return answers.map(({ status }) => status);
    });
    const published = [];
    while (!isOver) published.push(await publish());
    expect(new Set(await statuses)).toEqual(new Set([503]));
    expect(new Set(published.map(({ status }) => status))).toEqual(new Set([202]));
    expect(published.length).toBeGreaterThan(100);

    isAway = false;
    for (const socket of sockets) socket.destroy();
    await eventually(() => expect(stream.got.map(({ id }) => id)).toContain(meanwhile), 30_000);
    await eventually(async () => expect(await stateOf(before)).toBe('acknowledged'), 30_000);
  });
});
