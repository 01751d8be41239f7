import type { Cursor } from './cursor.ts';
import type { Auth, Disconnect, PublishAnswer, Version } from './packets.ts';
import { places, Properties } from './properties.ts';
import { type ReasonCode, reasons } from './reasons.ts';

const properties = new Properties();

/** The reasons that a client may give, by packet (5, tables 3-4 to 3-7, 3-13 and 3-15). */
const publishReasons = reasonsBy([
  reasons.success,
  reasons.noMatchingSubscribers,
  reasons.unspecifiedError,
  reasons.implementationSpecificError,
  reasons.notAuthorized,
  reasons.topicNameInvalid,
  reasons.packetIdInUse,
  reasons.quotaExceeded,
  reasons.payloadFormatInvalid,
]);
const releaseReasons = reasonsBy([reasons.success, reasons.packetIdNotFound]);
const disconnectReasons = reasonsBy([
  reasons.success,
  reasons.disconnectWithWill,
  reasons.unspecifiedError,
  reasons.malformedPacket,
  reasons.protocolError,
  reasons.implementationSpecificError,
  reasons.topicNameInvalid,
  reasons.receiveMaximumExceeded,
  reasons.topicAliasInvalid,
  reasons.packetTooLarge,
  reasons.messageRateTooHigh,
  reasons.quotaExceeded,
  reasons.administrativeAction,
  reasons.payloadFormatInvalid,
]);
const authReasons = reasonsBy([reasons.continueAuthentication, reasons.reAuthenticate]);

/** Reads PUBACK, PUBREC, PUBREL or PUBCOMP (§3.4 to §3.7). */
export function readAnswer(
  cursor: Cursor,
  kind: PublishAnswer['kind'],
  version: Version,
): PublishAnswer {
  const packetId = cursor.packetId();
  if (version === 4 || cursor.left === 0) {
    cursor.ends();
    return { kind, packetId, reason: reasons.success };
  }
  const known = kind === 'puback' || kind === 'pubrec' ? publishReasons : releaseReasons;
  const reason = readReason(cursor, known);
  if (cursor.left > 0) properties.read(cursor, places.answer);
  cursor.ends();
  return { kind, packetId, reason };
}

/** Reads DISCONNECT (§3.14). */
export function readDisconnect(cursor: Cursor, version: Version): Disconnect {
  if (version === 4 || cursor.left === 0) {
    cursor.ends();
    return { kind: 'disconnect', reason: reasons.success, sessionExpirySeconds: undefined };
  }
  const reason = readReason(cursor, disconnectReasons);
  properties.reset();
  if (cursor.left > 0) properties.read(cursor, places.disconnect);
  cursor.ends();
  return { kind: 'disconnect', reason, sessionExpirySeconds: properties.sessionExpirySeconds };
}

/** Reads AUTH, which only 5 has (§3.15). */
export function readAuth(cursor: Cursor): Auth {
  // Without a reason it is success, which only a server says.
  const reason = readReason(cursor, authReasons);
  if (cursor.left > 0) properties.read(cursor, places.auth);
  cursor.ends();
  return { kind: 'auth', reason };
}

function reasonsBy(all: readonly ReasonCode[]): ReadonlyMap<number, ReasonCode> {
  return new Map(all.map((reason) => [reason, reason]));
}

function readReason(cursor: Cursor, known: ReadonlyMap<number, ReasonCode>): ReasonCode {
  const value = cursor.byte();
  const reason = known.get(value);
  if (reason !== undefined) return reason;
  cursor.fail(reasons.protocolError, `a client can not give the reason ${value} here`);
  return reasons.protocolError;
}
