import type { Connack, OutgoingPublish, QoS, Version } from './packets.ts';
import { properties } from './properties.ts';
import { type ReasonCode, firstFailure, reasons, returnCodeOf } from './reasons.ts';

/** The first bytes of the packets of a server (§2.1.2, table 2-1), with their flags. */
const firstBytes = {
  connack: 0x20,
  publish: 0x30,
  puback: 0x40,
  pubrec: 0x50,
  pubrel: 0x62,
  pubcomp: 0x70,
  suback: 0x90,
  unsuback: 0xb0,
  pingresp: 0xd0,
  disconnect: 0xe0,
};

/** The largest remaining length (§2.1.4). */
const lengthMax = 128 ** 4 - 1;

/** Texts have a length of two bytes (§1.5.4). Of words this many units are written, which are at most 60,000 bytes. */
const wordsMax = 20_000;

/** `take` gives away a part of such a block, and what is written next comes after it. */
const blockBytes = 16 * 1024;

/**
 * Writes the packets of a server one after the other. `take` gives all that was written since it was called last, so
 * one write to the socket can carry the answers to many packets. One writer can serve every connection of a thread: it
 * keeps nothing of them, if each takes what it wrote before the next one writes.
 *
 * A peer of 3.1.1 gets what 3.1.1 has for it: no properties, no reasons, and no DISCONNECT.
 */
export class PacketWriter {
  #bytes = Buffer.allocUnsafeSlow(blockBytes);
  #from = 0;
  #at = 0;
  /** The properties of the packet that is being written, as their length comes before them. */
  readonly #properties = new PropertyBytes();

  /** How many bytes `take` would give. */
  get size(): number {
    return this.#at - this.#from;
  }

  /** All that was written since the last call. It stays as it is, however much is written later. */
  take(): Buffer {
    const taken = this.#bytes.subarray(this.#from, this.#at);
    this.#from = this.#at;
    return taken;
  }

  connack(version: Version, connack: Connack): void {
    const { reason } = connack;
    // [MQTT-3.2.2-6]: a failure has no session.
    const flags = connack.sessionPresent && reason === reasons.success ? 1 : 0;
    if (version === 4) {
      this.#begin(firstBytes.connack, 2);
      this.#byte(flags);
      this.#byte(returnCodeOf(reason));
      return;
    }
    const own = this.#properties.begin();
    own.u32(properties.sessionExpiry, connack.sessionExpirySeconds);
    own.u16(properties.receiveMax, connack.receiveMax);
    own.byte(properties.qosMax, connack.qosMax);
    own.byte(properties.retainAvailable, connack.retainAvailable);
    own.u32(properties.packetBytesMax, connack.packetBytesMax);
    own.text(properties.assignedClientId, connack.assignedClientId);
    own.u16(properties.topicAliasMax, connack.topicAliasMax);
    own.words(properties.reasonString, connack.reasonString);
    own.byte(properties.wildcardSubscriptionsAvailable, connack.wildcardSubscriptionsAvailable);
    own.byte(properties.subscriptionIdsAvailable, connack.subscriptionIdsAvailable);
    own.byte(properties.sharedSubscriptionsAvailable, connack.sharedSubscriptionsAvailable);
    own.u16(properties.serverKeepAlive, connack.serverKeepAliveSeconds);
    this.#begin(firstBytes.connack, 2 + own.sizeWithLength);
    this.#byte(flags);
    this.#byte(reason);
    this.#writeProperties();
  }

  /**
   * `reasonString` is for peers that want problem information and take packets of its size [MQTT-3.4.2-2]; the caller
   * leaves it out otherwise. So it is for the other answers.
   */
  puback(version: Version, packetId: number, reason: ReasonCode, reasonString?: string): void {
    this.#answer(firstBytes.puback, version, packetId, reason, reasonString);
  }

  pubrec(version: Version, packetId: number, reason: ReasonCode, reasonString?: string): void {
    this.#answer(firstBytes.pubrec, version, packetId, reason, reasonString);
  }

  pubrel(version: Version, packetId: number, reason: ReasonCode, reasonString?: string): void {
    this.#answer(firstBytes.pubrel, version, packetId, reason, reasonString);
  }

  pubcomp(version: Version, packetId: number, reason: ReasonCode, reasonString?: string): void {
    this.#answer(firstBytes.pubcomp, version, packetId, reason, reasonString);
  }

  /** The caller has compared `publishBytes` to the largest packet that the peer takes [MQTT-3.1.2-24]. */
  publish(version: Version, message: OutgoingPublish): void {
    const { topic, payload, qos } = message;
    const topicBytes = Buffer.byteLength(topic);
    const own = version === 5 ? propertiesOf(message, this.#properties.begin()) : undefined;
    const length = publishLength(topicBytes, payload.length, qos, own);
    const flags = (message.dup ? 8 : 0) | (qos << 1) | (message.retain ? 1 : 0);
    this.#begin(firstBytes.publish | flags, length);
    this.#u16(topicBytes);
    this.#at += this.#bytes.write(topic, this.#at);
    if (qos > 0) this.#u16(message.packetId);
    if (own !== undefined) this.#writeProperties();
    this.#bytes.set(payload, this.#at);
    this.#at += payload.length;
  }

  /** The size of a message as `publish` would write it. */
  publishBytes(version: Version, message: OutgoingPublish): number {
    const own = version === 5 ? propertiesOf(message, this.#properties.begin()) : undefined;
    const topicBytes = Buffer.byteLength(message.topic);
    const length = publishLength(topicBytes, message.payload.length, message.qos, own);
    return 1 + lengthBytes(length) + length;
  }

  /** One reason for each filter of the SUBSCRIBE: the QoS that it has, or a failure, of which 3.1.1 has one. */
  suback(
    version: Version,
    packetId: number,
    answers: readonly ReasonCode[],
    reasonString?: string,
  ): void {
    const own = this.#properties.begin();
    own.words(properties.reasonString, reasonString);
    const propertyBytes = version === 5 ? own.sizeWithLength : 0;
    this.#begin(firstBytes.suback, 2 + propertyBytes + answers.length);
    this.#u16(packetId);
    if (version === 5) this.#writeProperties();
    for (const reason of answers) {
      this.#byte(version === 4 && reason >= firstFailure ? firstFailure : reason);
    }
  }

  /** One reason for each filter of the UNSUBSCRIBE. 3.1.1 has none. */
  unsuback(
    version: Version,
    packetId: number,
    answers: readonly ReasonCode[],
    reasonString?: string,
  ): void {
    if (version === 4) {
      this.#begin(firstBytes.unsuback, 2);
      this.#u16(packetId);
      return;
    }
    const own = this.#properties.begin();
    own.words(properties.reasonString, reasonString);
    this.#begin(firstBytes.unsuback, 2 + own.sizeWithLength + answers.length);
    this.#u16(packetId);
    this.#writeProperties();
    for (const reason of answers) this.#byte(reason);
  }

  pingresp(): void {
    this.#begin(firstBytes.pingresp, 0);
  }

  /** Writes nothing to a peer of 3.1.1: only clients have this packet there. */
  disconnect(version: Version, reason: ReasonCode, reasonString?: string): void {
    if (version === 4) return;
    const own = this.#properties.begin();
    own.words(properties.reasonString, reasonString);
    const bytes = own.size > 0 ? 1 + own.sizeWithLength : reason === reasons.success ? 0 : 1;
    this.#begin(firstBytes.disconnect, bytes);
    if (bytes > 0) this.#byte(reason);
    if (bytes > 1) this.#writeProperties();
  }

  #answer(
    firstByte: number,
    version: Version,
    packetId: number,
    reason: ReasonCode,
    reasonString: string | undefined,
  ): void {
    // Success is four bytes in both versions (5 §3.4.2.1). The bench `micro` has it.
    if (version === 4 || (reason === reasons.success && reasonString === undefined)) {
      this.#begin(firstByte, 2);
      this.#u16(packetId);
      return;
    }
    const own = this.#properties.begin();
    own.words(properties.reasonString, reasonString);
    const propertyBytes = own.size > 0 ? own.sizeWithLength : 0;
    this.#begin(firstByte, 3 + propertyBytes);
    this.#u16(packetId);
    this.#byte(reason);
    if (propertyBytes > 0) this.#writeProperties();
  }

  /** Makes room for a packet, and writes its fixed header. */
  #begin(firstByte: number, length: number): void {
    if (length > lengthMax) throw new RangeError(`A packet can't have ${length} bytes.`);
    const end = this.#at + 5 + length;
    if (end > this.#bytes.length) this.#renew(5 + length);
    this.#byte(firstByte);
    this.#at = writeLength(this.#bytes, this.#at, length);
  }

  /** A fresh block: the one before belongs to those who took parts of it. What none has taken yet comes along. */
  #renew(bytes: number): void {
    const untaken = this.#at - this.#from;
    const fresh = Buffer.allocUnsafeSlow(Math.max(blockBytes, 2 * untaken + bytes));
    this.#bytes.copy(fresh, 0, this.#from, this.#at);
    this.#bytes = fresh;
    this.#from = 0;
    this.#at = untaken;
  }

  #writeProperties(): void {
    const own = this.#properties;
    this.#at = writeLength(this.#bytes, this.#at, own.size);
    own.bytes.copy(this.#bytes, this.#at, 0, own.size);
    this.#at += own.size;
  }

  #byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  #u16(value: number): void {
    this.#bytes[this.#at++] = value >> 8;
    this.#bytes[this.#at++] = value & 0xff;
  }
}

/** The properties of one packet. A value that is undefined is left out. */
class PropertyBytes {
  bytes = Buffer.allocUnsafeSlow(256);
  size = 0;

  begin(): this {
    this.size = 0;
    return this;
  }

  get sizeWithLength(): number {
    return lengthBytes(this.size) + this.size;
  }

  byte(id: number, value: number | boolean | undefined): void {
    if (value === undefined) return;
    this.#make(2);
    this.bytes[this.size++] = id;
    this.bytes[this.size++] = Number(value);
  }

  u16(id: number, value: number | undefined): void {
    if (value === undefined) return;
    this.#make(3);
    this.bytes[this.size++] = id;
    this.size = this.bytes.writeUInt16BE(value, this.size);
  }

  u32(id: number, value: number | undefined): void {
    if (value === undefined) return;
    this.#make(5);
    this.bytes[this.size++] = id;
    this.size = this.bytes.writeUInt32BE(value, this.size);
  }

  text(id: number, value: string | undefined): void {
    if (value === undefined) return;
    this.#make(1);
    this.bytes[this.size++] = id;
    this.#string(value);
  }

  /** Words of ours, in which may stand what a client sent: without what a text must not have [MQTT-1.5.4-1, -2]. */
  words(id: number, value: string | undefined): void {
    if (value === undefined) return;
    this.text(id, value.slice(0, wordsMax).toWellFormed().replaceAll('\0', ''));
  }

  pair(id: number, name: string, value: string): void {
    this.text(id, name);
    this.#string(value);
  }

  #string(value: string): void {
    const length = Buffer.byteLength(value);
    this.#make(2 + length);
    this.size = this.bytes.writeUInt16BE(length, this.size);
    this.size += this.bytes.write(value, this.size);
  }

  #make(bytes: number): void {
    if (this.size + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.size + bytes);
    this.bytes.copy(larger, 0, 0, this.size);
    this.bytes = larger;
  }
}

function propertiesOf(message: OutgoingPublish, into: PropertyBytes): PropertyBytes {
  if (message.payloadIsText === true) into.byte(properties.payloadFormat, 1);
  into.u32(properties.messageExpiry, message.messageExpirySeconds);
  into.text(properties.contentType, message.contentType);
  for (const [name, value] of message.userProperties ?? []) {
    into.pair(properties.userProperty, name, value);
  }
  return into;
}

function publishLength(
  topicBytes: number,
  payloadBytes: number,
  qos: QoS,
  own: PropertyBytes | undefined,
): number {
  return 2 + topicBytes + (qos > 0 ? 2 : 0) + (own?.sizeWithLength ?? 0) + payloadBytes;
}

/** How many bytes a variable byte integer has (§1.5.5). */
function lengthBytes(value: number): number {
  return value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4;
}

function writeLength(bytes: Buffer, at: number, value: number): number {
  let rest = value;
  let next = at;
  while (rest >= 128) {
    bytes[next++] = (rest & 127) | 128;
    rest >>= 7;
  }
  bytes[next++] = rest;
  return next;
}
