import type { Waiter } from '../../log/group.ts';
import type { KeptSubscription, SessionOwner } from './kept/session-frame.ts';
import type { DurableSession, Written } from './kept/durable-session.ts';
import { Outbox, type Outgoing } from './outbox.ts';
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
  readonly kind = 'session';
  /** The id of its thing. */
  readonly thingId: string;
  readonly clientId: string;
  /** The part of it that the disk has as well. */
  readonly durable: DurableSession;
  /** Of the thing's group, as it was when its key was last looked up. */
  groupId = '';
  connection: SessionConnection | undefined;
  /** Undefined: it never subscribed to commands. */
  commands: { changed(): void; leave(): void } | undefined;
  /** So long after its connection it ends. */
  expirySeconds = 0;
  // Made when they are needed: most clients only send.
  #subscriptions: Map<string, SubscriptionFilter> | undefined;
  #outbox: Outbox | undefined;

  constructor({ thingId, clientId }: SessionOwner, durable: DurableSession) {
    this.thingId = thingId;
    this.clientId = clientId;
    this.durable = durable;
  }

  get subscriptions(): Map<string, SubscriptionFilter> {
    this.#subscriptions ??= new Map();
    return this.#subscriptions;
  }

  get hasSubscriptions(): boolean {
    return this.#subscriptions !== undefined && this.#subscriptions.size > 0;
  }

  /** Those with which a former process left it. */
  restoreSubscriptions(): void {
    for (const kept of this.durable.subscriptions()) {
      this.subscriptions.set(kept.filter, filterOf(kept));
    }
  }

  /** Keeps its expiry and its subscriptions over a kill of the edge, from the commit on. */
  keep(waiter: Waiter): Written | 'over' {
    const subscriptions = [...(this.#subscriptions?.values() ?? [])].map(keptOf);
    return this.durable.change(this.expirySeconds, subscriptions, waiter);
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

/** The options as SUBSCRIBE has them (5 §3.8.3.1). */
function keptOf(subscription: SubscriptionFilter): KeptSubscription {
  const { filter, qos, noLocal, retainAsPublished, retainHandling } = subscription;
  const flags = (Number(noLocal) << 2) | (Number(retainAsPublished) << 3);
  return { filter, options: qos | flags | (retainHandling << 4) };
}

function filterOf({ filter, options }: KeptSubscription): SubscriptionFilter {
  const [qos, retainHandling] = [options & 3, (options >> 4) & 3];
  return {
    filter,
    qos: qos === 2 ? 2 : qos === 1 ? 1 : 0,
    noLocal: (options & 4) !== 0,
    retainAsPublished: (options & 8) !== 0,
    retainHandling: retainHandling === 2 ? 2 : retainHandling === 1 ? 1 : 0,
  };
}
