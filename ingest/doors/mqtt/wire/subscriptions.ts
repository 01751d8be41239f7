import type { Cursor } from './cursor.ts';
import type { QoS, Subscribe, SubscriptionFilter, Unsubscribe, Version } from './packets.ts';
import { places, Properties } from './properties.ts';
import { reasons } from './reasons.ts';

const properties = new Properties();

/** Reads SUBSCRIBE (§3.8). */
export function readSubscribe(cursor: Cursor, version: Version): Subscribe {
  const packetId = cursor.packetId();
  properties.reset();
  if (version === 5) properties.read(cursor, places.subscribe);
  const filters: SubscriptionFilter[] = [];
  while (cursor.left > 0) {
    const filter = readFilter(cursor);
    filters.push(readOptions(cursor, filter, version));
  }
  // [MQTT-3.8.3-3; 5: 3.8.3-2]
  if (filters.length === 0) cursor.fail(reasons.protocolError, 'SUBSCRIBE has no filter');
  return { kind: 'subscribe', packetId, filters, subscriptionId: properties.subscriptionId };
}

/** Reads UNSUBSCRIBE (§3.10). */
export function readUnsubscribe(cursor: Cursor, version: Version): Unsubscribe {
  const packetId = cursor.packetId();
  if (version === 5) properties.read(cursor, places.unsubscribe);
  const filters: string[] = [];
  while (cursor.left > 0) filters.push(readFilter(cursor));
  // [MQTT-3.10.3-2]
  if (filters.length === 0) cursor.fail(reasons.protocolError, 'UNSUBSCRIBE has no filter');
  return { kind: 'unsubscribe', packetId, filters };
}

function readFilter(cursor: Cursor): string {
  const filter = cursor.text('a topic filter');
  if (!isFilter(filter)) {
    cursor.fail(
      reasons.topicFilterInvalid,
      'a topic filter is empty, or has a wildcard in a level',
    );
  }
  return filter;
}

/** `#` is a whole level and the last one, `+` is a whole level [MQTT-4.7.1-2, -3, 4.7.3-1; 5: 4.7.1-1, -2]. */
function isFilter(filter: string): boolean {
  if (filter === '') return false;
  for (let at = filter.indexOf('+'); at !== -1; at = filter.indexOf('+', at + 1)) {
    if (at > 0 && filter[at - 1] !== '/') return false;
    if (at + 1 < filter.length && filter[at + 1] !== '/') return false;
  }
  const hash = filter.indexOf('#');
  if (hash === -1) return true;
  return hash === filter.length - 1 && (hash === 0 || filter[hash - 1] === '/');
}

/** The byte after a filter: a QoS in 3.1.1, subscription options in 5 (§3.8.3.1). */
function readOptions(cursor: Cursor, filter: string, version: Version): SubscriptionFilter {
  const options = cursor.byte();
  const bits = options & 3;
  const retainBits = (options >> 4) & 3;
  const noLocal = (options & 4) !== 0;
  if ((options & (version === 5 ? 0b1100_0000 : 0b1111_1100)) !== 0) {
    // [MQTT-3-8.3-4; 5: 3.8.3-5]
    cursor.fail(reasons.malformedPacket, 'reserved bits of a subscription are set');
  } else if (bits === 3) cursor.fail(reasons.protocolError, 'the QoS of a subscription is 3');
  else if (retainBits === 3) cursor.fail(reasons.protocolError, 'the retain handling is 3');
  else if (noLocal && filter.startsWith('$share/')) {
    // [MQTT-3.8.3-4] of 5
    cursor.fail(reasons.protocolError, 'a shared subscription can not be without local messages');
  }
  const qos: QoS = bits === 0 ? 0 : bits === 1 ? 1 : 2;
  return {
    filter,
    qos,
    noLocal,
    retainAsPublished: (options & 8) !== 0,
    retainHandling: retainBits === 0 ? 0 : retainBits === 1 ? 1 : 2,
  };
}
