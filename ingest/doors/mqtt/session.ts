import { Outbox, type Outgoing } from './outbox.ts';
import { ReceivedIds } from './received-ids.ts';
import type { ReasonCode } from './wire/reasons.ts';
import type { SubscriptionFilter } from './wire/packets.ts';

/** The connection of a session. */
export type SessionConnection = {
  /** Another connection has taken its session, or the session's thing may not have it. */
  breakOff(reason: ReasonCode): void;
  /** Sends a message of QoS 0, if the client takes it. */
  sendOnce(message: Outgoing): void;
  /** There may be something to send in the outbox. */
  sendWaiting(): void;
};

/** A client of one thing, under one client id, over several connections. */
export class Session {
  /** The id of its thing. */
  readonly thingId: string;
  readonly clientId: string;
  connection: SessionConnection | undefined;
  /** So long after its connection it ends. */
  expirySeconds = 0;
  /** When it ends (ms), while it has no connection. */
  endsAtMs = Infinity;
  // Made when they are needed: most clients only send.
  #subscriptions: Map<string, SubscriptionFilter> | undefined;
  #received: ReceivedIds | undefined;
  #outbox: Outbox | undefined;

  constructor(thingId: string, clientId: string) {
    this.thingId = thingId;
    this.clientId = clientId;
  }

  get subscriptions(): Map<string, SubscriptionFilter> {
    this.#subscriptions ??= new Map();
    return this.#subscriptions;
  }

  get hasSubscriptions(): boolean {
    return this.#subscriptions !== undefined && this.#subscriptions.size > 0;
  }

  get received(): ReceivedIds {
    this.#received ??= new ReceivedIds();
    return this.#received;
  }

  /** How many messages of QoS 2 were received and are not released. */
  get unreleased(): number {
    return this.#received?.size ?? 0;
  }

  get outbox(): Outbox {
    this.#outbox ??= new Outbox();
    return this.#outbox;
  }

  get hasOutbox(): boolean {
    return this.#outbox !== undefined && !this.#outbox.isEmpty;
  }

  /** Sends a message now or when its client comes back. False: it is left out. */
  deliver(message: Outgoing): boolean {
    if (message.qos === 0) {
      this.connection?.sendOnce(message);
      return this.connection !== undefined;
    }
    const isTaken = this.outbox.add(message);
    this.connection?.sendWaiting();
    return isTaken;
  }
}
