import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { generate, type Packet, parser } from 'mqtt-packet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pickPortsInRow } from '../../infra/local/installation/ports.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';

const kills = Number(process.env['FAULTS_KILLS'] ?? 50);
/** The same seed gives the same moments; what they hit is up to the machine. */
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const clientsOfEachVersion = 4;
/** Each client has so many messages under way, and no more packet ids: they are used again at once. */
const underWayMax = 10;
const reconnectMs = 50;
const waitMsMax = 5 * 60_000;
const firstSecond = 1_600_000_000;

let edge: OwnEdge;
let fleet: Fleet;
let mqttPort: number;
let isStopping = false;
const acknowledged = new Set<number>();
const sent = new Set<number>();
let newSessions = 0;

const startEdge = (env = {}) => startOwnEdge({ MQTT_PORT: String(mqttPort), ...env });

beforeAll(async () => {
  mqttPort = await pickPortsInRow(1);
  edge = await startEdge();
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  await fleet.allStored();
  await fleet.close();
  await stopOwnEdge(edge);
});

/** A client that keeps what has no answer over its connections, and sends it again, as the standard says. */
class Client {
  readonly #connect: Packet;
  readonly #version: 4 | 5;
  readonly #underWay = new Map<number, { number: number; isReceived: boolean }>();
  #connections = 0;

  constructor({ key }: Thing, version: 4 | 5, clientId: string) {
    this.#version = version;
    this.#connect = {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: version,
      clientId,
      clean: false,
      keepalive: 0,
      username: 'internal',
      password: Buffer.from(key),
      ...(version === 5 ? { properties: { sessionExpiryInterval: 3_600 } } : {}),
    };
  }

  /** Sends numbers until told to stop, and until all of them are answered. */
  async run(): Promise<void> {
    while (!isStopping || this.#underWay.size > 0) {
      await this.#exchange();
      await delay(reconnectMs);
    }
  }

  /** One connection, until it is closed. */
  async #exchange(): Promise<void> {
    const socket = connectTcp(mqttPort, '127.0.0.1');
    const reader = parser({ protocolVersion: this.#version });
    const send = (packet: Packet) =>
      void socket.write(generate(packet, { protocolVersion: this.#version }));
    reader.on('packet', (packet) => {
      this.#take(packet, send);
      if (!isStopping || this.#underWay.size > 0) return;
      send({ cmd: 'disconnect' });
      socket.end();
    });
    socket.on('data', (bytes) => void reader.parse(bytes));
    socket.on('connect', () => send(this.#connect));
    socket.on('error', () => undefined);
    // Not `once`, which fails where the edge is away.
    await new Promise((resolve) => {
      socket.on('close', resolve);
    });
  }

  #take(packet: Packet, send: (packet: Packet) => void): void {
    if (packet.cmd === 'connack') {
      if (this.#connections++ > 0 && !packet.sessionPresent) newSessions += 1;
      for (const [id, { number, isReceived }] of this.#underWay) {
        if (isReceived) send({ cmd: 'pubrel', messageId: id });
        else publish(id, number, true, send);
      }
      this.#sendMore(send);
    } else if (packet.cmd === 'pubrec') {
      const found = this.#underWay.get(packet.messageId ?? 0);
      if (found === undefined || (packet.reasonCode ?? 0) !== 0) return;
      found.isReceived = true;
      send({ cmd: 'pubrel', messageId: packet.messageId ?? 0 });
    } else if (packet.cmd === 'pubcomp') {
      const found = this.#underWay.get(packet.messageId ?? 0);
      if (found?.isReceived !== true) return;
      acknowledged.add(found.number);
      this.#underWay.delete(packet.messageId ?? 0);
      this.#sendMore(send);
    }
  }

  #sendMore(send: (packet: Packet) => void): void {
    for (let id = 1; id <= underWayMax && !isStopping; id++) {
      if (this.#underWay.has(id)) continue;
      const number = sent.size;
      sent.add(number);
      this.#underWay.set(id, { number, isReceived: false });
      publish(id, number, false, send);
    }
  }
}

function publish(
  messageId: number,
  number: number,
  dup: boolean,
  send: (packet: Packet) => void,
): void {
  const payload = JSON.stringify([{ n: 'number', t: firstSecond + number, v: number }]);
  send({ cmd: 'publish', topic: 'numbers', payload, qos: 2, messageId, dup, retain: false });
}

it(`each message of QoS 2 is stored once over ${kills} kills of the edge (FAULTS_SEED=${seed})`, async () => {
  process.stdout.write(`FAULTS_SEED=${seed}\n`);
  const moments = fc.sample(fc.noBias(fc.nat(500)), { seed, numRuns: kills });
  const thing = await fleet.thing();
  const clients = ([4, 5] as const).flatMap((version) =>
    Array.from(
      { length: clientsOfEachVersion },
      (_, at) => new Client(thing, version, `${version}-${at}`),
    ),
  );
  const running = Promise.all(clients.map((client) => client.run()));
  for (const afterMs of moments) {
    const before = acknowledged.size;
    await eventually(() => acknowledged.size > before + 200, waitMsMax);
    await delay(afterMs);
    const ended = once(edge.process, 'close');
    edge.process.kill('SIGKILL');
    await ended;
    edge = await startEdge({ DATA_DIR: edge.dataDir });
  }
  isStopping = true;
  await running;
  process.stdout.write(`${sent.size} messages, ${newSessions} sessions were lost\n`);
  expect([newSessions, acknowledged.size]).toEqual([0, sent.size]);
  await eventually(async () => (await fleet.stored(thing.id)) >= sent.size, waitMsMax);
  const stored = (await fleet.readSenml(thing.id)).map(({ value = Number.NaN }) => value);
  expect(stored.toSorted((a, b) => a - b)).toEqual([...sent]);
});
