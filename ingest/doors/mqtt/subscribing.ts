import { limits } from '../../limits.ts';
import type { Connection } from './connection.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import { reachOf } from './topics.ts';
import type { Subscribe, SubscriptionFilter, Unsubscribe } from './wire/packets.ts';
import { type ReasonCode, reasons } from './wire/reasons.ts';

/** One answer for each filter: the QoS that it has, or why it is refused. */
type Granted = { readonly reason: ReasonCode; readonly words?: string };

const grantedQos: readonly ReasonCode[] = [
  reasons.success,
  reasons.grantedQos1,
  reasons.grantedQos2,
];

export function subscribe(
  connection: Connection,
  { packetId, filters, subscriptionId }: Subscribe,
  sessions: Sessions,
): void {
  const { session, version } = connection;
  if (session === undefined) return;
  const known = new Set(session.hasSubscriptions ? session.subscriptions.keys() : []);
  const answers = filters.map(
    (filter): Granted =>
      subscriptionId === undefined
        ? grant(session, filter)
        : {
            reason: reasons.subscriptionIdsNotSupported,
            words: 'subscription identifiers are not taken',
          },
  );
  sessions.listens(session);
  const answer = (isKept: boolean) => {
    if (!isKept) {
      for (const { filter } of filters)
        if (!known.has(filter)) session.subscriptions.delete(filter);
      sessions.listens(session);
    }
    const told = answers.map((granted) =>
      isKept || granted.words !== undefined ? granted : notKept,
    );
    const words = told.find((one) => one.words !== undefined)?.words;
    const codes = told.map(({ reason }) => reason);
    connection.send((to) =>
      to.suback(version, packetId, codes, words && connection.wordsFor(words)),
    );
  };
  // A client that has SUBACK does not subscribe again where its session is there.
  if (session.keep({ afterCommit: answer }) !== 'underWay') answer(false);
}

const notKept: Granted = { reason: reasons.quotaExceeded, words: 'the log has no room' };

function grant(session: Session, filter: SubscriptionFilter): Granted {
  const { subscriptions } = session;
  const reach = reachOf(filter.filter, session);
  if (reach.kind === 'refusedTopic') return { reason: reach.reason, words: reach.detail };
  const isNew = !subscriptions.has(filter.filter);
  if (isNew && subscriptions.size >= limits.mqttSubscriptionsPerSessionMax) {
    const words = `more than ${limits.mqttSubscriptionsPerSessionMax} subscriptions`;
    return { reason: reasons.quotaExceeded, words };
  }
  subscriptions.set(filter.filter, filter);
  return { reason: grantedQos[filter.qos] ?? reasons.success };
}

export function unsubscribe(
  connection: Connection,
  { packetId, filters }: Unsubscribe,
  sessions: Sessions,
): void {
  const { session, version } = connection;
  if (session === undefined) return;
  const answers = filters.map((filter) =>
    session.hasSubscriptions && session.subscriptions.delete(filter)
      ? reasons.success
      : reasons.noSubscriptionExisted,
  );
  sessions.listens(session);
  const answer = () => connection.send((to) => to.unsuback(version, packetId, answers));
  if (session.keep({ afterCommit: answer }) !== 'underWay') answer();
}
