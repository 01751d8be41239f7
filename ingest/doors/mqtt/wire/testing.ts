/** Shared by the tests of the reader: packets as `mqtt-packet`, the oracle, takes them, and how ours gives them. */
import fc from 'fast-check';
import type {
  IConnectPacket,
  IDisconnectPacket,
  IPublishPacket,
  ISubscribePacket,
  Packet,
} from 'mqtt-packet';
import { type Incoming, neverExpires, packetBytesUnlimited, type Version } from './packets.ts';
import { type ReasonCode, reasons } from './reasons.ts';

type ClientPacket = Exclude<
  Packet,
  { cmd: 'auth' | 'connack' | 'pingresp' | 'suback' | 'unsuback' }
>;
type MessageProperties = NonNullable<IPublishPacket['properties']>;

/** A packet as plain values, which outlive the next one. Payloads and passwords are in hex. */
export function plain(packet: Incoming): Record<string, unknown> {
  return plainMembers(packet);
}

function plainMembers(of: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plainValue);
  return typeof value === 'object' && value !== null ? plainMembers(value) : value;
}

const texts = fc
  .string({ unit: 'binary', maxLength: 12 })
  .map((text) => text.replaceAll('\0', '').toWellFormed());
const topics = fc.oneof(
  fc.constantFrom('a', 'a/b', 'things/1/messages', 'ü/🌡'),
  texts.map((text) => `t${text.replaceAll(/[+#]/g, '')}`),
);
const filters = fc.constantFrom('a', '#', '+/b', 'things/1/commands/#', 'ü', '$share/g/a');
const ids = fc.integer({ min: 1, max: 0xffff });
const u16 = fc.integer({ min: 0, max: 0xffff });
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const payloads = fc
  .oneof(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ minLength: 100, maxLength: 300 }))
  .map((payload) => Buffer.from(payload));
const qos = fc.constantFrom<0 | 1 | 2>(0, 1, 2);
/** Never empty: the oracle leaves out what is. */
const userProperties = fc.dictionary(
  texts.map((text) => `n${text}`),
  fc.oneof(texts, fc.array(texts, { minLength: 2, maxLength: 3 })),
  { minKeys: 1, maxKeys: 3, noNullPrototype: true },
);

const messageProperties = {
  payloadFormatIndicator: fc.boolean(),
  messageExpiryInterval: u32,
  contentType: texts,
  responseTopic: topics,
  correlationData: payloads,
  userProperties,
};

function sometimes<T>(members: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) {
  return fc.record<T, never>(members, { requiredKeys: [] });
}

/** With `properties` in 5 alone. */
function versioned<T extends object>(
  version: Version,
  packets: fc.Arbitrary<T>,
  properties: fc.Arbitrary<object>,
): fc.Arbitrary<T> {
  if (version === 4) return packets;
  return fc.tuple(packets, properties).map(([packet, own]) => ({ ...packet, properties: own }));
}

export function connectPacket(version: Version): fc.Arbitrary<IConnectPacket> {
  const will = versioned(
    version,
    fc.record({ topic: topics, payload: payloads, qos, retain: fc.boolean() }),
    sometimes({ willDelayInterval: u32, ...messageProperties }),
  );
  const names = fc.record(
    { username: texts.map((text) => `u${text}`), password: payloads },
    { requiredKeys: ['username'] },
  );
  const packets = fc
    .record({
      clientId: texts.map((text) => `c${text}`),
      clean: fc.boolean(),
      keepalive: u16,
      will: fc.option(will, { nil: undefined }),
      names: fc.option(names, { nil: undefined }),
    })
    .map(
      ({ names: given, will: last, ...rest }): IConnectPacket => ({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: version,
        ...rest,
        ...given,
        ...(last === undefined ? {} : { will: last }),
      }),
    );
  const properties = sometimes({
    sessionExpiryInterval: u32,
    receiveMaximum: ids,
    maximumPacketSize: fc.integer({ min: 1, max: 0xffff_ffff }),
    topicAliasMaximum: u16,
    requestResponseInformation: fc.boolean(),
    requestProblemInformation: fc.boolean(),
    userProperties,
    authenticationMethod: fc.constantFrom('m', 'ü'),
  });
  return versioned(version, packets, properties);
}

function publishPacket(version: Version): fc.Arbitrary<IPublishPacket> {
  const packets = fc
    .record({
      topic: topics,
      payload: payloads,
      qos,
      dup: fc.boolean(),
      retain: fc.boolean(),
      id: ids,
    })
    .map(
      ({ id, dup, ...rest }): IPublishPacket => ({
        cmd: 'publish',
        ...rest,
        dup: dup && rest.qos > 0,
        ...(rest.qos > 0 ? { messageId: id } : {}),
      }),
    );
  return versioned(version, packets, sometimes(messageProperties));
}

function answerPacket(version: Version): fc.Arbitrary<ClientPacket> {
  const cmd = fc.constantFrom<'puback' | 'pubrec' | 'pubrel' | 'pubcomp'>(
    'puback',
    'pubrec',
    'pubrel',
    'pubcomp',
  );
  const packets = fc.record({ cmd, messageId: ids, failed: fc.boolean() }).map(
    ({ failed, ...rest }): ClientPacket => ({
      ...rest,
      ...(version === 4 ? {} : { reasonCode: failed ? failureOf(rest.cmd) : 0 }),
    }),
  );
  return versioned(version, packets, sometimes({ reasonString: texts, userProperties }));
}

const failureOf = (cmd: string) => (cmd === 'puback' || cmd === 'pubrec' ? 0x97 : 0x92);

function subscribePacket(version: Version): fc.Arbitrary<ISubscribePacket> {
  const plainOnes = fc.record({ topic: filters, qos });
  const ones = fc.record({
    topic: filters,
    qos,
    rap: fc.boolean(),
    rh: fc.integer({ min: 0, max: 2 }),
  });
  const packets = fc
    .record({
      messageId: ids,
      subscriptions: fc.array(version === 4 ? plainOnes : ones, { minLength: 1, maxLength: 4 }),
    })
    .map((rest): ISubscribePacket => ({ cmd: 'subscribe', ...rest }));
  const subscriptionIdentifier = fc.integer({ min: 1, max: 268_435_455 });
  return versioned(version, packets, sometimes({ subscriptionIdentifier, userProperties }));
}

function unsubscribePacket(version: Version): fc.Arbitrary<ClientPacket> {
  const packets = fc
    .record({ messageId: ids, unsubscriptions: fc.array(filters, { minLength: 1, maxLength: 4 }) })
    .map((rest): ClientPacket => ({ cmd: 'unsubscribe', ...rest }));
  return versioned(version, packets, sometimes({ userProperties }));
}

function disconnectPacket(version: Version): fc.Arbitrary<IDisconnectPacket> {
  if (version === 4) return fc.constant({ cmd: 'disconnect' });
  const packets = fc
    .constantFrom(0, 4, 0x80, 0x99)
    .map((reasonCode): IDisconnectPacket => ({ cmd: 'disconnect', reasonCode }));
  return versioned(version, packets, sometimes({ reasonString: texts, userProperties }));
}

/** Packets that a client may send after CONNECT. */
export function clientPackets(version: Version): fc.Arbitrary<ClientPacket> {
  return fc.oneof(
    { arbitrary: publishPacket(version), weight: 4 },
    answerPacket(version),
    subscribePacket(version),
    unsubscribePacket(version),
    disconnectPacket(version),
    fc.constant<ClientPacket>({ cmd: 'pingreq' }),
  );
}

/** A packet of the oracle as our reader gives it, as `plain` values. */
export function expected(packet: ClientPacket, version: Version): Record<string, unknown> {
  return plain(ofOracle(packet, version));
}

function ofOracle(packet: ClientPacket, version: Version): Incoming {
  const packetId = packet.messageId ?? 0;
  switch (packet.cmd) {
    case 'connect':
      return connectOf(packet, version);
    case 'publish': {
      const { topic, payload, qos: level, dup, retain, properties = {} } = packet;
      const own = { topic, payload: Buffer.from(payload), qos: level, dup, retain, packetId };
      return { kind: 'publish', ...own, ...messageOf(properties) };
    }
    case 'puback':
    case 'pubrec':
    case 'pubrel':
    case 'pubcomp':
      return { kind: packet.cmd, packetId, reason: reasonOf(packet.reasonCode) };
    case 'subscribe':
      return {
        kind: 'subscribe',
        packetId,
        filters: packet.subscriptions.map(({ topic, qos: level, rap, rh }) => ({
          filter: topic,
          qos: level,
          noLocal: false,
          retainAsPublished: rap ?? false,
          retainHandling: rh === 1 ? 1 : rh === 2 ? 2 : 0,
        })),
        subscriptionId: packet.properties?.subscriptionIdentifier,
      };
    case 'unsubscribe':
      return { kind: 'unsubscribe', packetId, filters: packet.unsubscriptions };
    case 'disconnect':
      return {
        kind: 'disconnect',
        reason: reasonOf(packet.reasonCode),
        sessionExpirySeconds: packet.properties?.sessionExpiryInterval,
      };
    case 'pingreq':
      break;
  }
  return { kind: 'pingreq' };
}

function reasonOf(code = 0): ReasonCode {
  const reason = Object.values(reasons).find((known) => known === code);
  if (reason === undefined) throw new Error(`No reason is ${code}.`);
  return reason;
}

function messageOf(properties: MessageProperties) {
  return {
    contentType: properties.contentType,
    payloadIsText: properties.payloadFormatIndicator === true,
    messageExpirySeconds: properties.messageExpiryInterval,
  };
}

function connectOf(packet: IConnectPacket, version: Version): Incoming {
  const { properties = {}, will } = packet;
  const cleanStart = packet.clean ?? true;
  const expiry = properties.sessionExpiryInterval ?? 0;
  return {
    kind: 'connect',
    version,
    cleanStart,
    keepAliveSeconds: packet.keepalive ?? 0,
    clientId: packet.clientId,
    username: packet.username,
    password: packet.password,
    will:
      will === undefined
        ? undefined
        : {
            topic: will.topic,
            payload: Buffer.from(will.payload),
            qos: will.qos ?? 0,
            retain: will.retain ?? false,
            delaySeconds: will.properties?.willDelayInterval ?? 0,
            ...messageOf(will.properties ?? {}),
          },
    sessionExpirySeconds: version === 5 ? expiry : cleanStart ? 0 : neverExpires,
    receiveMax: properties.receiveMaximum ?? 0xffff,
    packetBytesMax: properties.maximumPacketSize ?? packetBytesUnlimited,
    wantsProblemInformation: properties.requestProblemInformation ?? true,
    authMethod: properties.authenticationMethod,
  };
}
