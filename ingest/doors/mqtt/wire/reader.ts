import { readAnswer, readAuth, readDisconnect } from './answers.ts';
import { readConnect } from './connect.ts';
import { Cursor } from './cursor.ts';
import type { Connect, Incoming, Malformed, Version } from './packets.ts';
import { PublishReader } from './publish.ts';
import { reasons } from './reasons.ts';
import { readSubscribe, readUnsubscribe } from './subscriptions.ts';

/** Types of packets (§2.1.2, table 2-1). */
const types = {
  connect: 1,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  unsubscribe: 10,
  pingreq: 12,
  disconnect: 14,
  auth: 15,
} as const;

/** By type: the flags that a packet of a client has [MQTT-2.2.2-1]. Those of PUBLISH say something. */
const flagsOf: (number | undefined)[] = [];
for (const type of Object.values(types)) flagsOf[type] = 0;
for (const type of [types.pubrel, types.subscribe, types.unsubscribe]) flagsOf[type] = 2;

/** A stranger's first packet. */
const connectBytesMax = 64 * 1024;

/** Of a packet that lies in several chunks. It grows with the bytes that came, not with what the packet says of itself. */
const partialBytes = 1024;

const none: Buffer = Buffer.alloc(0);
const pingreq = { kind: 'pingreq' } as const;

// Packets are read one at a time, whole: all readers of a thread share these.
const cursor = new Cursor();
/** The fixed header that was looked at last. */
const header = { bytes: 0, isPadded: false };

type ReaderOptions = {
  /** The largest packet, with its header. */
  packetBytesMax: number;
};

/**
 * Reads the packets of one client from the bytes of its connection, strictly by MQTT 3.1.1 and 5: `push` a chunk, then call
 * `next` until it gives undefined. Sections in the comments are those of 3.1.1; those of 5 are named as such where they
 * differ. Only CONNECT is taken first, and it says by which version all else is read.
 *
 * A packet that lies whole in a chunk is read where it lies. Of one that is not there yet, at most `packetBytesMax` bytes are
 * kept.
 */
export class PacketReader {
  /** Undefined before CONNECT. */
  version: Version | undefined = undefined;

  readonly #packetBytesMax: number;
  #chunk = none;
  #at = 0;
  /** Chunks that came before the one before was read. */
  #later: Buffer[] | undefined = undefined;
  /** The beginning of a packet whose end is not there yet. */
  #partial: Buffer | undefined = undefined;
  #partialBytes = 0;
  #publish: PublishReader | undefined = undefined;
  #canExpireLater = true;
  #ended = false;

  constructor({ packetBytesMax }: ReaderOptions) {
    this.#packetBytesMax = packetBytesMax;
  }

  /** How many bytes of unread packets it has. */
  get bufferedBytes(): number {
    let bytes = this.#chunk.length - this.#at + this.#partialBytes;
    for (const chunk of this.#later ?? []) bytes += chunk.length;
    return bytes;
  }

  /** The chunk belongs to the reader until `next` has given undefined, and to the message that `next` gave last. */
  push(chunk: Uint8Array): void {
    if (this.#ended || chunk.length === 0) return;
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const isUnread = this.#at < this.#chunk.length || this.#later !== undefined;
    if (isUnread) (this.#later ??= []).push(bytes);
    else {
      this.#chunk = bytes;
      this.#at = 0;
    }
  }

  /** The next packet; undefined if it is not there yet. */
  next(): Incoming | undefined {
    while (!this.#ended) {
      if (this.#at === this.#chunk.length && !this.#nextChunk()) return undefined;
      if (this.#partial !== undefined) {
        const packet = this.#fill(this.#partial);
        if (packet !== undefined) return packet;
        continue;
      }
      const bytes = this.#chunk;
      const from = this.#at;
      const total = this.#sizeOf(bytes, from, bytes.length);
      if (cursor.failed) return this.#fail();
      if (total > 0 && from + total <= bytes.length) {
        this.#at = from + total;
        return this.#read(bytes, from, total);
      }
      this.#begin(Math.max(total, bytes.length - from));
    }
    return undefined;
  }

  #nextChunk(): boolean {
    const next = this.#later?.shift();
    // An idle connection must not hold the chunk of its last message.
    if (next === undefined) this.#publish?.release();
    this.#chunk = next ?? none;
    this.#at = 0;
    if (this.#later?.length === 0) this.#later = undefined;
    return next !== undefined;
  }

  /** Keeps the rest of the chunk, which is the beginning of a packet of so many bytes. */
  #begin(bytes: number): void {
    const rest = this.#chunk.length - this.#at;
    this.#partial = Buffer.allocUnsafeSlow(Math.max(rest, Math.min(bytes, partialBytes)));
    this.#chunk.copy(this.#partial, 0, this.#at);
    this.#partialBytes = rest;
    this.#at = this.#chunk.length;
  }

  /** Adds to the partial packet what the chunk has of it. */
  #fill(partial: Buffer): Incoming | undefined {
    const total = this.#sizeOf(partial, 0, this.#partialBytes);
    // While the length is not known, a byte at a time may complete it.
    const wanted = total === 0 ? 1 : total - this.#partialBytes;
    const bytes = Math.min(wanted, this.#chunk.length - this.#at);
    const target = this.#grown(partial, this.#partialBytes + bytes, total);
    this.#chunk.copy(target, this.#partialBytes, this.#at, this.#at + bytes);
    this.#at += bytes;
    this.#partialBytes += bytes;
    const known = total === 0 ? this.#sizeOf(target, 0, this.#partialBytes) : total;
    if (cursor.failed) return this.#fail();
    if (known === 0 || this.#partialBytes < known) return undefined;
    this.#partial = undefined;
    this.#partialBytes = 0;
    this.#sizeOf(target, 0, known);
    return this.#read(target, 0, known);
  }

  #grown(partial: Buffer, bytes: number, total: number): Buffer {
    if (bytes <= partial.length) return partial;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(total, 2 * partial.length)));
    partial.copy(larger, 0, 0, this.#partialBytes);
    this.#partial = larger;
    return larger;
  }

  /**
   * The size of the packet that begins at `at`, as its fixed header says (§2.2); 0 if that is not there whole. The cursor fails
   * at the first byte that can't be.
   */
  #sizeOf(bytes: Buffer, at: number, end: number): number {
    cursor.failed = false;
    if (end <= at) return 0;
    if (!this.#mayBegin(bytes[at] ?? 0)) return 0;
    let length = 0;
    for (let next = at + 1; next < end; next++) {
      const byte = bytes[next] ?? 0;
      length |= (byte & 127) << (7 * (next - at - 1));
      if (byte < 128) {
        header.bytes = next + 1 - at;
        header.isPadded = byte === 0 && next > at + 1;
        return this.#allowed(header.bytes + length);
      }
      if (next - at === 4) {
        cursor.begin(none, 0, 0).fail(reasons.malformedPacket, 'the length has more than 4 bytes');
        return 0;
      }
    }
    return 0;
  }

  #allowed(total: number): number {
    const isFirst = this.version === undefined;
    const max = isFirst ? Math.min(connectBytesMax, this.#packetBytesMax) : this.#packetBytesMax;
    if (total > max) {
      cursor.begin(none, 0, 0);
      cursor.fail(reasons.packetTooLarge, `the packet has ${total} bytes, of at most ${max}`);
    } else if (header.isPadded && this.version === 5) {
      // [MQTT-1.5.5-1] of 5
      cursor.begin(none, 0, 0).fail(reasons.malformedPacket, 'the length is padded');
    }
    return total;
  }

  #mayBegin(firstByte: number): boolean {
    const type = firstByte >> 4;
    if (this.version !== undefined && type === types.publish) {
      const qos = (firstByte >> 1) & 3;
      if (qos === 1 || qos === 2 || (firstByte & 0b1110) === 0) return true;
      // [MQTT-3.3.1-4, -2]
      const detail = qos === 3 ? 'the QoS is 3' : 'DUP is set with QoS 0';
      cursor.begin(none, 0, 0).fail(reasons.malformedPacket, detail);
      return false;
    }
    if (this.version === undefined ? firstByte === types.connect << 4 : this.#isKnown(firstByte)) {
      return true;
    }
    cursor.begin(none, 0, 0);
    // [MQTT-3.1.0-1]
    if (this.version === undefined)
      cursor.fail(reasons.protocolError, 'CONNECT does not come first');
    else if (type === 2 || type === 9 || type === 11 || type === 13) {
      cursor.fail(reasons.protocolError, 'a client can not send the packet of a server');
    } else cursor.fail(reasons.malformedPacket, `no packet begins with the byte ${firstByte}`);
    return false;
  }

  #isKnown(firstByte: number): boolean {
    const type = firstByte >> 4;
    if (type === types.auth && this.version === 4) return false;
    return flagsOf[type] === (firstByte & 15);
  }

  /** Reads a packet that lies whole in `bytes`. Its fixed header has been looked at. */
  #read(bytes: Buffer, from: number, total: number): Incoming {
    cursor.begin(bytes, from + header.bytes, from + total);
    const firstByte = bytes[from] ?? 0;
    const { version } = this;
    if (version === undefined) return this.#connect();
    const packet = this.#packet(firstByte, version);
    cursor.release();
    return cursor.failed ? this.#fail() : packet;
  }

  #packet(firstByte: number, version: Version): Incoming {
    const type = firstByte >> 4;
    switch (type) {
      case types.publish:
        return (this.#publish ??= new PublishReader()).read(cursor, firstByte, version);
      case types.puback:
        return readAnswer(cursor, 'puback', version);
      case types.pubrec:
        return readAnswer(cursor, 'pubrec', version);
      case types.pubrel:
        return readAnswer(cursor, 'pubrel', version);
      case types.pubcomp:
        return readAnswer(cursor, 'pubcomp', version);
      case types.subscribe:
        return readSubscribe(cursor, version);
      case types.unsubscribe:
        return readUnsubscribe(cursor, version);
      case types.disconnect:
        return this.#disconnect(version);
      case types.auth:
        return readAuth(cursor);
      case types.connect:
        // [MQTT-3.1.0-2]
        cursor.fail(reasons.protocolError, 'a second CONNECT');
        return pingreq;
      default:
        cursor.ends();
        return pingreq;
    }
  }

  #connect(): Connect | Malformed {
    const { isPadded } = header;
    const packet = readConnect(cursor);
    cursor.release();
    if (packet.kind === 'malformed') {
      this.#end();
      return packet;
    }
    this.version = packet.version;
    this.#canExpireLater = packet.sessionExpirySeconds > 0;
    if (!isPadded || packet.version === 4) return packet;
    cursor.fail(reasons.malformedPacket, 'the length is padded');
    return { ...this.#fail(), answer: 'connack' };
  }

  #disconnect(version: Version): Incoming {
    const packet = readDisconnect(cursor, version);
    if (!this.#canExpireLater && (packet.sessionExpirySeconds ?? 0) > 0) {
      // 5 §3.14.2.2.2
      cursor.fail(
        reasons.protocolError,
        'a session that ends with its connection can not expire later',
      );
    }
    return packet;
  }

  #fail(): Malformed {
    this.#end();
    const { reason, detail } = cursor;
    const version = this.version ?? 4;
    const answer = this.version === 5 ? 'disconnect' : 'none';
    return { kind: 'malformed', reason, detail, answer, version };
  }

  #end(): void {
    this.#ended = true;
    this.#chunk = none;
    this.#at = 0;
    this.#later = undefined;
    this.#partial = undefined;
    this.#partialBytes = 0;
  }
}
