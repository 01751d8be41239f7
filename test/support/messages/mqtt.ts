import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import mqtt, { type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import { eventually } from '../eventually.ts';
import { system } from '../system.ts';

type MqttVersion = 4 | 5;

/** A client of MQTT.js, with what came to it. */
type TestClient = {
  client: MqttClient;
  /** Messages that came, newest last. */
  messages: IPublishPacket[];
  /** The CONNACK. */
  sessionPresent: boolean;
  /** The packet's properties, if there are any. */
  properties: Record<string, unknown>;
  /** The reason of a DISCONNECT, once the connection is closed; undefined: it was closed without one. */
  closed: Promise<number | undefined>;
  end: () => Promise<void>;
};

const clients: MqttClient[] = [];

/** Where the edge of the shared system takes MQTT. */
export function mqttPort(): number {
  const { mqttPort: port } = system();
  if (port === undefined) throw new Error('the system takes no MQTT');
  return port;
}

/**
 * Connects with a thing's key, and never again. The error of a refusal has the reason code as `code`.
 */
export async function connectMqtt(
  key: string,
  version: MqttVersion,
  options: IClientOptions & { url?: string } = {},
): Promise<TestClient> {
  const client = mqtt.connect(options.url ?? `mqtt://127.0.0.1:${options.port ?? mqttPort()}`, {
    protocolVersion: version,
    username: 'internal',
    password: key,
    reconnectPeriod: 0,
    connectTimeout: 20_000,
    ...options,
  });
  clients.push(client);
  const messages: IPublishPacket[] = [];
  client.on('message', (_topic, _payload, packet) => void messages.push(packet));
  let reason: number | undefined;
  client.on('disconnect', (packet) => (reason = packet.reasonCode));
  const closed = new Promise<number | undefined>((resolve) => {
    client.on('close', () => resolve(reason));
  });
  const { promise, resolve, reject } = Promise.withResolvers<{
    sessionPresent: boolean;
    properties?: object;
  }>();
  client.on('connect', resolve);
  client.on('error', reject);
  client.on('close', () => reject(new Error('closed')));
  const connack = await promise;
  return {
    client,
    messages,
    sessionPresent: connack.sessionPresent,
    properties: { ...connack.properties },
    closed,
    end: () => client.endAsync(),
  };
}

/** Ends all clients of this file. */
export function endMqttClients(): void {
  for (const client of clients.splice(0)) client.end(true);
}

/** A connection on which packets are written as another library makes them. */
export class RawMqtt {
  readonly socket: Socket;
  readonly packets: Packet[] = [];
  isClosed = false;
  readonly #version: MqttVersion;

  private constructor(socket: Socket, version: MqttVersion) {
    this.socket = socket;
    this.#version = version;
    const reader = parser({ protocolVersion: version });
    reader.on('packet', (packet) => void this.packets.push(packet));
    socket.on('data', (bytes) => void reader.parse(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  static async open(version: MqttVersion, port = mqttPort()): Promise<RawMqtt> {
    const socket = connectTcp(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawMqtt(socket, version);
  }

  /** Connected with a thing's key. */
  static async connected(
    key: string,
    version: MqttVersion,
    options: object = {},
    port = mqttPort(),
  ): Promise<RawMqtt> {
    const raw = await RawMqtt.open(version, port);
    raw.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: version,
      clean: true,
      keepalive: 0,
      clientId: `raw-${Math.random()}`,
      username: 'internal',
      password: Buffer.from(key),
      ...options,
    });
    await raw.until('connack');
    return raw;
  }

  send(...packets: Packet[]): void {
    const options = { protocolVersion: this.#version };
    this.socket.write(Buffer.concat(packets.map((packet) => generate(packet, options))));
  }

  /** Sends a message, and gives the reason code and the words with which it is answered. */
  async publish(
    topic: string,
    payload: string | Buffer,
    qos: 1 | 2,
    properties = {},
  ): Promise<{ code: number; words: string }> {
    const answer = qos === 1 ? 'puback' : 'pubrec';
    const count = this.of(answer).length + 1;
    const messageId = count + (qos === 1 ? 0 : 1_000);
    const message = { topic, payload, qos, messageId, properties };
    this.send({ cmd: 'publish', dup: false, retain: false, ...message });
    const packet = await this.until(answer, count);
    if (packet.cmd !== 'puback' && packet.cmd !== 'pubrec') throw new Error(packet.cmd);
    return { code: packet.reasonCode ?? 0, words: packet.properties?.reasonString ?? '' };
  }

  of(cmd: Packet['cmd']): Packet[] {
    return this.packets.filter((packet) => packet.cmd === cmd);
  }

  /** Waits until so many packets of this kind have come; gives the newest. */
  async until(cmd: Packet['cmd'], count = 1): Promise<Packet> {
    await eventually(() => {
      if (this.of(cmd).length < count) {
        throw new Error(
          `no ${cmd} yet, but ${JSON.stringify(this.packets)}, closed: ${this.isClosed}`,
        );
      }
    });
    const found = this.of(cmd).at(-1);
    if (found === undefined) throw new Error(`no ${cmd}`);
    return found;
  }

  async untilClosed(): Promise<void> {
    await eventually(() => {
      if (!this.isClosed) throw new Error('it is still open');
    });
  }
}
