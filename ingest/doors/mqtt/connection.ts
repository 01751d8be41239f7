import { newRequestId } from '../../../infra/runtime/process/request-id.ts';
import { networkOf } from '../../../infra/runtime/network/client-address.ts';
import { type Credential, noCredential } from '../../auth/credential.ts';
import type { FoundDevices } from '../../intake/gateways/devices.ts';
import type { Source } from '../../intake/intake.ts';
import { limits } from '../../limits.ts';
import type { BodyRoom } from '../../intake/kept-body.ts';
import type { ConnectionOwner } from '../thing-connections.ts';
import { Answers, type MessageRefused } from './answers.ts';
import type { ConnectionLines } from './connection-lines.ts';
import type { Outgoing, OutboxWriter } from './outbox.ts';
import { reasonOfMessage, wordsOf } from './refusals.ts';
import type { Session, SessionConnection } from './session.ts';
import type { Receiver, Transport } from './transport.ts';
import {
  type Incoming,
  type Malformed,
  type OutgoingPublish,
  packetBytesUnlimited,
  type Publish,
  type Version,
  type Will,
} from './wire/packets.ts';
import { PacketReader } from './wire/reader.ts';
import { type ReasonCode, reasons } from './wire/reasons.ts';
import { PacketWriter } from './wire/write.ts';

/**
 * `new`: no CONNECT has come; `identified`: it has, and its credential is looked up; `open`; `ending`: nothing more is
 * read, and what was read is answered; `ended`.
 */
type Phase = 'new' | 'identified' | 'open' | 'ending' | 'ended';

/** Time in ticks of the one timer that looks after all connections. */
export type Clock = { tick: number };

export const ticksOf = (ms: number): number => Math.ceil(ms / limits.mqttTickMs);

/** Who does what packets ask for. */
export type PacketHandler = {
  readonly clock: Clock;
  /** The largest packet that is read. */
  readonly packetBytesMax: number;
  /** Room for packets that are not whole yet, or wait: all doors share it. */
  readonly bodies: BodyRoom;
  /** Any packet but PINGREQ, which the connection answers. */
  packet(connection: Connection, packet: Exclude<Incoming, Malformed>): void;
  /** All packets that came together were given to `packet`. */
  turnEnded(connection: Connection): void;
  /** There is room for what waits in the outbox of the session. */
  closed(connection: Connection): void;
};

/** All connections of the thread write with it, one after the other. */
const writer = new PacketWriter();

/** A packet that has words in it must fit this too. */
const wordsBytes = 64;

/** One connection of a client, from its first packet to its end. */
export class Connection implements Source, Receiver, SessionConnection, OutboxWriter {
  readonly protocol = 'mqtt';
  /** Its network was looked at when it was opened. */
  readonly way = 0;
  readonly transport: Transport;
  phase: Phase = 'new';
  /** Its place among all connections. */
  index = 0;
  /** Undefined if it is not in the access log. */
  lines: ConnectionLines | undefined;

  // What CONNECT says.
  version: Version = 4;
  credential: Credential = noCredential;
  session: Session | undefined;
  /** Whether the session was there before it. */
  isResumed = false;
  owner: ConnectionOwner | undefined;
  /** Sent when the connection ends, unless the client says otherwise before. */
  will: Will | undefined;
  willSubtopic = '';
  willDeviceId = '';
  receiveMax = 0xffff;
  wantsWords = false;
  /** Nothing for so many ticks, and it ends; 0: it may be silent. */
  keepAliveTicks = 0;
  #packetBytesMax = packetBytesUnlimited;

  // Of the message that is read.
  contentType = '';
  subtopic = '';
  /** Of the other thing that a gateway speaks for; '': the thing itself, or it is named elsewhere. */
  deviceId = '';
  /** The device that was looked up last, if a gateway sends. */
  found: FoundDevices | undefined;
  /** The topic of the last message, and what it means. */
  topic = '';
  /** When something came last, or when it began to end. */
  sinceTick: number;

  /** A message that waits, and nothing is read until it is taken. */
  held: Publish | undefined;
  heldUntilTick = 0;
  /** Whether its key, or a device, is being looked up. */
  isLookedUp = false;
  /** Packet ids whose release has found no room in the log so far. */
  waitingReleases: number[] | undefined;
  /** Whether it is among those that are told next. */
  isListed = false;

  #requestId = '';
  #isReading = false;
  #isPaused = false;
  /** Bytes that wait in the reader, for which room was taken. */
  #waitingBytes = 0;
  #answers: Answers | undefined;
  /** Releases that are answered with the next write. */
  #completed: { packetId: number; reason: ReasonCode }[] | undefined;
  #ending: { reason: ReasonCode; words: string } | undefined;
  readonly #handler: PacketHandler;
  readonly #reader: PacketReader;

  constructor(transport: Transport, handler: PacketHandler) {
    this.transport = transport;
    this.#handler = handler;
    this.sinceTick = handler.clock.tick;
    this.#reader = new PacketReader({ packetBytesMax: handler.packetBytesMax });
  }

  /** Names it in the log, and its messages. */
  get requestId(): string {
    this.#requestId ||= newRequestId();
    return this.#requestId;
  }

  network(): string {
    return networkOf(this.transport.address);
  }

  get answers(): Answers {
    this.#answers ??= new Answers();
    return this.#answers;
  }

  /** Takes over the client's word of itself. */
  begin(options: {
    version: Version;
    receiveMax: number;
    packetBytesMax: number;
    wantsWords: boolean;
  }): void {
    this.version = options.version;
    this.receiveMax = options.receiveMax;
    this.wantsWords = options.wantsWords;
    this.#packetBytesMax = options.packetBytesMax;
  }

  received(bytes: Uint8Array): void {
    if (this.phase === 'ending' || this.phase === 'ended') return;
    this.sinceTick = this.#handler.clock.tick;
    this.#reader.push(bytes);
    if (this.#mayRead) return this.readOn();
    this.#pause();
    this.#takeRoom();
    if (this.#waitingBytes > this.#waitingBytesMax) this.breakOff(reasons.quotaExceeded);
  }

  /** A packet that is not whole, and what its transport brought beside it. */
  get #waitingBytesMax(): number {
    return this.#handler.packetBytesMax + limits.mqttWaitingBytesMax;
  }

  /** Bytes that wait in the reader count with the bodies of requests: all clients together must not fill the memory. */
  #takeRoom(): void {
    const bytes = this.phase === 'ended' ? 0 : this.#reader.bufferedBytes;
    const more = bytes - this.#waitingBytes;
    if (more === 0) return;
    const { bodies } = this.#handler;
    if (more < 0) bodies.giveBack(-more);
    else if (!bodies.take(more)) return this.breakOff(reasons.serverBusy);
    this.#waitingBytes = bytes;
  }

  get hasEnded(): boolean {
    return this.phase === 'ended';
  }

  get #mayRead(): boolean {
    const isWaiting = this.phase === 'identified' || this.held !== undefined;
    return !isWaiting && !this.isLookedUp && !this.#isReading && this.hasRoom && !this.#isFull;
  }

  /** Packets that are not read yet wait until more is answered. */
  get #isFull(): boolean {
    return this.#answers !== undefined && this.#answers.size >= limits.mqttReceiveMax;
  }

  /** Reads the packets that have come, unless something must be waited for. */
  readOn(): void {
    if (!this.#mayRead) return;
    this.#isReading = true;
    while (this.#goesOn) {
      const packet = this.#reader.next();
      if (packet === undefined) break;
      if (packet.kind === 'malformed') this.#refuseMalformed(packet);
      else if (packet.kind === 'pingreq' && this.phase === 'open') this.#pong();
      else this.#handler.packet(this, packet);
    }
    this.#isReading = false;
    this.#handler.turnEnded(this);
    this.#takeRoom();
    if (this.#mayRead) this.#resume();
    else if (this.phase !== 'ended') this.#pause();
  }

  get #goesOn(): boolean {
    const isOpen = this.phase === 'new' || this.phase === 'open';
    return isOpen && this.held === undefined && !this.isLookedUp && !this.#isFull;
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.transport.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // While nothing was read, it may have sent its pings.
    this.sinceTick = this.#handler.clock.tick;
    this.transport.resume();
  }

  /** Keeps a message until a tick, or until its key is known: what the reader gives is borrowed. */
  hold(message: Publish, ticks: number): void {
    this.heldUntilTick = this.#handler.clock.tick + ticks;
    this.held = { ...message, payload: Uint8Array.from(message.payload) };
  }

  drained(): void {
    if (this.phase !== 'open') return;
    this.sendWaiting();
    this.readOn();
  }

  closed(): void {
    if (this.phase === 'ended') return;
    this.phase = 'ended';
    this.held = undefined;
    this.#takeRoom();
    this.#handler.closed(this);
  }

  /** Writes with the writer that all share, and sends what was written. */
  send(write: (to: PacketWriter) => void): void {
    if (this.phase === 'ended') return;
    write(writer);
    if (writer.size > 0) this.transport.write(writer.take());
  }

  #pong(): void {
    writer.pingresp();
    this.transport.write(writer.take());
  }

  /** Words for the client, if it wants them and takes a packet with them. */
  wordsFor(words: string): string | undefined {
    const bytes = Buffer.byteLength(words) + wordsBytes;
    return this.wantsWords && bytes <= this.#packetBytesMax ? words : undefined;
  }

  /** Answers all messages at the front that are settled, with one write. */
  tell(): void {
    const answers = this.#answers;
    this.#tellCompleted();
    if (answers?.isReady === true) {
      const wasFull = this.#isFull;
      this.send((to) => answers.flush((id, qos, refused) => this.#answer(to, id, qos, refused)));
      if (wasFull) this.readOn();
    }
    if (this.#ending !== undefined && (answers?.size ?? 0) === 0) this.#finish(this.#ending);
  }

  /** PUBCOMP, with the next write. */
  complete(packetId: number, reason: ReasonCode): void {
    this.#completed ??= [];
    this.#completed.push({ packetId, reason });
  }

  #tellCompleted(): void {
    const completed = this.#completed;
    if (completed === undefined) return;
    this.#completed = undefined;
    this.send((to) => {
      for (const { packetId, reason } of completed) to.pubcomp(this.version, packetId, reason);
    });
  }

  #answer(
    to: PacketWriter,
    packetId: number,
    qos: 1 | 2,
    refused: MessageRefused | undefined,
  ): void {
    let reason: ReasonCode = reasons.success;
    let words: string | undefined;
    // 3.1.1 has no word for a refusal: whoever must not acknowledge a message has not come here.
    if (refused !== undefined && this.version === 5) {
      const isOfTopic = refused.kind === 'refusedTopic';
      reason = isOfTopic ? refused.reason : reasonOfMessage(refused);
      words = this.wordsFor(isOfTopic ? refused.detail : wordsOf(refused));
    }
    if (qos === 1) to.puback(this.version, packetId, reason, words);
    else to.pubrec(this.version, packetId, reason, words);
  }

  get hasRoom(): boolean {
    return this.transport.bufferedBytes() <= limits.mqttUnreadBytesMax;
  }

  /** As `OutboxWriter`: a message of QoS 1 or 2. */
  publish(message: Outgoing, packetId: number, isAgain: boolean): void {
    this.#publish({ ...message, dup: isAgain, packetId, ...expiryOf(message) });
  }

  pubrel(packetId: number): void {
    this.send((to) => to.pubrel(this.version, packetId, reasons.success));
  }

  sendOnce(message: Outgoing): void {
    if (!this.hasRoom || this.phase !== 'open') return;
    this.#publish({ ...message, dup: false, packetId: 0, ...expiryOf(message) });
  }

  #publish(message: OutgoingPublish): void {
    const { version } = this;
    // A packet that the client does not take counts as delivered (5 §3.1.2.11.4).
    if (writer.publishBytes(version, message) > this.#packetBytesMax) {
      if (message.packetId !== 0) this.session?.outbox.done(message.packetId);
      return;
    }
    this.send((to) => to.publish(version, message));
  }

  sendWaiting(): void {
    const { session } = this;
    if (this.phase !== 'open' || session?.hasOutbox !== true) return;
    session.outbox.send(this, this.receiveMax);
  }

  #refuseMalformed({ reason, detail, answer, version }: Malformed): void {
    this.version = version;
    this.lines?.endsFor(reason);
    if (answer === 'connack') return this.refuseConnect(reason, detail);
    this.end(answer === 'none' ? reasons.success : reason, detail);
  }

  /** CONNACK with a reason, and the end. */
  refuseConnect(reason: ReasonCode, words: string): void {
    if (this.phase === 'ended') return;
    this.send((to) =>
      to.connack(this.version, { sessionPresent: false, reason, reasonString: words }),
    );
    this.#close();
  }

  /** Reads nothing more, answers what was read, and ends with DISCONNECT. `success`: without one. */
  end(reason: ReasonCode, words: string): void {
    if (this.phase === 'ending' || this.phase === 'ended') return;
    this.lines?.endsFor(reason);
    if (this.phase !== 'open') return this.breakOff(reasons.success);
    this.phase = 'ending';
    this.sinceTick = this.#handler.clock.tick;
    this.#ending = { reason, words };
    this.held = undefined;
    this.#pause();
    // By then, messages of the same turn are on their way to the disk.
    queueMicrotask(() => this.tell());
  }

  #finish({ reason, words }: { reason: ReasonCode; words: string }): void {
    this.#ending = undefined;
    if (reason !== reasons.success) {
      this.send((to) => to.disconnect(this.version, reason, this.wordsFor(words)));
    }
    this.#close();
  }

  /** Ends at once: what was read is not answered. `success`: without a DISCONNECT. */
  breakOff(reason: ReasonCode): void {
    if (this.phase === 'ended') return;
    this.lines?.endsFor(reason);
    const wasConnected = this.phase === 'open' || this.phase === 'ending';
    if (wasConnected && reason !== reasons.success) {
      this.send((to) => to.disconnect(this.version, reason));
    }
    this.#close();
  }

  #close(): void {
    this.transport.end();
    this.closed();
  }
}

function expiryOf({ expiresAtMs }: Outgoing): { messageExpirySeconds?: number } {
  if (expiresAtMs === undefined) return {};
  return { messageExpirySeconds: Math.max(0, Math.ceil((expiresAtMs - Date.now()) / 1_000)) };
}
