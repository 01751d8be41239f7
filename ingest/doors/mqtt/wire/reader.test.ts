import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import {
  type Connect,
  type Incoming,
  type Malformed,
  neverExpires,
  type Version,
} from './packets.ts';
import { PacketReader } from './reader.ts';
import { reasons } from './reasons.ts';
import { clientPackets, connectPacket, expected, plain } from './testing.ts';

const packetBytesMax = 1_000_000;

/** All that comes of these chunks, copied. */
function read(chunks: readonly Uint8Array[], reader = new PacketReader({ packetBytesMax })) {
  const packets: Record<string, unknown>[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let next = reader.next(); next !== undefined; next = reader.next()) {
      packets.push(plain(next));
    }
  }
  return packets;
}

/** Bytes written as text: `30 03 "a/b"` is two bytes and three characters. Spaces are for the eye. */
function bytes(text: string): Buffer {
  const parts = text.match(/"[^"]*"|[0-9a-f]{2}/g) ?? [];
  return Buffer.concat(
    parts.map((part) =>
      part.startsWith('"') ? Buffer.from(part.slice(1, -1)) : Buffer.from(part, 'hex'),
    ),
  );
}

const connects: Record<Version, Buffer> = {
  4: bytes('10 0d 00 04 "MQTT" 04 02 00 00 00 01 "c"'),
  5: bytes('10 0e 00 04 "MQTT" 05 02 00 00 00 00 01 "c"'),
};

function connected(version: Version): PacketReader {
  const reader = new PacketReader({ packetBytesMax });
  reader.push(connects[version]);
  expect(reader.next()).toMatchObject({ kind: 'connect', version, clientId: 'c' });
  return reader;
}

/** The answer to these bytes, after CONNECT. */
function after(version: Version, text: string): Incoming | undefined {
  const reader = connected(version);
  reader.push(bytes(text));
  const packet = reader.next();
  if (packet?.kind === 'malformed') {
    reader.push(bytes('c0 00'));
    expect(reader.next()).toBeUndefined();
    expect(reader.bufferedBytes).toBe(0);
  }
  return packet;
}

function first(text: string): Connect | Malformed {
  const reader = new PacketReader({ packetBytesMax });
  reader.push(bytes(text));
  const packet = reader.next();
  if (packet?.kind === 'connect' || packet?.kind === 'malformed') return packet;
  throw new Error('not the answer to a first packet');
}

const kindOf = (packet: Incoming | undefined) => packet?.kind;

/** A session of a client: CONNECT and what it may send after it. */
const sessions = fc.constantFrom<Version>(4, 5).chain((version) =>
  fc.record({
    version: fc.constant(version),
    connect: connectPacket(version),
    packets: fc.array(clientPackets(version), { maxLength: 8 }),
  }),
);
const encoded = (packet: Packet, protocolVersion: Version) => generate(packet, { protocolVersion });

describe('packets that another library wrote', () => {
  it('are read as they were', () => {
    fc.assert(
      fc.property(sessions, ({ version, connect, packets }) => {
        const all = [connect, ...packets];
        const written = Buffer.concat(all.map((packet) => encoded(packet, version)));
        expect(read([written])).toEqual(all.map((packet) => expected(packet, version)));
      }),
      { numRuns: 1000 },
    );
  });

  it('are the same however their bytes are cut, read at once or later, from chunks that are used again', () => {
    const cuts = fc.array(
      fc.record({ bytes: fc.integer({ min: 0, max: 40 }), late: fc.boolean() }),
    );
    fc.assert(
      fc.property(sessions, cuts, ({ version, connect, packets }, pieces) => {
        const all = [connect, ...packets];
        const written = Buffer.concat(all.map((packet) => encoded(packet, version)));
        const whole = read([written]);
        const reader = new PacketReader({ packetBytesMax });
        const got: Record<string, unknown>[] = [];
        let at = 0;
        for (const { bytes: length, late } of [...pieces, { bytes: written.length, late: false }]) {
          const chunk = Buffer.from(written.subarray(at, at + length));
          at += chunk.length;
          reader.push(chunk);
          let next = reader.next();
          while (next !== undefined) {
            got.push(plain(next));
            if (late) break;
            next = reader.next();
          }
          // It is the reader's until all is read.
          if (next === undefined) chunk.fill(0xff);
        }
        got.push(...read([Buffer.alloc(0)], reader));
        for (let next = reader.next(); next !== undefined; next = reader.next()) {
          got.push(plain(next));
        }
        expect(got).toEqual(whole);
        expect(reader.bufferedBytes).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('a part of them gives the first of them, and nothing else', () => {
    fc.assert(
      fc.property(sessions, fc.nat(), ({ version, connect, packets }, where) => {
        const parts = [connect, ...packets].map((packet) => encoded(packet, version));
        const written = Buffer.concat(parts);
        const end = where % (written.length + 1);
        let bytesOfWhole = 0;
        const whole = parts.filter((part) => (bytesOfWhole += part.length) <= end).length;
        expect(read([written.subarray(0, end)])).toEqual(read([written]).slice(0, whole));
      }),
      { numRuns: 1000 },
    );
  });

  it('with any byte changed, end in packets or in one reason, and never in an error', () => {
    fc.assert(
      fc.property(
        sessions,
        fc.nat(),
        fc.nat({ max: 255 }),
        ({ version, connect, packets }, where, byte) => {
          const parts = [connect, ...packets].map((packet) => encoded(packet, version));
          const written = Buffer.concat(parts);
          written[where % written.length] = byte;
          const got = read([written]);
          const malformed = got.findIndex((packet) => packet['kind'] === 'malformed');
          if (malformed !== -1) expect(malformed).toBe(got.length - 1);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('CONNECT', () => {
  it('of 3.1.1 means what it does not say', () => {
    expect(first('10 0c 00 04 "MQTT" 04 00 00 0a 00 00')).toMatchObject({
      kind: 'connect',
      cleanStart: false,
      keepAliveSeconds: 10,
      clientId: '',
      username: undefined,
      password: undefined,
      will: undefined,
      sessionExpirySeconds: neverExpires,
      receiveMax: 65_535,
      wantsProblemInformation: true,
    });
    expect(first('10 0d 00 04 "MQTT" 04 02 00 00 00 01 "c"')).toMatchObject({
      sessionExpirySeconds: 0,
    });
  });

  it.each<[string, string, number, Malformed['answer'], Version]>([
    ['anything else first', '30 05 00 01 "a" "hi"', reasons.protocolError, 'none', 4],
    ['a request of HTTP', '"GET / HTTP/1.1"', reasons.protocolError, 'none', 4],
    ['a ClientHello of TLS', '16 03 01 02 00', reasons.protocolError, 'none', 4],
    ['flags of its first byte', '11 0d', reasons.protocolError, 'none', 4],
    ['another name', '10 0d 00 04 "MQTX" 04 02 00 00 00 01 "c"', 0x84, 'none', 4],
    ['its name in small letters', '10 0d 00 04 "mqtt" 05 02 00 00 00 01 "c"', 0x84, 'none', 4],
    [
      '3.1, which has another name',
      '10 0f 00 06 "MQIsdp" 03 02 00 00 00 01 "c"',
      0x84,
      'connack',
      4,
    ],
    ['level 3', '10 0d 00 04 "MQTT" 03 02 00 00 00 01 "c"', 0x84, 'connack', 4],
    ['level 6', '10 0d 00 04 "MQTT" 06 02 00 00 00 01 "c"', 0x84, 'connack', 5],
    ['a bridge of mosquitto', '10 0d 00 04 "MQTT" 84 02 00 00 00 01 "c"', 0x84, 'connack', 4],
    ['the reserved flag', '10 0d 00 04 "MQTT" 04 03 00 00 00 01 "c"', 0x81, 'none', 4],
    ['the reserved flag in 5', '10 0e 00 04 "MQTT" 05 03 00 00 00 00 01 "c"', 0x81, 'connack', 5],
    ['a will QoS and no will', '10 0e 00 04 "MQTT" 05 0a 00 00 00 00 01 "c"', 0x81, 'connack', 5],
    ['will retain and no will', '10 0e 00 04 "MQTT" 05 22 00 00 00 00 01 "c"', 0x81, 'connack', 5],
    [
      'a will of QoS 3',
      '10 14 00 04 "MQTT" 04 1e 00 00 00 01 "c" 00 01 "t" 00 02 "hi"',
      0x81,
      'none',
      4,
    ],
    [
      'a will with a wildcard',
      '10 14 00 04 "MQTT" 04 06 00 00 00 01 "c" 00 01 "#" 00 02 "hi"',
      0x90,
      'none',
      4,
    ],
    [
      'a will without a topic',
      '10 13 00 04 "MQTT" 04 06 00 00 00 01 "c" 00 00 00 02 "hi"',
      0x82,
      'none',
      4,
    ],
    [
      'a password without a user name in 3.1.1',
      '10 10 00 04 "MQTT" 04 42 00 00 00 01 "c" 00 01 "p"',
      0x81,
      'none',
      4,
    ],
    ['more than it says', '10 0e 00 04 "MQTT" 04 02 00 00 00 01 "c" 00', 0x81, 'none', 4],
    ['less than it says', '10 0c 00 04 "MQTT" 04 02 00 00 00 01', 0x81, 'none', 4],
    ['an id that is not UTF-8', '10 0d 00 04 "MQTT" 04 02 00 00 00 01 ff', 0x81, 'none', 4],
    ['an id with U+0000', '10 0d 00 04 "MQTT" 04 02 00 00 00 01 00', 0x81, 'none', 4],
    ['an id with a surrogate', '10 0f 00 04 "MQTT" 04 02 00 00 00 03 ed a0 80', 0x81, 'none', 4],
    [
      'an id in more bytes than it needs',
      '10 0e 00 04 "MQTT" 04 02 00 00 00 02 c1 81',
      0x81,
      'none',
      4,
    ],
    ['more than 64 KiB', '10 80 80 04', reasons.packetTooLarge, 'none', 4],
    ['a length of 5 bytes', '10 80 80 80 80 01', 0x81, 'none', 4],
    ['a padded length in 5', '10 8e 00 00 04 "MQTT" 05 02 00 00 00 00 01 "c"', 0x81, 'connack', 5],
    [
      'a property twice',
      '10 14 00 04 "MQTT" 05 02 00 00 06 21 00 01 21 00 02 00 01 "c"',
      0x82,
      'connack',
      5,
    ],
    [
      'a property of another packet',
      '10 10 00 04 "MQTT" 05 02 00 00 02 01 01 00 01 "c"',
      0x81,
      'connack',
      5,
    ],
    [
      'a property that is none',
      '10 10 00 04 "MQTT" 05 02 00 00 02 04 01 00 01 "c"',
      0x81,
      'connack',
      5,
    ],
    [
      'a property that is cut',
      '10 10 00 04 "MQTT" 05 02 00 00 02 21 00 00 01 "c"',
      0x81,
      'connack',
      5,
    ],
    [
      'properties longer than itself',
      '10 0e 00 04 "MQTT" 05 02 00 00 7f 00 01 "c"',
      0x81,
      'connack',
      5,
    ],
    [
      'a padded length of properties',
      '10 0f 00 04 "MQTT" 05 02 00 00 80 00 00 01 "c"',
      0x81,
      'connack',
      5,
    ],
    ['receiveMax of 0', '10 11 00 04 "MQTT" 05 02 00 00 03 21 00 00 00 01 "c"', 0x82, 'connack', 5],
    [
      'packetBytesMax of 0',
      '10 13 00 04 "MQTT" 05 02 00 00 05 27 00 00 00 00 00 01 "c"',
      0x82,
      'connack',
      5,
    ],
    ['a flag that is 2', '10 10 00 04 "MQTT" 05 02 00 00 02 17 02 00 01 "c"', 0x82, 'connack', 5],
    [
      'authData without authMethod',
      '10 12 00 04 "MQTT" 05 02 00 00 04 16 00 01 "x" 00 01 "c"',
      0x82,
      'connack',
      5,
    ],
  ])('is refused with %s', (_, text, reason, answer, version) => {
    expect(first(text)).toMatchObject({ kind: 'malformed', reason, answer, version });
  });

  it('is not taken again', () => {
    const second = connects[5].toString('hex');
    expect(after(5, second)).toMatchObject({ reason: reasons.protocolError, answer: 'disconnect' });
    expect(after(4, second)).toMatchObject({ reason: reasons.protocolError, answer: 'none' });
  });

  it('with a padded length is taken in 3.1.1, which does not forbid it', () => {
    expect(first('10 8d 00 00 04 "MQTT" 04 02 00 00 00 01 "c"').kind).toBe('connect');
  });

  it('of 5 may have a password without a user name', () => {
    expect(first('10 11 00 04 "MQTT" 05 42 00 00 00 00 01 "c" 00 01 "p"')).toMatchObject({
      kind: 'connect',
      username: undefined,
      password: Buffer.from('p'),
    });
  });
});

describe('PUBLISH', () => {
  it.each<[string, string, number]>([
    ['QoS 3', '36 07 00 01 "a" 00 01 "hi"', 0x81],
    ['DUP with QoS 0', '38 05 00 01 "a" "hi"', 0x81],
    ['packet id 0', '32 07 00 01 "a" 00 00 "hi"', 0x82],
    ['no topic', '30 04 00 00 "hi"', 0x82],
    ['a wildcard', '30 07 00 03 "a/#" "hi"', 0x90],
    ['another wildcard', '30 07 00 03 "+/a" "hi"', 0x90],
    ['a topic longer than itself', '30 05 00 04 "a" "hi"', 0x81],
    ['a topic with U+0000', '30 06 00 02 "a" 00 "hi"', 0x81],
    ['a topic that is not UTF-8', '30 06 00 02 "a" ff "hi"', 0x81],
    ['a topic with a surrogate', '30 07 00 03 ed bf bf "hi"', 0x81],
    ['no room for its id', '32 04 00 01 "a" 00', 0x81],
    ['no bytes at all', '30 00', 0x81],
    ['a length of 5 bytes', '30 ff ff ff ff 01', 0x81],
    ['too many bytes', '30 ff ff 7f', 0x95],
  ])('is refused with %s, in both versions', (_, text, reason) => {
    expect(after(4, text)).toMatchObject({ kind: 'malformed', reason, answer: 'none' });
    // The topic and the id come first in both.
    expect(after(5, text)).toMatchObject({ kind: 'malformed', reason, answer: 'disconnect' });
  });

  it.each<[string, string, number]>([
    ['a topic alias', '30 09 00 01 "a" 03 23 00 01 "hi"', 0x94],
    ['a topic alias and no topic', '30 08 00 00 03 23 00 01 "hi"', 0x82],
    ['the content type twice', '30 0d 00 01 "a" 08 03 00 01 "x" 03 00 01 "y" "h"', 0x82],
    ["a server's subscription id", '30 07 00 01 "a" 02 0b 01 "h"', 0x81],
    ['receiveMax', '30 08 00 01 "a" 03 21 00 01 "h"', 0x81],
    ['a payload format of 2', '30 07 00 01 "a" 02 01 02 "h"', 0x82],
    ['a response topic with a wildcard', '30 0a 00 01 "a" 04 08 00 01 "#" "h" "h"', 0x90],
    ['a content type that is not UTF-8', '30 09 00 01 "a" 04 03 00 01 ff "h"', 0x81],
    ['a user property that is cut', '30 09 00 01 "a" 04 26 00 01 "n" "h"', 0x81],
    ['properties longer than itself', '30 05 00 01 "a" 02 "h"', 0x81],
    ['no properties', '30 03 00 01 "a"', 0x81],
    ['a padded length', '30 86 00 00 01 "a" 00 "hi"', 0x81],
  ])('of 5 is refused with %s', (_, text, reason) => {
    expect(after(5, text)).toMatchObject({ kind: 'malformed', reason, answer: 'disconnect' });
  });

  it('may have a user property twice, and no payload', () => {
    const pair = '26 00 01 "n" 00 01 "v"';
    expect(after(5, `30 12 00 01 "a" 0e ${pair} ${pair}`)).toMatchObject({
      kind: 'publish',
      payload: new Uint8Array(0),
    });
  });

  it('keeps a byte order mark, and what else is allowed in texts', () => {
    expect(after(4, '30 0a 00 08 ef bb bf "a" f0 9f 8c a1')).toMatchObject({ topic: '\ufeffa🌡' });
  });

  it('has its payload where it lies in the chunk, one object for all, and the same string', () => {
    const reader = connected(4);
    const chunk = bytes('30 05 00 01 "a" "hi" 30 05 00 01 "a" "ho"');
    reader.push(chunk);
    const one = reader.next();
    if (one?.kind !== 'publish') throw new Error('not a message');
    expect(one.payload.buffer).toBe(chunk.buffer);
    expect(one.payload.byteOffset).toBe(chunk.byteOffset + 5);
    const two = reader.next();
    expect(two).toBe(one);
    expect(one).toMatchObject({ topic: 'a', payload: new Uint8Array(Buffer.from('ho')) });
    expect(reader.next()).toBeUndefined();
    expect(one.payload.length).toBe(0);
  });

  it('has the topic of its own after one of the same length, the same beginning, or other letters', () => {
    const topics = ['a/b', 'a/c', 'a', 'a/c', 'ü', 'ab', 'ü', 'ü', 'a/b/c', 'a/b'];
    const reader = connected(4);
    const got = topics.map((topic) => {
      reader.push(
        generate({ cmd: 'publish', topic, payload: 'x', qos: 0, dup: false, retain: false }),
      );
      const packet = reader.next();
      return packet?.kind === 'publish' ? packet.topic : undefined;
    });
    expect(got).toEqual(topics);
  });
});

describe('the other packets', () => {
  it.each<[string, string, number]>([
    ['CONNACK', '20 02 00 00', 0x82],
    ['SUBACK', '90 03 00 01 00', 0x82],
    ['UNSUBACK', 'b0 02 00 01', 0x82],
    ['PINGRESP', 'd0 00', 0x82],
    ['type 0', '00 00', 0x81],
    ['flags of PUBACK', '41 02 00 01', 0x81],
    ['PUBREL without its flags', '60 02 00 01', 0x81],
    ['SUBSCRIBE without its flags', '80 06 00 01 00 01 "a" 00', 0x81],
    ['UNSUBSCRIBE without its flags', 'a0 05 00 01 00 01 "a"', 0x81],
    ['flags of PINGREQ', 'c1 00', 0x81],
    ['PINGREQ with a body', 'c0 01 00', 0x81],
    ['flags of DISCONNECT', 'e8 00', 0x81],
    ['PUBACK of packet id 0', '40 02 00 00', 0x82],
    ['PUBACK without an id', '40 01 00', 0x81],
    ['SUBSCRIBE with packet id 0', '82 06 00 00 00 01 "a" 00', 0x82],
    ['UNSUBSCRIBE without a filter', 'a2 02 00 01', 0x82],
  ])('%s is refused in 3.1.1', (_, text, reason) => {
    expect(after(4, text)).toMatchObject({ kind: 'malformed', reason, answer: 'none' });
  });

  it.each<[string, string, number]>([
    ['SUBSCRIBE without a filter', '82 02 00 01', 0x82],
    ['SUBSCRIBE of QoS 3', '82 06 00 01 00 01 "a" 03', 0x82],
    ['SUBSCRIBE with options of 5', '82 06 00 01 00 01 "a" 04', 0x81],
    ['SUBSCRIBE without a QoS', '82 05 00 01 00 01 "a"', 0x81],
    ['an empty filter', '82 05 00 01 00 00 00', 0x8f],
    ['# within a level', '82 07 00 01 00 02 "a#" 00', 0x8f],
    ['# before the end', '82 08 00 01 00 03 "#/a" 00', 0x8f],
    ['two # together', '82 07 00 01 00 02 "##" 00', 0x8f],
    ['+ within a level', '82 08 00 01 00 03 "a+/" 00', 0x8f],
    ['+ at the end of a level', '82 08 00 01 00 03 "/a+" 00', 0x8f],
    ['AUTH', 'f0 00', 0x81],
    ['DISCONNECT with a body', 'e0 01 00', 0x81],
    ['PUBACK with a reason', '40 03 00 01 00', 0x81],
  ])('%s is refused in 3.1.1', (_, text, reason) => {
    expect(after(4, text)).toMatchObject({ kind: 'malformed', reason });
  });

  it.each<[string, string, number]>([
    ['SUBSCRIBE without a filter', '82 03 00 01 00', 0x82],
    ['SUBSCRIBE with reserved options', '82 07 00 01 00 00 01 "a" 40', 0x81],
    ['SUBSCRIBE with retain handling 3', '82 07 00 01 00 00 01 "a" 30', 0x82],
    ['SUBSCRIBE with subscription id 0', '82 09 00 01 02 0b 00 00 01 "a" 00', 0x82],
    ['SUBSCRIBE with two ids', '82 0b 00 01 04 0b 01 0b 02 00 01 "a" 00', 0x82],
    ['a shared one without local messages', '82 10 00 01 00 00 0a "$share/a/b" 04', 0x82],
    ['SUBSCRIBE with bytes after a wrong property', '82 08 00 01 02 0b 00 00 00 00', 0x82],
    ['UNSUBSCRIBE with bytes after a wrong property', 'a2 08 00 01 02 0b 01 00 00 00', 0x81],
    ['UNSUBSCRIBE with a subscription id', 'a2 08 00 01 02 0b 01 00 01 "a"', 0x81],
    ['PUBACK with a reason of PUBREL', '40 03 00 01 92', 0x82],
    ['PUBREL with a reason of PUBACK', '62 03 00 01 87', 0x82],
    ['PUBACK with a content type', '40 08 00 01 00 04 03 00 01 "x"', 0x81],
    ['PUBACK with more than it says', '40 05 00 01 00 00 00', 0x81],
    ["DISCONNECT with a server's reason", 'e0 01 8e', 0x82],
    ['DISCONNECT with a server reference', 'e0 06 00 04 1c 00 01 "x"', 0x81],
    ['a session that shall expire later', 'e0 07 00 05 11 00 00 00 01', 0x82],
    ['AUTH without a reason', 'f0 00', 0x81],
    ['AUTH with success', 'f0 01 00', 0x82],
  ])('%s is refused in 5', (_, text, reason) => {
    expect(after(5, text)).toMatchObject({ kind: 'malformed', reason, answer: 'disconnect' });
  });

  it('are read in their shortest forms', () => {
    expect(after(5, '40 02 00 01')).toEqual({ kind: 'puback', packetId: 1, reason: 0 });
    expect(after(5, '50 03 00 01 97')).toEqual({ kind: 'pubrec', packetId: 1, reason: 0x97 });
    expect(after(5, '62 03 00 01 92')).toEqual({ kind: 'pubrel', packetId: 1, reason: 0x92 });
    expect(after(5, '70 04 00 01 00 00')).toEqual({ kind: 'pubcomp', packetId: 1, reason: 0 });
    expect(after(5, 'e0 01 04')).toMatchObject({ kind: 'disconnect', reason: 4 });
    expect(kindOf(after(5, 'e0 00'))).toBe('disconnect');
    expect(kindOf(after(4, 'e0 00'))).toBe('disconnect');
    expect(kindOf(after(4, 'c0 00'))).toBe('pingreq');
    expect(after(5, 'f0 01 18')).toEqual({ kind: 'auth', reason: 0x18 });
    expect(after(5, 'e0 07 00 05 11 00 00 00 00')).toMatchObject({ sessionExpirySeconds: 0 });
  });

  it('filters have wildcards where they may', () => {
    const filters = ['#', '+', '/', '+/+', 'a/#', '/+', '+/#', 'a/+/b', '$share/g/a/#', '//'];
    for (const filter of filters) {
      const written = generate({
        cmd: 'subscribe',
        messageId: 1,
        subscriptions: [{ topic: filter, qos: 1 }],
      });
      expect(after(4, written.toString('hex'))).toMatchObject({ filters: [{ filter, qos: 1 }] });
    }
  });
});

describe('PacketReader', () => {
  it('keeps of a large packet no more than came of it', () => {
    const reader = connected(4);
    // Says that it has 900,000 bytes.
    reader.push(bytes('30 a0 f7 36 00 01 "a"'));
    expect(reader.next()).toBeUndefined();
    expect(reader.bufferedBytes).toBe(7);
    const rest = Buffer.alloc(900_000 - 3, 'x');
    for (let at = 0; at < rest.length; at += 1000) {
      reader.push(rest.subarray(at, at + 1000));
      if (at + 1000 < rest.length) expect(reader.next()).toBeUndefined();
    }
    const packet = reader.next();
    expect(packet?.kind === 'publish' && packet.payload.length).toBe(900_000 - 3);
    expect(reader.bufferedBytes).toBe(0);
  });

  it('takes a packet of just the allowed size, with its header', () => {
    const allowed = (bytesMax: number) => {
      const reader = new PacketReader({ packetBytesMax: bytesMax });
      reader.push(connects[4]);
      reader.next();
      reader.push(bytes(`30 1e 00 01 "a" "${'x'.repeat(27)}"`));
      return kindOf(reader.next());
    };
    expect(allowed(32)).toBe('publish');
    expect(allowed(31)).toBe('malformed');
  });
});
