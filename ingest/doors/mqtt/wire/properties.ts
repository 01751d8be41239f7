import type { Cursor } from './cursor.ts';
import { reasons } from './reasons.ts';

/** Properties of MQTT 5 by name, with their identifiers (§2.2.2.2, table 2-4). */
export const properties = {
  payloadFormat: 1,
  messageExpiry: 2,
  contentType: 3,
  responseTopic: 8,
  correlationData: 9,
  subscriptionId: 11,
  sessionExpiry: 17,
  assignedClientId: 18,
  serverKeepAlive: 19,
  authMethod: 21,
  authData: 22,
  requestProblemInformation: 23,
  willDelay: 24,
  requestResponseInformation: 25,
  reasonString: 31,
  receiveMax: 33,
  topicAliasMax: 34,
  topicAlias: 35,
  qosMax: 36,
  retainAvailable: 37,
  userProperty: 38,
  packetBytesMax: 39,
  wildcardSubscriptionsAvailable: 40,
  subscriptionIdsAvailable: 41,
  sharedSubscriptionsAvailable: 42,
} as const;

/** The packets of a client that have properties, each with a bit of its own. */
export const places = {
  connect: 1,
  will: 2,
  publish: 4,
  answer: 8,
  subscribe: 16,
  unsubscribe: 32,
  disconnect: 64,
  auth: 128,
} as const;

type Place = (typeof places)[keyof typeof places];

/** By identifier: the packets in which a client may send it. */
const allowedIn = new Uint8Array(43);
const { connect, will, publish, answer, subscribe, unsubscribe, disconnect, auth } = places;
allowedIn[properties.payloadFormat] = will | publish;
allowedIn[properties.messageExpiry] = will | publish;
allowedIn[properties.contentType] = will | publish;
allowedIn[properties.responseTopic] = will | publish;
allowedIn[properties.correlationData] = will | publish;
// A server alone puts it into PUBLISH [MQTT-3.3.4-6].
allowedIn[properties.subscriptionId] = subscribe;
allowedIn[properties.sessionExpiry] = connect | disconnect;
allowedIn[properties.authMethod] = connect | auth;
allowedIn[properties.authData] = connect | auth;
allowedIn[properties.requestProblemInformation] = connect;
allowedIn[properties.willDelay] = will;
allowedIn[properties.requestResponseInformation] = connect;
allowedIn[properties.reasonString] = answer | disconnect | auth;
allowedIn[properties.receiveMax] = connect;
allowedIn[properties.topicAliasMax] = connect;
allowedIn[properties.topicAlias] = publish;
allowedIn[properties.userProperty] =
  connect | will | publish | answer | subscribe | unsubscribe | disconnect | auth;
allowedIn[properties.packetBytesMax] = connect;

const nameOf: string[] = [];
for (const [name, id] of Object.entries(properties)) nameOf[id] = name;

/**
 * The properties of one packet; read again for each one. Values that no part of the edge needs are checked, and not kept.
 * One that the packet doesn't have is as its default in the standard, or undefined.
 */
export class Properties {
  payloadIsText = false;
  messageExpirySeconds: number | undefined = undefined;
  hasContentType = false;
  /** Where the content type lies in the packet: most messages of a connection have the same. */
  contentTypeFrom = 0;
  contentTypeTo = 0;
  sessionExpirySeconds: number | undefined = undefined;
  willDelaySeconds = 0;
  receiveMax = 0xffff;
  packetBytesMax: number | undefined = undefined;
  wantsProblemInformation = true;
  authMethod: string | undefined = undefined;
  subscriptionId: number | undefined = undefined;
  #hasAuthData = false;
  /** A bit for each identifier that has come: up to 31, and from 32. */
  #seenLow = 0;
  #seenHigh = 0;

  reset(): void {
    this.payloadIsText = false;
    this.messageExpirySeconds = undefined;
    this.hasContentType = false;
    this.sessionExpirySeconds = undefined;
    this.willDelaySeconds = 0;
    this.receiveMax = 0xffff;
    this.packetBytesMax = undefined;
    this.wantsProblemInformation = true;
    this.authMethod = undefined;
    this.subscriptionId = undefined;
    this.#hasAuthData = false;
    this.#seenLow = 0;
    this.#seenHigh = 0;
  }

  /** Reads them, with their length before them, of a packet of 5. */
  read(cursor: Cursor, place: Place): void {
    this.reset();
    const length = cursor.length();
    if (length === 0) return;
    if (length > cursor.left) {
      cursor.fail(reasons.malformedPacket, 'the properties are longer than the packet');
      return;
    }
    const { end } = cursor;
    cursor.end = cursor.at + length;
    while (cursor.at < cursor.end) this.#property(cursor, place);
    if (!cursor.failed) cursor.end = end;
    if (this.#hasAuthData && this.authMethod === undefined) {
      cursor.fail(reasons.protocolError, 'authData is there without authMethod');
    }
  }

  #property(cursor: Cursor, place: Place): void {
    const id = cursor.byte();
    if (((allowedIn[id] ?? 0) & place) === 0) {
      // A packet with a property that is not valid in it is malformed (§2.2.2.2).
      const name = nameOf[id];
      const detail = name === undefined ? `no property is ${id}` : `${name} does not belong here`;
      cursor.fail(reasons.malformedPacket, detail);
      return;
    }
    if (id !== properties.userProperty && this.#again(id)) {
      cursor.fail(reasons.protocolError, `${nameOf[id]} is there twice`);
      return;
    }
    this.#value(cursor, id);
  }

  #again(id: number): boolean {
    const bit = 1 << (id & 31);
    if (id < 32) {
      if ((this.#seenLow & bit) !== 0) return true;
      this.#seenLow |= bit;
    } else {
      if ((this.#seenHigh & bit) !== 0) return true;
      this.#seenHigh |= bit;
    }
    return false;
  }

  #value(cursor: Cursor, id: number): void {
    switch (id) {
      case properties.payloadFormat:
        this.payloadIsText = flag(cursor, 'payloadFormat');
        return;
      case properties.messageExpiry:
        this.messageExpirySeconds = cursor.u32();
        return;
      case properties.contentType:
        this.#contentType(cursor);
        return;
      case properties.responseTopic:
        checkTopic(cursor, cursor.text('responseTopic'), 'responseTopic');
        return;
      case properties.correlationData:
        cursor.skip('correlationData');
        return;
      case properties.subscriptionId:
        this.subscriptionId = cursor.length();
        if (this.subscriptionId === 0) cursor.fail(reasons.protocolError, 'subscriptionId is 0');
        return;
      case properties.userProperty:
        checkText(cursor, 'the name of a userProperty');
        checkText(cursor, 'the value of a userProperty');
        return;
      case properties.reasonString:
        checkText(cursor, 'reasonString');
        return;
      case properties.topicAlias:
        cursor.u16();
        // Our Topic Alias Maximum is 0 [MQTT-3.3.2-9].
        cursor.fail(reasons.topicAliasInvalid, 'topic aliases are not available');
        return;
      default:
        this.#ofConnection(cursor, id);
    }
  }

  #ofConnection(cursor: Cursor, id: number): void {
    switch (id) {
      case properties.sessionExpiry:
        this.sessionExpirySeconds = cursor.u32();
        return;
      case properties.willDelay:
        this.willDelaySeconds = cursor.u32();
        return;
      case properties.receiveMax:
        this.receiveMax = cursor.u16();
        if (this.receiveMax === 0) cursor.fail(reasons.protocolError, 'receiveMax is 0');
        return;
      case properties.packetBytesMax:
        this.packetBytesMax = cursor.u32();
        if (this.packetBytesMax === 0) cursor.fail(reasons.protocolError, 'packetBytesMax is 0');
        return;
      case properties.topicAliasMax:
        // We send none.
        cursor.u16();
        return;
      case properties.requestProblemInformation:
        this.wantsProblemInformation = flag(cursor, 'requestProblemInformation');
        return;
      case properties.requestResponseInformation:
        // We have none to give, as we may [MQTT-3.1.2-28].
        flag(cursor, 'requestResponseInformation');
        return;
      case properties.authMethod:
        this.authMethod = cursor.text('authMethod');
        return;
      default:
        this.#hasAuthData = true;
        cursor.skip('authData');
    }
  }

  #contentType(cursor: Cursor): void {
    const bytes = cursor.skip('contentType');
    this.hasContentType = true;
    this.contentTypeFrom = cursor.at - bytes;
    this.contentTypeTo = cursor.at;
  }
}

function flag(cursor: Cursor, name: string): boolean {
  const value = cursor.byte();
  if (value > 1) cursor.fail(reasons.protocolError, `${name} is neither 0 nor 1`);
  return value === 1;
}

function checkText(cursor: Cursor, name: string): void {
  const bytes = cursor.skip(name);
  cursor.check(cursor.at - bytes, cursor.at, name);
}

/** A topic of a message has at least one character, and no wildcards [MQTT-4.7.3-1, 3.3.2-2; 5: 3.3.2-14]. */
export function checkTopic(cursor: Cursor, topic: string, name: string): void {
  if (topic === '') cursor.fail(reasons.protocolError, `${name} is empty`);
  else if (topic.includes('#') || topic.includes('+')) {
    cursor.fail(reasons.topicNameInvalid, `${name} has a wildcard`);
  }
}
