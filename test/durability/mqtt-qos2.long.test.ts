import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import mqtt, { type MqttClient } from 'mqtt';
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
/** Each client has so many messages under way. */
const underWay = 10;
const waitMsMax = 5 * 60_000;
const firstSecond = 1_600_000_000;

let edge: OwnEdge;
let fleet: Fleet;
let mqttPort: number;
let stopping = false;
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

/** A client that connects again by itself, and sends again what has no answer. */
function connect({ key }: Thing, version: 4 | 5, clientId: string): MqttClient {
  const kept = version === 5 ? { properties: { sessionExpiryInterval: 3_600 } } : {};
  const client = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, {
    protocolVersion: version,
    clientId,
    clean: false,
    ...kept,
    username: 'internal',
    password: key,
    reconnectPeriod: 50,
  });
  client.on('error', () => undefined);
  let connections = 0;
  client.on('connect', ({ sessionPresent }) => {
    if (connections++ > 0 && !sessionPresent) newSessions += 1;
  });
  return client;
}

/** Sends numbers, one after the other, until told to stop. */
async function send(client: MqttClient): Promise<void> {
  while (!stopping) {
    const number = sent.size;
    sent.add(number);
    const payload = JSON.stringify([{ n: 'number', t: firstSecond + number, v: number }]);
    await client.publishAsync('numbers', payload, { qos: 2 });
    acknowledged.add(number);
  }
}

it(`each message of QoS 2 is stored once over ${kills} kills of the edge (FAULTS_SEED=${seed})`, async () => {
  process.stdout.write(`FAULTS_SEED=${seed}\n`);
  const moments = fc.sample(fc.noBias(fc.nat(500)), { seed, numRuns: kills });
  const thing = await fleet.thing();
  const clients = ([4, 5] as const).flatMap((version) =>
    Array.from({ length: clientsOfEachVersion }, (_, at) =>
      connect(thing, version, `${version}-${at}`),
    ),
  );
  const senders = clients.flatMap((client) => Array.from({ length: underWay }, () => send(client)));
  for (const afterMs of moments) {
    const before = acknowledged.size;
    await eventually(() => acknowledged.size > before + 200, waitMsMax);
    await delay(afterMs);
    const ended = once(edge.process, 'close');
    edge.process.kill('SIGKILL');
    await ended;
    edge = await startEdge({ DATA_DIR: edge.dataDir });
  }
  stopping = true;
  await Promise.all(senders);
  await Promise.all(clients.map((client) => client.endAsync()));
  process.stdout.write(`${sent.size} messages\n`);
  expect(newSessions).toBe(0);
  await eventually(async () => (await fleet.stored(thing.id)) >= sent.size, waitMsMax);
  const stored = (await fleet.readSenml(thing.id)).map(({ value = Number.NaN }) => value);
  expect(stored.toSorted((a, b) => a - b)).toEqual([...sent]);
});
