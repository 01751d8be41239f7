import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/**
 * The payload of a frame with the format `session`: what became of a session of MQTT. Little-endian.
 *
 * | offset | type | what                                                                     |
 * |--------|------|--------------------------------------------------------------------------|
 * | 0      | u8   | how many frames of its message follow (log/format.ts)                    |
 * | 1      | u8   | 1 received, 2 released, 3 ended, 4 begun, 5 changed                      |
 * | 2      | 16   | the session's key                                                        |
 * | 18     |      | received and released: packet ids (u16). Ended: nothing                  |
 * | 18     | f64  | begun and changed: when its last connection ended (ms); 0: it is open    |
 * | 26     | u32  | how many seconds after that the session ends                             |
 * | 30     | 36   | the id of its thing                                                      |
 * | 66     | text | its subscriptions, in JSON                                               |
 *
 * A session that begins has no ids, whatever was under its key before.
 */
export type SessionEvent =
  | { kind: 'received'; key: string; ids: readonly number[] }
  | { kind: 'released'; key: string; ids: readonly number[] }
  | { kind: 'ended'; key: string }
  | { kind: 'begun'; key: string; terms: SessionTerms; leftAtMs: number }
  | { kind: 'changed'; key: string; terms: SessionTerms; leftAtMs: number };

/** Who a session is of. */
export type SessionOwner = { readonly thingId: string; readonly clientId: string };

/** Kept of a session beside its packet ids. */
export type SessionTerms = {
  readonly thingId: string;
  /** So long after its last connection the session ends. */
  readonly expirySeconds: number;
  /** In JSON: as a door wrote them. */
  readonly subscriptions: string;
};

/** A filter, and the options that it was subscribed with: the byte that MQTT has for them. */
export type KeptSubscription = { readonly filter: string; readonly options: number };

const codes = { received: 1, released: 2, ended: 3, begun: 4, changed: 5 } as const;

const kindAt = 1;
const keyAt = 2;
const keyBytes = 16;
const bodyAt = keyAt + keyBytes;
const secondsAt = bodyAt + 8;
const thingAt = secondsAt + 4;
const thingBytes = 36;
const subscriptionsAt = thingAt + thingBytes;

/** Of a thing's client: without the client's id, which may be long, and secret. */
export function sessionKey({ thingId, clientId }: SessionOwner): string {
  const hash = createHash('sha256').update(`${thingId} ${clientId}`).digest();
  return hash.toString('latin1', 0, keyBytes);
}

export function encodeEvent(event: SessionEvent): Buffer {
  const payload = Buffer.alloc(lengthOf(event));
  payload.write(event.key, keyAt, 'latin1');
  payload[kindAt] = codes[event.kind];
  if (event.kind === 'received' || event.kind === 'released') {
    for (const [at, id] of event.ids.entries()) payload.writeUInt16LE(id, bodyAt + 2 * at);
  } else if (event.kind !== 'ended') {
    const { thingId, expirySeconds, subscriptions } = event.terms;
    payload.writeDoubleLE(event.leftAtMs, bodyAt);
    payload.writeUInt32LE(expirySeconds, secondsAt);
    payload.write(thingId, thingAt, 'latin1');
    payload.write(subscriptions, subscriptionsAt);
  }
  return payload;
}

function lengthOf(event: SessionEvent): number {
  if (event.kind === 'ended') return bodyAt;
  if (event.kind === 'received' || event.kind === 'released') return bodyAt + 2 * event.ids.length;
  return subscriptionsAt + Buffer.byteLength(event.terms.subscriptions);
}

/** Undefined: it is not one that `encodeEvent` wrote. */
export function decodeEvent(payload: Buffer): SessionEvent | undefined {
  if (payload.length < bodyAt) return undefined;
  const key = payload.toString('latin1', keyAt, bodyAt);
  switch (payload.readUInt8(kindAt)) {
    case codes.received:
      return { key, kind: 'received', ids: idsIn(payload) };
    case codes.released:
      return { key, kind: 'released', ids: idsIn(payload) };
    case codes.ended:
      return { key, kind: 'ended' };
    case codes.begun:
      return decodeTerms(key, 'begun', payload);
    case codes.changed:
      return decodeTerms(key, 'changed', payload);
    default:
      return undefined;
  }
}

function idsIn(payload: Buffer): number[] {
  const ids: number[] = [];
  for (let at = bodyAt; at + 2 <= payload.length; at += 2) ids.push(payload.readUInt16LE(at));
  return ids;
}

function decodeTerms(
  key: string,
  kind: 'begun' | 'changed',
  payload: Buffer,
): SessionEvent | undefined {
  if (payload.length < subscriptionsAt) return undefined;
  const terms = {
    thingId: payload.toString('latin1', thingAt, subscriptionsAt),
    expirySeconds: payload.readUInt32LE(secondsAt),
    subscriptions: payload.toString('utf8', subscriptionsAt),
  };
  return { key, kind, terms, leftAtMs: payload.readDoubleLE(bodyAt) };
}

const Subscriptions = Type.Array(
  Type.Tuple([Type.String(), Type.Integer({ minimum: 0, maximum: 255 })]),
);

export function writeSubscriptions(subscriptions: readonly KeptSubscription[]): string {
  return JSON.stringify(subscriptions.map(({ filter, options }) => [filter, options]));
}

/** @throws on what `writeSubscriptions` did not write. */
export function readSubscriptions(text: string): KeptSubscription[] {
  const pairs = Value.Parse(Subscriptions, JSON.parse(text));
  return pairs.map(([filter, options]) => ({ filter, options }));
}
