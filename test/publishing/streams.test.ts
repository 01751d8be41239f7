import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { OpenStream, openRaw, rawFrame, withLengths } from '../support/messages/streams.ts';
import { Line } from '../cli/running/line.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';
import { openReceiver } from '../webhooks/receiver.ts';

const good = '[{"n":"a","v":1}]';

let fleet: Fleet;
let thing: Thing;
let streams: OpenStream[] = [];

beforeAll(async () => {
  fleet = await Fleet.login(system());
  thing = await fleet.thing();
});

afterAll(async () => {
  for (const stream of streams) stream.close();
  await fleet.close();
});

type Options = Parameters<typeof OpenStream.open>[2] & { edge?: string };

async function open(key = thing.key, { edge = system().ingestUrl, ...options }: Options = {}) {
  const stream = await OpenStream.open(edge, key, options);
  streams = [...streams, stream];
  return stream;
}

describe('a stream', () => {
  it('takes many messages in a frame, and acknowledges them together', async () => {
    const own = await fleet.thing();
    const stream = await open(own.key, { path: '/http/messages/stream/hall/3' });
    stream.socket.send(
      '[{"n":"a","v":1,"t":1700000000}]\r\n\n[{"n":"b","vs":"x"},{"n":"c","vb":true}]',
    );
    stream.socket.send(withLengths('[{"bn":"d","v":2,"u":"V"}]', '[{"n":"e","s":3,"ut":60}]\n'));
    await stream.answered(4);
    expect(stream.refused).toEqual([]);
    await eventually(async () => {
      const messages = await fleet.readSenml(own.id);
      expect(messages.every(({ subtopic }) => subtopic === 'hall.3')).toBe(true);
      expect(messages.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
        { name: 'a', value: 1, time: 1_700_000_000 },
        { name: 'b', string_value: 'x' },
        { name: 'c', bool_value: true },
        { name: 'd', value: 2, unit: 'V' },
        { name: 'e', sum: 3, update_time: 60 },
      ]);
    });
  });

  it('refuses a message as a request with it is refused, and keeps those around it', async () => {
    const own = await fleet.thing();
    const stream = await open(own.key);
    const bad = ['{"n":"a","v":1}', '[{"n":"a"}]', '[{"n":"a","v":1e999}]', 'x', '[[[1]]]'];
    stream.socket.send([good, ...bad, good].join('\n'));
    await stream.answered(bad.length + 2);
    for (const [at, body] of bad.entries()) {
      const { status, error } = await fleet.publish(own.key, body);
      const refused = stream.refused.find(({ from, to }) => from <= at + 2 && to >= at + 2);
      expect(refused).toMatchObject({ status, error, code: 'malformed' });
    }
    expect(stream.told.at(-1)).toEqual({ ack: bad.length + 2 });
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(2));
  });

  it('tells what is refused alike in one piece', async () => {
    const stream = await open(thing.key);
    stream.socket.send('x\nx\nx');
    await stream.answered(3);
    expect(stream.told).toMatchObject([
      { refused: { from: 1, to: 3, status: 400, code: 'malformed' } },
      { ack: 3 },
    ]);
  });

  it('takes CBOR, JSON, and what a profile says', async () => {
    const [cbor, json] = [
      await fleet.thing(),
      await fleet.thing({ content_type: 'application/json' }),
    ];
    const binary = await open(cbor.key, { contentType: 'application/senml+cbor' });
    // The labels of RFC 8428 in CBOR: 0 is the name, 2 the value.
    // [{0: "a", 2: 5}]
    const pack = Buffer.from('81a20061610205', 'hex');
    binary.socket.send(withLengths(pack, pack));
    const text = await open(json.key);
    text.socket.send('{"x":1}\n[{"x":2},{"x":3}]');
    await Promise.all([binary.answered(2), text.answered(2)]);
    expect([...binary.refused, ...text.refused]).toEqual([]);
    await eventually(async () => {
      expect(await fleet.stored(cbor.id)).toBe(2);
      const messages = await fleet.readJson(json.id);
      const values = messages.map(({ payload }) => Number(payload['x']));
      expect(values.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    });
  });

  it('forwards each message to webhooks by itself, and stores none where the profile says so', async () => {
    const receiver = await openReceiver();
    const own = await fleet.thing({ write: false });
    await fleet.call('POST', `/svcwebhooks/things/${own.id}/webhooks`, [
      { name: 'w', url: receiver.url('/w') },
    ]);
    const stream = await open(own.key);
    await eventually(async () => {
      stream.socket.send(good);
      await stream.answered(stream.ack + 1);
      expect(receiver.at('/w').length).toBeGreaterThan(0);
    });
    const before = stream.ack;
    stream.socket.send('[{"n":"x","v":1}]\n[{"n":"y","v":2}]');
    await stream.answered(before + 2);
    await eventually(() => {
      const bodies = receiver.at('/w').map(({ body }) => String(body));
      expect(bodies).toEqual(expect.arrayContaining(['[{"n":"x","v":1}]', '[{"n":"y","v":2}]']));
    });
    await receiver.close();
    expect(await fleet.stored(own.id)).toBe(0);
  });

  it('that is left without a message stays open, and others do not wait for it', async () => {
    const [idle, busy] = [await open(), await open()];
    busy.socket.send(good);
    await busy.answered(1);
    idle.socket.send(good);
    await idle.answered(1);
    expect([idle.told, busy.told]).toEqual([[{ ack: 1 }], [{ ack: 1 }]]);
  });
});

describe('a request for a stream', () => {
  it.each([
    ['without a key', '', {}, /^401 .*credential_missing/],
    ['with an unknown key', 'unknown', {}, /^401 .*credential_unknown/],
    ['with a key of another kind', 'Bearer x', {}, /^401 .*send Authorization: Thing <key>/],
    ['of a type that is not taken', undefined, { contentType: 'text/plain' }, /^415 .*application/],
    ['with a wildcard', undefined, { path: '/http/messages/stream/*' }, /^400 .*subtopic/],
    ['with .. in its path', undefined, { path: '/http/messages/stream/..%2fa' }, /^400 .*subtopic/],
    [
      'with its subtopic as a parameter',
      undefined,
      { path: '/http/messages/stream?subtopic=a' },
      /^400 .*stands in the path/,
    ],
  ] as const)('%s is refused as HTTP', async (_, key, options, answer) => {
    await expect(open(key ?? thing.key, options)).rejects.toThrow(answer);
  });

  it.each([
    [
      'of another version',
      ['Upgrade: websocket', 'Sec-WebSocket-Version: 8'],
      /^HTTP\/1\.1 400 [^]*must be 13/,
    ],
    [
      'that is no upgrade',
      ['Sec-WebSocket-Version: 13'],
      /^HTTP\/1\.1 405 [^]*upgrade to a WebSocket/,
    ],
    ['for something else', ['Upgrade: h2c'], /^HTTP\/1\.1 405 [^]*upgrade to a WebSocket/],
  ])('%s is refused', async (_, fields, answer) => {
    const line = Line.open(system().ingestUrl);
    const head = [
      'Host: a',
      `Authorization: Thing ${thing.key}`,
      `Sec-WebSocket-Key: ${'a'.repeat(24)}`,
    ];
    line.send(['GET /http/messages/stream HTTP/1.1', ...head, ...fields, '\r\n'].join('\r\n'));
    expect(await line.answers(1)).toMatch(answer);
    line.end();
  });

  it('is refused where the thing has too many, until one of them is closed', async () => {
    const own = await fleet.thing();
    const all = await Promise.all(Array.from({ length: 16 }, () => open(own.key)));
    await expect(open(own.key)).rejects.toThrow(/^429 .*streams of this thing/);
    all[0]?.close();
    await eventually(() => open(own.key));
    for (const stream of all) stream.close();
  });

  it('is taken at /messages/stream too, and with parameters of its sender', async () => {
    const stream = await open(thing.key, { path: '/messages/stream?event=up' });
    stream.socket.send(good);
    await stream.answered(1);
    expect(stream.told).toEqual([{ ack: 1 }]);
  });
});

const pings = Buffer.concat(
  Array.from({ length: 10_000 }, () => rawFrame(0x89, Buffer.alloc(100))),
);

describe('hostile frames', () => {
  it('a frame that is too large ends the stream', async () => {
    const [large, huge] = [await open(), await open()];
    large.socket.send('x'.repeat(64 * 1024 + 1));
    expect(await large.ended()).toEqual({
      code: 1009,
      reason: 'a frame has more than 65536 bytes',
    });
    huge.socket.send('x'.repeat(1024 * 1024));
    expect(await huge.ended()).toMatchObject({ code: 1006 });
  });

  it('what came before a message that is cut off is kept', async () => {
    const own = await fleet.thing();
    const stream = await open(own.key);
    stream.socket.send(Buffer.concat([withLengths(good), Buffer.of(0, 0, 1, 0, 1)]));
    expect(await stream.ended()).toEqual({
      code: 1007,
      reason: 'a message is longer than its frame',
    });
    expect(stream.told).toEqual([{ ack: 1 }]);
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(1));
  });

  it('more than the window without an ack ends the stream', async () => {
    const stream = await open();
    // What is refused at once is answered at once: these wait for the disk.
    const frame = Array.from({ length: 1_000 }, () => `[{"n":"a","vs":"${'x'.repeat(30)}"}]`).join(
      '\n',
    );
    for (let sent = 0; sent < 100; sent++) stream.socket.send(frame);
    expect(await stream.ended()).toMatchObject({ code: 1008 });
    const tiny = await open();
    tiny.socket.send('x\n'.repeat(30_000));
    expect(await tiny.ended()).toMatchObject({ code: 1008 });
    expect(tiny.refused).toMatchObject([{ from: 1, to: tiny.ack, code: 'malformed' }]);
  });

  it.each([
    ['text that is no UTF-8', rawFrame(0x81, Buffer.of(0x5b, 0xff, 0xfe, 0x5d))],
    ['a frame without a mask', rawFrame(0x81, Buffer.from(good), { isMasked: false })],
    ['a reserved bit', rawFrame(0xc1, Buffer.from(good))],
    ['an opcode that is none', rawFrame(0x83, Buffer.from(good))],
    ['a continuation of nothing', rawFrame(0x80, Buffer.from(good))],
    ['a ping in pieces', rawFrame(0x09, Buffer.from('x'))],
    ['a length beyond all', rawFrame(0x82, Buffer.from('x'), { length: 2 ** 40 })],
    ['no frame at all', Buffer.from('POST /http/messages HTTP/1.1\r\n\r\n')],
  ])('%s: the connection ends, and nothing is kept', async (_, bytes) => {
    const own = await fleet.thing();
    const raw = await openRaw(system().ingestUrl, own.key);
    const isClosed = new Promise((resolve) => {
      raw.once('close', resolve);
    });
    raw.resume().write(bytes);
    raw.write(rawFrame(0x81, Buffer.from(good)));
    await isClosed;
    expect(await fleet.publish(own.key, good)).toMatchObject({ status: 202 });
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(1));
  });

  it('a frame in fragments is one, and pings in between are answered', async () => {
    const stream = await open();
    let pongs = 0;
    stream.socket.on('pong', () => (pongs += 1));
    stream.socket.send('[{"n":', { fin: false });
    stream.socket.ping('one');
    stream.socket.send('"a","v":1}]\n', { fin: false });
    stream.socket.send(good, { fin: true });
    await stream.answered(2);
    expect([stream.refused, pongs]).toEqual([[], 1]);
  });

  it('ends where its client sends pings and takes no pong', async () => {
    const socket = await openRaw(system().ingestUrl, thing.key);
    socket.pause();
    // Kernels hold some of the answers; the edge must not hold the rest.
    const enough = 32 * 1024 * 1024;
    for (let sent = 0; sent < enough && !socket.destroyed; sent += pings.length) {
      await new Promise((written) => socket.write(pings, written));
    }
    socket.resume();
    await eventually(() => expect(socket.destroyed).toBe(true));
  });

  it('a flood of pings, and frames that never come whole, keep nobody else waiting', async () => {
    const own = await fleet.thing();
    const flooding = await openRaw(system().ingestUrl, own.key);
    flooding.pause();
    const halves = await Promise.all(
      Array.from({ length: 10 }, () => openRaw(system().ingestUrl, own.key)),
    );
    const half = rawFrame(0x82, Buffer.alloc(1_000), { length: 60_000 });
    for (const socket of halves) socket.write(half);
    const stream = await open();
    for (let round = 1; round <= 20; round++) {
      flooding.write(pings);
      stream.socket.send(good);
      await stream.answered(round);
    }
    expect(stream.refused).toEqual([]);
    for (const socket of [flooding, ...halves]) socket.destroy();
  });
});

describe('a key that is changed', () => {
  it('ends its streams within a second, idle or busy, and what comes then is not kept', async () => {
    const own = await fleet.thing();
    const [idle, busy] = [await open(own.key), await open(own.key)];
    let sent = 0;
    const timer = setInterval(() => {
      if (busy.socket.readyState !== WebSocket.OPEN) return;
      busy.socket.send(good);
      sent += 1;
    }, 5);
    await busy.answered(1);
    const key = `new-${own.id}`;
    const rotated = { name: key, type: 'sensor', key };
    expect(await fleet.call('PUT', `/things/${own.id}`, rotated)).toMatchObject({ status: 200 });
    const since = performance.now();
    const ends = await Promise.all([idle.ended(), busy.ended()]);
    expect(performance.now() - since).toBeLessThan(1_000);
    clearInterval(timer);
    const unknown = { code: 4401, reason: 'credential_unknown' };
    expect(ends).toEqual([unknown, unknown]);
    expect(busy.ack).toBeLessThanOrEqual(sent);
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(busy.ack));
    const again = await open(key);
    again.socket.send(good);
    await again.answered(1);
  });

  it('and one of its profile leaves its streams open, and holds for what comes next', async () => {
    const own = await fleet.thing();
    const stream = await open(own.key);
    stream.socket.send(good);
    await stream.answered(1);
    const { body } = await fleet.call('GET', `/profiles/${own.profileId}`);
    const changed = { ...Object(body), config: { content_type: 'application/json' } };
    await fleet.call('PUT', `/profiles/${own.profileId}`, changed);
    await eventually(async () => {
      stream.socket.send('{"x":1}');
      await stream.answered(stream.ack + 1);
      expect(stream.refused.at(-1)?.to ?? 0).toBeLessThan(stream.ack);
    });
    await eventually(async () => {
      expect(await fleet.stored(own.id, 'json')).toBeGreaterThan(0);
    });
  });
});

describe('an edge with limits of its own', () => {
  let edge: OwnEdge;

  beforeAll(async () => {
    edge = await startOwnEdge({ THING_RATE_LIMIT: '3' });
  });

  afterAll(async () => {
    await fleet.allStored();
    await stopOwnEdge(edge);
  });

  it('holds streams to the rate of a thing, whatever their frames', async () => {
    const own = await fleet.thing();
    const [one, other] = [
      await open(own.key, { edge: edge.url }),
      await open(own.key, { edge: edge.url }),
    ];
    one.socket.send([good, good, good, good, good].join('\n'));
    await one.answered(5);
    other.socket.send(good);
    await other.answered(1);
    const refused = { status: 429, code: 'too_many', retry_after: 1 };
    expect(one.refused).toMatchObject([{ from: 4, to: 5, ...refused }]);
    expect(other.refused).toMatchObject([{ from: 1, to: 1, ...refused }]);
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(3));
  });

  it('refuses what its disk does not take, and acknowledges what comes after', async () => {
    const own = await fleet.thing();
    const stream = await open(own.key, { edge: edge.url });
    edge.process.send('failSync');
    await eventually(async () => {
      stream.socket.send(good);
      await stream.answered(stream.ack + 1);
      expect(stream.refused).toMatchObject([{ status: 503, code: 'unavailable', retry_after: 1 }]);
    });
    edge.process.send('none');
    const before = stream.refused[0]?.from ?? 0;
    await eventually(async () => {
      stream.socket.send(good);
      await stream.answered(stream.ack + 1);
      expect(stream.refused.at(-1)?.to).toBeLessThan(stream.ack);
    });
    await eventually(async () => {
      const refused = stream.refused.reduce((sum, { from, to }) => sum + to - from + 1, 0);
      expect(await fleet.stored(own.id)).toBe(stream.ack - refused);
    });
    expect(before).toBeGreaterThan(0);
  });
});

describe('a client that reads nothing', () => {
  it('loses its stream, and others are served meanwhile', async () => {
    const [flooding, other] = [await fleet.thing(), await fleet.thing()];
    const isOpen = async () => {
      const text = await (await fetch(`${system().ingestUrl}/metrics`)).text();
      return /^millrace_streams 2$/m.test(text);
    };
    for (const stream of streams) stream.close();
    const beside = await open(other.key);
    const raw = await openRaw(system().ingestUrl, flooding.key);
    raw.pause();
    await eventually(async () => expect(await isOpen()).toBe(true));
    const lines = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? '1' : '[]')).join('\n');
    const flood = rawFrame(0x81, Buffer.from(lines));
    await eventually(async () => {
      for (let frames = 0; frames < 100 && raw.writableLength < 2 ** 20; frames++) raw.write(flood);
      beside.socket.send(good);
      await beside.answered(beside.ack + 1);
      expect(await isOpen()).toBe(false);
    });
    raw.destroy();
    expect(beside.closed).toBeUndefined();
  });
});
