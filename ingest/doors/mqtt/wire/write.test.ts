import fc from 'fast-check';
import { type Packet, parser } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { neverExpires, type QoS, type Version } from './packets.ts';
import { type ReasonCode, reasons } from './reasons.ts';
import { PacketWriter } from './write.ts';

/** The packets as `mqtt-packet`, the oracle, reads them. */
function parsed(version: Version, bytes: Uint8Array): Packet[] {
  const packets: Packet[] = [];
  const oracle = parser({ protocolVersion: version });
  oracle.on('packet', (packet) => packets.push(packet));
  oracle.on('error', (error) => {
    throw error;
  });
  expect(oracle.parse(Buffer.from(bytes))).toBe(0);
  return packets;
}

function written(version: Version, write: (writer: PacketWriter) => void): Packet {
  const writer = new PacketWriter();
  write(writer);
  const [packet, ...others] = parsed(version, writer.take());
  expect(others).toEqual([]);
  if (packet === undefined) throw new Error('nothing was written');
  return packet;
}

const versions = fc.constantFrom<Version>(4, 5);
const ids = fc.integer({ min: 1, max: 0xffff });
/** The oracle does not take U+0000 in topics apart from others, and the standard forbids it. */
const texts = fc
  .string({ unit: 'binary', maxLength: 300 })
  .map((text) => text.replaceAll('\0', '').toWellFormed());
const topics = texts.map((text) => `t${text.replaceAll(/[+#]/g, '')}`);
/** The oracle makes members of an object of them, and takes an empty one for a member that is not there yet. */
const names = texts.map((text) => `n${text}`);
const filled = texts.map((text) => `t${text}`);
const codes = fc.constantFrom<ReasonCode>(...Object.values(reasons));
const answerCodes = fc.constantFrom<ReasonCode>(
  reasons.success,
  reasons.notAuthorized,
  reasons.topicNameInvalid,
  reasons.quotaExceeded,
  reasons.payloadFormatInvalid,
);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

describe('PacketWriter', () => {
  it('writes messages that another library reads as they were', () => {
    const message = fc.record({
      topic: topics,
      payload: fc.uint8Array({ maxLength: 40_000 }),
      qos: fc.constantFrom<QoS>(0, 1, 2),
      retain: fc.boolean(),
      packetId: ids,
      contentType: maybe(texts),
      payloadIsText: fc.boolean(),
      messageExpirySeconds: maybe(fc.integer({ min: 0, max: neverExpires })),
      userProperties: maybe(fc.array(fc.tuple(names, filled), { maxLength: 3 })),
    });
    fc.assert(
      fc.property(versions, message, fc.boolean(), (version, drawn, again) => {
        const packetId = drawn.qos === 0 ? 0 : drawn.packetId;
        const out = { ...drawn, packetId, dup: again && drawn.qos > 0 };
        const writer = new PacketWriter();
        writer.publish(version, out);
        expect(writer.publishBytes(version, out)).toBe(writer.size);
        const [packet] = parsed(version, writer.take());
        if (packet?.cmd !== 'publish') throw new Error('not a message');
        expect(packet.topic).toBe(out.topic);
        expect(Buffer.from(packet.payload).equals(out.payload)).toBe(true);
        expect([packet.qos, packet.retain, packet.dup]).toEqual([out.qos, out.retain, out.dup]);
        expect(packet.messageId ?? 0).toBe(packetId);
        const told = packet.properties;
        if (version === 4) {
          expect(told).toBeUndefined();
          return;
        }
        expect(told?.contentType).toBe(out.contentType);
        expect(told?.messageExpiryInterval).toBe(out.messageExpirySeconds);
        expect(told?.payloadFormatIndicator ?? false).toBe(out.payloadIsText);
        const pairs = Object.entries(told?.userProperties ?? {}).flatMap(([name, value]) =>
          [value].flat().map((one) => [name, one]),
        );
        const sorted = (all: readonly (readonly string[])[]) =>
          all.map((pair) => JSON.stringify(pair)).toSorted();
        expect(sorted(pairs)).toEqual(sorted(out.userProperties ?? []));
      }),
    );
  });

  it('writes answers to messages, and a peer of 3.1.1 gets nothing but the id', () => {
    const kinds = fc.constantFrom('puback', 'pubrec', 'pubcomp', 'pubrel');
    fc.assert(
      fc.property(
        versions,
        kinds,
        ids,
        answerCodes,
        maybe(texts),
        (version, kind, id, reason, text) => {
          const known = kind === 'puback' || kind === 'pubrec' ? reason : reasons.packetIdNotFound;
          const packet = written(version, (writer) => writer[kind](version, id, known, text));
          expect(packet.cmd).toBe(kind);
          expect(packet.messageId).toBe(id);
          if (version === 4) {
            expect(packet.length).toBe(2);
            return;
          }
          expect(packet).toMatchObject({
            ...(packet.length === 2 ? {} : { reasonCode: known }),
            ...(text === undefined ? {} : { properties: { reasonString: text } }),
          });
        },
      ),
    );
  });

  it('writes success of a message as four bytes in both versions', () => {
    const writer = new PacketWriter();
    writer.puback(5, 0x1234, reasons.success);
    writer.puback(4, 0x1234, reasons.notAuthorized);
    expect(writer.take().toString('hex')).toBe('4002123440021234');
  });

  it('writes CONNACK with what it says, and a return code for 3.1.1', () => {
    const connacks = fc.record({
      sessionPresent: fc.boolean(),
      reason: codes,
      reasonString: maybe(texts),
      sessionExpirySeconds: maybe(fc.integer({ min: 0, max: neverExpires })),
      receiveMax: maybe(fc.integer({ min: 1, max: 0xffff })),
      qosMax: maybe(fc.constantFrom<0 | 1>(0, 1)),
      retainAvailable: maybe(fc.boolean()),
      packetBytesMax: maybe(fc.integer({ min: 1, max: neverExpires })),
      assignedClientId: maybe(texts),
      topicAliasMax: maybe(fc.integer({ min: 0, max: 0xffff })),
      wildcardSubscriptionsAvailable: maybe(fc.boolean()),
      subscriptionIdsAvailable: maybe(fc.boolean()),
      sharedSubscriptionsAvailable: maybe(fc.boolean()),
      serverKeepAliveSeconds: maybe(fc.integer({ min: 0, max: 0xffff })),
    });
    fc.assert(
      fc.property(versions, connacks, (version, connack) => {
        const packet = written(version, (writer) => writer.connack(version, connack));
        if (packet.cmd !== 'connack') throw new Error('not a CONNACK');
        const present = connack.sessionPresent && connack.reason === reasons.success;
        expect(packet.sessionPresent).toBe(present);
        if (version === 4) {
          expect([packet.length, packet.properties]).toEqual([2, undefined]);
          return;
        }
        expect(packet.reasonCode).toBe(connack.reason);
        expect({ ...packet.properties }).toEqual(
          defined({
            reasonString: connack.reasonString,
            sessionExpiryInterval: connack.sessionExpirySeconds,
            receiveMaximum: connack.receiveMax,
            maximumQoS: connack.qosMax,
            retainAvailable: connack.retainAvailable,
            maximumPacketSize: connack.packetBytesMax,
            assignedClientIdentifier: connack.assignedClientId,
            topicAliasMaximum: connack.topicAliasMax,
            wildcardSubscriptionAvailable: connack.wildcardSubscriptionsAvailable,
            subscriptionIdentifiersAvailable: connack.subscriptionIdsAvailable,
            sharedSubscriptionAvailable: connack.sharedSubscriptionsAvailable,
            serverKeepAlive: connack.serverKeepAliveSeconds,
          }),
        );
      }),
    );
  });

  it('writes SUBACK and UNSUBACK; 3.1.1 has one failure, and no reasons to unsubscribe', () => {
    const granted = [reasons.grantedQos2, reasons.notAuthorized, reasons.success];
    const gone = [reasons.noSubscriptionExisted, reasons.notAuthorized, reasons.success];
    const suback = (version: Version) =>
      written(version, (writer) => writer.suback(version, 7, granted, 'why'));
    const unsuback = (version: Version) =>
      written(version, (writer) => writer.unsuback(version, 7, gone, 'why'));
    expect(suback(4)).toMatchObject({ messageId: 7, granted: [2, 0x80, 0] });
    expect(suback(5)).toMatchObject({
      granted: [2, 0x87, 0],
      properties: { reasonString: 'why' },
    });
    expect(unsuback(4)).toMatchObject({ messageId: 7, length: 2 });
    expect(unsuback(5)).toMatchObject({ granted: [0x11, 0x87, 0] });
  });

  it('writes PINGRESP, and DISCONNECT, which a peer of 3.1.1 never gets', () => {
    const writer = new PacketWriter();
    writer.pingresp();
    writer.disconnect(4, reasons.serverShuttingDown, 'restarts');
    writer.disconnect(5, reasons.success);
    writer.disconnect(5, reasons.sessionTakenOver);
    expect(writer.take().toString('hex')).toBe('d000e000e0018e');
    const packet = written(5, (to) => to.disconnect(5, reasons.serverShuttingDown, 'restarts'));
    expect(packet).toMatchObject({ reasonCode: 0x8b, properties: { reasonString: 'restarts' } });
  });

  it('leaves out of its words what no text may have, and cuts them where they are too long', () => {
    const packet = written(5, (writer) =>
      writer.puback(5, 1, reasons.payloadFormatInvalid, `a\0b\ud800${'€'.repeat(50_000)}`),
    );
    expect(packet).toMatchObject({
      properties: { reasonString: `ab\ufffd${'€'.repeat(19_996)}` },
    });
  });

  it('gives what it wrote since it was asked last, and that stays as it is', () => {
    const one = fc.record({
      id: ids,
      bytes: fc.integer({ min: 0, max: 9_000 }),
      take: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (steps) => {
        const writer = new PacketWriter();
        const taken: Buffer[] = [];
        for (const { id, bytes, take } of steps) {
          const payload = Buffer.alloc(bytes, id);
          const message = { topic: 't', payload, qos: 1, retain: false, dup: false } as const;
          writer.publish(4, { ...message, packetId: id });
          if (take) taken.push(writer.take());
        }
        taken.push(writer.take());
        expect(writer.size).toBe(0);
        const packets = parsed(4, Buffer.concat(taken));
        const got = packets.map((packet) =>
          packet.cmd === 'publish' ? [packet.messageId, packet.payload.length] : [],
        );
        expect(got).toEqual(steps.map(({ id, bytes }) => [id, bytes]));
      }),
    );
  });
});

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
