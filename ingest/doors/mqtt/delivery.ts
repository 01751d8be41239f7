import type { Outgoing } from './outbox.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import { matches, ownTopic } from './topics.ts';
import type { Publish, QoS, Will } from './wire/packets.ts';

const larger = (one: QoS, other: QoS): QoS => (one > other ? one : other);
const smaller = (one: QoS, other: QoS): QoS => (one < other ? one : other);

/**
 * Sends a message of a thing to those sessions of the same thing that subscribe to it: once to each, however many of
 * its filters match (§3.3.4).
 */
export function deliver(sessions: Sessions, from: Session, message: Outgoing): void {
  for (const session of sessions.listenersOf(from.thingId) ?? []) {
    let qos: QoS | undefined;
    let isRetained = false;
    for (const subscription of session.subscriptions.values()) {
      if (!matches(subscription.filter, message.topic)) continue;
      if (subscription.noLocal && session === from) continue;
      qos = larger(qos ?? 0, subscription.qos);
      isRetained ||= subscription.retainAsPublished && message.retain;
    }
    if (qos === undefined) continue;
    session.deliver({ ...message, qos: smaller(qos, message.qos), retain: isRetained });
  }
}

/** A message as those get it who subscribe to it: a copy. */
export function outgoingOf(message: Publish | Will, thingId: string): Outgoing {
  const { topic, payload, qos, retain, contentType, payloadIsText, messageExpirySeconds } = message;
  const expiresAtMs =
    messageExpirySeconds === undefined ? undefined : Date.now() + messageExpirySeconds * 1_000;
  return {
    topic: ownTopic(topic, thingId),
    payload: Uint8Array.from(payload),
    qos,
    retain,
    contentType,
    payloadIsText,
    expiresAtMs,
  };
}
