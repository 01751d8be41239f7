import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { expect, it } from 'vitest';
import type { Version } from '../../ingest/doors/mqtt/wire/packets.ts';
import { PacketReader } from '../../ingest/doors/mqtt/wire/reader.ts';
import { reasons } from '../../ingest/doors/mqtt/wire/reasons.ts';
import { clientPackets, connectPacket } from '../../ingest/doors/mqtt/wire/testing.ts';
import { PacketWriter } from '../../ingest/doors/mqtt/wire/write.ts';
import {
  type Dice,
  dice,
  type Good,
  goodBytes,
  malformedBody,
} from '../support/malformed/mutate.ts';

const seed = Number(process.env['FAULTS_SEED'] ?? 1);
const packets = Number(process.env['FAULTS_PACKETS'] ?? 1_000_000);

const packetBytesMax = 100_000;
const grownBytesMax = 256 * 1024 * 1024;
/** One in so many is sent before CONNECT, or instead of it. */
const firstOneIn = 8;

type Found = { kinds: Record<string, number>; longestMs: number; bufferedBytesMax: number };

it(`${packets} malformed packets of MQTT: each ends in packets or in one reason (FAULTS_SEED=${seed})`, () => {
  const random = dice(seed);
  const found: Found = { kinds: {}, longestMs: 0, bufferedBytesMax: 0 };
  const before = process.memoryUsage().rss;
  for (const version of [4, 5] as const) {
    const connects = goodPackets(connectPacket(version), version);
    const others = goodPackets(clientPackets(version), version);
    const session = new Session(version);
    for (let at = 0; at < packets / 2; at++) {
      const isFirst = random.below(firstOneIn) === 0;
      const bytes = malformedBody(isFirst ? connects : others, random);
      session.take(bytes, isFirst, random, found);
    }
  }
  const grownBytes = process.memoryUsage().rss - before;
  const part = 'malformed packets of MQTT';
  process.stdout.write(`${JSON.stringify({ part, seed, packets, ...found, grownBytes })}\n`);
  expect(found.bufferedBytesMax).toBeLessThanOrEqual(packetBytesMax);
  expect(grownBytes).toBeLessThan(grownBytesMax);
  // Nothing is only refused, or only taken.
  expect(found.kinds['malformed']).toBeGreaterThan(packets / 50);
  expect(found.kinds['publish']).toBeGreaterThan(packets / 50);
});

function goodPackets<T extends Parameters<typeof generate>[0]>(
  of: fc.Arbitrary<T>,
  protocolVersion: Version,
): Good[] {
  const drawn = fc.sample(of, { seed, numRuns: 500 });
  return drawn.map((packet) => goodBytes(generate(packet, { protocolVersion })));
}

/** A connection, which is another one after whatever ended it. */
class Session {
  readonly #connect: Buffer;
  readonly #writer = new PacketWriter();
  #reader: PacketReader;

  constructor(version: Version) {
    const connect = { cmd: 'connect', protocolId: 'MQTT', clientId: 'fuzz' } as const;
    this.#connect = generate({ ...connect, protocolVersion: version });
    this.#reader = this.#connected();
  }

  take(bytes: Buffer, isFirst: boolean, random: Dice, found: Found): void {
    if (isFirst) this.#reader = new PacketReader({ packetBytesMax });
    const startedAt = performance.now();
    let from = 0;
    do {
      const to = from + 1 + random.below(random.below(4) === 0 ? 8 : 2_000);
      this.#reader.push(bytes.subarray(from, to));
      from = to;
      if (this.#read(bytes.length, found)) this.#reader = this.#connected();
    } while (from < bytes.length);
    // Of a packet that says to be longer, the next one would be the rest.
    if (this.#reader.bufferedBytes > 0 && random.below(2) === 0) this.#reader = this.#connected();
    found.longestMs = Math.max(found.longestMs, performance.now() - startedAt);
  }

  /** True: the connection has ended. */
  #read(bytes: number, found: Found): boolean {
    const reader = this.#reader;
    // A packet has two bytes or more, and of those that were kept from before at most one is whole with these.
    for (let turns = bytes / 2 + 2; turns > 0; turns--) {
      const packet = reader.next();
      found.bufferedBytesMax = Math.max(found.bufferedBytesMax, reader.bufferedBytes);
      if (packet === undefined) return false;
      found.kinds[packet.kind] = (found.kinds[packet.kind] ?? 0) + 1;
      if (packet.kind === 'publish') {
        this.#writer.puback(reader.version ?? 4, packet.packetId, reasons.success, packet.topic);
        if (packet.payload.length > bytes + packetBytesMax) throw new Error('a payload too long');
      } else if (packet.kind === 'malformed') {
        this.#writer.disconnect(packet.version, packet.reason, packet.detail);
        this.#writer.take();
        if (reader.next() !== undefined) throw new Error('a packet after the end');
        return true;
      }
    }
    throw new Error('more packets than bytes');
  }

  #connected(): PacketReader {
    const reader = new PacketReader({ packetBytesMax });
    reader.push(this.#connect);
    if (reader.next()?.kind !== 'connect') throw new Error('the good CONNECT is refused');
    return reader;
  }
}
