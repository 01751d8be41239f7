import type { Cursor } from './cursor.ts';
import {
  type Connect,
  type Malformed,
  neverExpires,
  packetBytesUnlimited,
  type QoS,
  type Version,
  type Will,
} from './packets.ts';
import { checkTopic, places, Properties } from './properties.ts';
import { reasons } from './reasons.ts';

/** The bits of the Connect Flags (§3.1.2.3). */
const flagBits = {
  reserved: 1,
  cleanStart: 2,
  will: 4,
  willRetain: 32,
  password: 64,
  username: 128,
};

const properties = new Properties();

/** Reads CONNECT (§3.1). Whether it can be answered depends on what of it could be read. */
export function readConnect(cursor: Cursor): Connect | Malformed {
  const name = cursor.text('the protocol name');
  const level = cursor.byte();
  if (cursor.failed || (name !== 'MQTT' && name !== 'MQIsdp')) {
    cursor.fail(reasons.unsupportedProtocolVersion, 'the protocol name is not MQTT');
    return { ...failure(cursor), answer: 'none', version: 4 };
  }
  // 3.1 had another name. A bridge of mosquitto sets the highest bit first, and tries without it when it is refused.
  if (name === 'MQIsdp' || (level !== 4 && level !== 5)) {
    cursor.fail(reasons.unsupportedProtocolVersion, `the protocol level is ${level}, not 4 or 5`);
    return { ...failure(cursor), answer: 'connack', version: (level & 127) > 4 ? 5 : 4 };
  }
  const connect = readKnown(cursor, level);
  if (!cursor.failed) return connect;
  // [MQTT-3.1.4-1] closes without a CONNACK; 5 may send one (§3.1.4).
  return { ...failure(cursor), answer: level === 5 ? 'connack' : 'none', version: level };
}

function failure({ reason, detail }: Cursor) {
  return { kind: 'malformed', reason, detail } as const;
}

function readKnown(cursor: Cursor, version: Version): Connect {
  const flags = cursor.byte();
  checkFlags(cursor, flags, version);
  const cleanStart = (flags & flagBits.cleanStart) !== 0;
  const keepAliveSeconds = cursor.u16();
  if (version === 5) properties.read(cursor, places.connect);
  else properties.reset();
  // Those of the will are read into the same object.
  const { receiveMax, wantsProblemInformation, authMethod, packetBytesMax } = properties;
  const expiry = properties.sessionExpirySeconds;
  const clientId = cursor.text('the client identifier');
  const will = (flags & flagBits.will) === 0 ? undefined : readWill(cursor, flags, version);
  const username = (flags & flagBits.username) === 0 ? undefined : cursor.text('the user name');
  const password = (flags & flagBits.password) === 0 ? undefined : cursor.binary('the password');
  cursor.ends();
  return {
    kind: 'connect',
    version,
    cleanStart,
    keepAliveSeconds,
    clientId,
    username,
    password,
    will,
    sessionExpirySeconds: version === 5 ? (expiry ?? 0) : cleanStart ? 0 : neverExpires,
    receiveMax,
    packetBytesMax: packetBytesMax ?? packetBytesUnlimited,
    wantsProblemInformation,
    authMethod,
  };
}

function checkFlags(cursor: Cursor, flags: number, version: Version): void {
  const { malformedPacket } = reasons;
  if ((flags & flagBits.reserved) !== 0) {
    // [MQTT-3.1.2-3]
    cursor.fail(malformedPacket, 'the reserved connect flag is set');
  }
  if ((flags & flagBits.will) === 0) {
    // [MQTT-3.1.2-11, -13, -15]
    if (willQos(flags) !== 0) cursor.fail(malformedPacket, 'there is a will QoS and no will');
    if ((flags & flagBits.willRetain) !== 0) {
      cursor.fail(malformedPacket, 'there is a will retain and no will');
    }
  } else if (willQos(flags) === 3) cursor.fail(malformedPacket, 'the will QoS is 3');
  const hasPassword = (flags & flagBits.password) !== 0;
  if (version === 4 && hasPassword && (flags & flagBits.username) === 0) {
    // [MQTT-3.1.2-22]; 5 allows it.
    cursor.fail(malformedPacket, 'there is a password and no user name');
  }
}

const willQos = (flags: number) => (flags >> 3) & 3;

function readWill(cursor: Cursor, flags: number, version: Version): Will {
  if (version === 5) properties.read(cursor, places.will);
  else properties.reset();
  const { hasContentType, contentTypeFrom, contentTypeTo } = properties;
  const contentType = hasContentType
    ? cursor.decode(contentTypeFrom, contentTypeTo, 'contentType')
    : undefined;
  const topic = cursor.text('the will topic');
  checkTopic(cursor, topic, 'the will topic');
  const payload = cursor.binary('the will payload');
  const bits = willQos(flags);
  const qos: QoS = bits === 0 ? 0 : bits === 1 ? 1 : 2;
  return {
    topic,
    payload,
    qos,
    retain: (flags & flagBits.willRetain) !== 0,
    delaySeconds: properties.willDelaySeconds,
    messageExpirySeconds: properties.messageExpirySeconds,
    contentType,
    payloadIsText: properties.payloadIsText,
  };
}
