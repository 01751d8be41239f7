import { limits } from '../../limits.ts';
import type { OutgoingPublish, QoS } from './wire/packets.ts';

/** A message for a client. */
export type Outgoing = Omit<
  OutgoingPublish,
  'qos' | 'retain' | 'dup' | 'packetId' | 'messageExpirySeconds'
> & {
  readonly qos: QoS;
  /** Told to a client that asked for it; nothing is retained here. */
  readonly retain: boolean;
  /** Then it is no longer sent, if that has not begun. */
  readonly expiresAtMs?: number | undefined;
  /** Called once the client has it. */
  readonly onAcknowledged?: () => void;
};

/** `sent`: waits for PUBACK or PUBREC; `released`: PUBREL was sent, and waits for PUBCOMP. */
type UnderWay = { readonly message: Outgoing; state: 'sent' | 'released' };

/** Who writes to the client. */
export type OutboxWriter = {
  publish(message: Outgoing, packetId: number, isAgain: boolean): void;
  pubrel(packetId: number): void;
  /** Whether the client takes what it is sent. */
  readonly hasRoom: boolean;
};

/** Messages on their way to one client, over all connections of its session. */
export class Outbox {
  readonly #underWay = new Map<number, UnderWay>();
  #waiting: Outgoing[] = [];
  #waitingBytes = 0;
  #lastId = 0;

  get isEmpty(): boolean {
    return this.#underWay.size === 0 && this.#waiting.length === 0;
  }

  /** Takes a message of QoS 1 or 2. False: too many wait. */
  add(message: Outgoing): boolean {
    const bytes = this.#waitingBytes + message.payload.length;
    if (this.#waiting.length >= limits.mqttOutboxMessagesMax || bytes > limits.mqttOutboxBytesMax) {
      return false;
    }
    this.#waiting.push(message);
    this.#waitingBytes = bytes;
    return true;
  }

  /** A connection has begun: what was under way is sent again, in its order (§4.4, §4.6). */
  sendAgain(writer: OutboxWriter): void {
    for (const [id, { message, state }] of this.#underWay) {
      if (state === 'sent') writer.publish(message, id, true);
      else writer.pubrel(id);
    }
  }

  /** Sends as many as the client may have under way. */
  send(writer: OutboxWriter, receiveMax: number): void {
    while (this.#underWay.size < receiveMax && writer.hasRoom) {
      const message = this.#waiting.shift();
      if (message === undefined) return;
      this.#waitingBytes -= message.payload.length;
      if (message.expiresAtMs !== undefined && message.expiresAtMs <= Date.now()) continue;
      const id = this.#freeId();
      this.#underWay.set(id, { message, state: 'sent' });
      writer.publish(message, id, false);
    }
  }

  /** PUBACK, or a PUBREC that refuses. Undefined: no such message is under way. */
  done(id: number): Outgoing | undefined {
    const found = this.#underWay.get(id);
    if (found?.state !== 'sent') return undefined;
    this.#underWay.delete(id);
    return found.message;
  }

  /** PUBREC. False: no such message is under way. */
  received(id: number): boolean {
    const found = this.#underWay.get(id);
    if (found === undefined) return false;
    found.state = 'released';
    return true;
  }

  /** PUBCOMP. */
  completed(id: number): void {
    if (this.#underWay.get(id)?.state === 'released') this.#underWay.delete(id);
  }

  #freeId(): number {
    do this.#lastId = (this.#lastId % 0xffff) + 1;
    while (this.#underWay.has(this.#lastId));
    return this.#lastId;
  }
}
