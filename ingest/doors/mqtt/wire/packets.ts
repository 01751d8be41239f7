import type { ReasonCode } from './reasons.ts';

/** The protocol level of CONNECT: 4 is MQTT 3.1.1, 5 is MQTT 5. */
export type Version = 4 | 5;

export type QoS = 0 | 1 | 2;

/** No limit on the size of packets: the largest that the four bytes of a length allow (§2.1.4), with its header. */
export const packetBytesUnlimited = 268_435_460;

/** A session expiry of this many seconds never comes (5 §3.1.2.11.2). */
export const neverExpires = 0xffff_ffff;

/** The packets of a client, as `PacketReader` gives them, and what ends the connection. */
export type Incoming =
  | Connect
  | Publish
  | PublishAnswer
  | Subscribe
  | Unsubscribe
  | { readonly kind: 'pingreq' }
  | Disconnect
  | Auth
  | Malformed;

export type Will = {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: QoS;
  readonly retain: boolean;
  /** 0 in 3.1.1. */
  readonly delaySeconds: number;
  readonly messageExpirySeconds: number | undefined;
  readonly contentType: string | undefined;
  readonly payloadIsText: boolean;
};

/** Members that only 5 has hold in 3.1.1 the value that means the same. */
export type Connect = {
  readonly kind: 'connect';
  readonly version: Version;
  /** Clean Session in 3.1.1. */
  readonly cleanStart: boolean;
  /** 0: the client wants none. */
  readonly keepAliveSeconds: number;
  /** Empty: the client asks for one (5), or wants none (3.1.1, in which it then must have set Clean Session). */
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Buffer | undefined;
  readonly will: Will | undefined;
  /** 3.1.1: 0 with Clean Session, otherwise `neverExpires`. */
  readonly sessionExpirySeconds: number;
  /** How many messages of QoS 1 and 2 may be under way to the client. */
  readonly receiveMax: number;
  /** The largest packet that the client takes, in whole; `packetBytesUnlimited` if it doesn't say. */
  readonly packetBytesMax: number;
  /** Whether reason strings may stand in other packets than CONNACK, PUBLISH and DISCONNECT. */
  readonly wantsProblemInformation: boolean;
  readonly authMethod: string | undefined;
};

/**
 * A message. The reader has one object for all messages of its connection, and fills it again when `next` is called:
 * whoever keeps a message copies what he needs. `topic` and `contentType` are strings of their own and can be kept.
 */
export type Publish = {
  readonly kind: 'publish';
  /** Never empty, and without wildcards. Beyond that the door decides. */
  readonly topic: string;
  /** Lies in the chunk that was pushed, where that has the whole packet. Borrowed until `next`. */
  readonly payload: Uint8Array;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly dup: boolean;
  /** 0 with QoS 0. */
  readonly packetId: number;
  readonly contentType: string | undefined;
  /** The payload format indicator of 5: the client says that the payload is UTF-8. Nobody has looked. */
  readonly payloadIsText: boolean;
  readonly messageExpirySeconds: number | undefined;
};

/** The client's answers to messages that it was sent, and PUBREL, which answers our PUBREC. */
export type PublishAnswer = {
  readonly kind: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp';
  readonly packetId: number;
  readonly reason: ReasonCode;
};

export type SubscriptionFilter = {
  /** Wildcards stand where they may. Whether the filter reaches something is the door's to say. */
  readonly filter: string;
  readonly qos: QoS;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
  readonly retainHandling: 0 | 1 | 2;
};

export type Subscribe = {
  readonly kind: 'subscribe';
  readonly packetId: number;
  /** At least one. */
  readonly filters: readonly SubscriptionFilter[];
  readonly subscriptionId: number | undefined;
};

export type Unsubscribe = {
  readonly kind: 'unsubscribe';
  readonly packetId: number;
  /** At least one. */
  readonly filters: readonly string[];
};

export type Disconnect = {
  readonly kind: 'disconnect';
  /** `success`: the will is not sent. */
  readonly reason: ReasonCode;
  readonly sessionExpirySeconds: number | undefined;
};

export type Auth = { readonly kind: 'auth'; readonly reason: ReasonCode };

/** The client broke the rules, or wants something larger than is allowed. The reader gives nothing after it. */
export type Malformed = {
  readonly kind: 'malformed';
  readonly reason: ReasonCode;
  /** Said to the client in 5, and to whoever reads our logs. */
  readonly detail: string;
  /**
   * Whether the client can be told before the connection closes: with a CONNACK or a DISCONNECT in `version`, or not at
   * all, as nobody knows that it speaks MQTT, or 3.1.1 has no words for it.
   */
  readonly answer: 'connack' | 'disconnect' | 'none';
  readonly version: Version;
};

/** The contents of a CONNACK. In 3.1.1 that is `sessionPresent` and a return code for `reason`. */
export type Connack = {
  /** Sent as false with a failure. */
  readonly sessionPresent: boolean;
  readonly reason: ReasonCode;
  readonly reasonString?: string | undefined;
  readonly sessionExpirySeconds?: number | undefined;
  readonly receiveMax?: number | undefined;
  /** Left out: 2. */
  readonly qosMax?: 0 | 1 | undefined;
  readonly retainAvailable?: boolean | undefined;
  readonly packetBytesMax?: number | undefined;
  readonly assignedClientId?: string | undefined;
  readonly topicAliasMax?: number | undefined;
  readonly wildcardSubscriptionsAvailable?: boolean | undefined;
  readonly subscriptionIdsAvailable?: boolean | undefined;
  readonly sharedSubscriptionsAvailable?: boolean | undefined;
  readonly serverKeepAliveSeconds?: number | undefined;
};

/** A message to a client. The members after `packetId` are only sent in 5. */
export type OutgoingPublish = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly dup: boolean;
  /** 0 with QoS 0. */
  readonly packetId: number;
  readonly contentType?: string | undefined;
  readonly payloadIsText?: boolean | undefined;
  readonly messageExpirySeconds?: number | undefined;
  readonly userProperties?: readonly (readonly [name: string, value: string])[] | undefined;
};
