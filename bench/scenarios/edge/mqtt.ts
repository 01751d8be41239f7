import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenSsl } from '../../../test/support/services/openssl.ts';
import { median } from '../../../test/support/statistics.ts';
import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { atLeast, atMost, type Figure, info } from '../../harness/figures.ts';
import { deviceLoad } from '../../harness/load/device-load.ts';
import { amount, seconds as ofRound } from '../../harness/load/durations.ts';
import { mqttLoad } from '../../harness/load/mqtt-load.ts';
import {
  caughtUp,
  connections,
  roundSeconds,
  run,
  usualRounds,
  warmUpSeconds,
} from '../../harness/load/rounds.ts';
import type { Load } from '../../harness/load/wrk.ts';
import { pack, seededRandom } from '../../harness/requests.ts';
import type { Bench, BenchEdge, Scenario } from '../../harness/setup.ts';
import { aedes } from '../../peers/brokers/aedes.ts';
import type { BrokerKind } from '../../peers/brokers/broker.ts';
import { mosquittos } from '../../peers/brokers/mosquitto.ts';
import { holdMqtt } from './held-mqtt.ts';

/** Messages that each connection may have under way. */
const window = 64;
const messagesPerThing = 4;
const secondsBetween = 300;
const daySeconds = 86_400;
const contentType = 'application/senml+json';
const idleConnections = () => amount(8_000, 2_000);
/** Open before the others: the edge has warmed up for these. */
const firstConnections = () => amount(2_000, 500);

type Way = { name: string; send: (seconds: number, perSecond?: number) => Promise<Load> };

/**
 * Messages of one SenML record over MQTT with QoS 1, beside the same messages by HTTP and to brokers in the same run:
 * rounds in turns. PUBACK and 202 promise that the message is on the disk; the brokers promise nothing.
 */
export const mqtt: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  const profiled = await things(bench, { content_type: contentType }, 'profiled');
  const plain = await things(bench, {}, 'plain');
  const own = (version: 4 | 5, requestsPath: string, port = edge.mqttPort) => {
    const load = { port, version, requestsPath, connections, window };
    return (seconds: number, perSecond = 0) => mqttLoad({ ...load, seconds, perSecond });
  };
  const ways: Way[] = [
    { name: 'HTTP S1', send: (seconds, perSecond) => run(bench, edge, 1, seconds, perSecond) },
    { name: 'MQTT 3.1.1 S1', send: own(4, profiled) },
    { name: 'MQTT 5 S1', send: own(5, plain) },
    { name: 'MQTT 3.1.1 S1, told apart', send: own(4, plain) },
  ];
  for (const { send } of ways) await send(warmUpSeconds());
  await caughtUp(edge);
  const rounds = new Map<string, Round[]>();
  const brokers = [...mosquittos(), ...aedes()];
  const toBroker = (port: number) => own(4, profiled, port)(roundSeconds());
  const brokerRounds = new Map<BrokerKind, BrokerRound[]>(brokers.map((kind) => [kind, []]));
  for (let at = 0; at < usualRounds(); at++) {
    for (const { name, send } of ways) {
      const round = await costOf(bench, [edge], () => send(roundSeconds()));
      rounds.set(name, [...(rounds.get(name) ?? []), round]);
    }
    for (const [kind, all] of brokerRounds) all.push(await brokerRound(bench, kind, toBroker));
  }
  const medians = new Map([...rounds].map(([name, all]) => [name, medianRound(all)]));
  const figures = [...medians].flatMap(([name, round]) => loadFigures(name, round, 1));
  figures.push(...toHttp(medians), ...toBrokers(medians, brokerRounds));
  figures.push(...(await atHalfLoad(bench, edge, medians, own(4, profiled))));
  await edge.stop();
  return [...figures, ...(await idle(bench, 'tcp')), ...(await idle(bench, 'tls'))];
};

type Medians = ReadonlyMap<string, Round>;

const rateOf = (medians: Medians, name: string): number =>
  medians.get(name)?.result.requestsPerSecond ?? Number.NaN;

function toHttp(medians: Medians): Figure[] {
  const cpu = (name: string) => medians.get(name)?.cost.edgeCpuPerMillion ?? Number.NaN;
  return [...medians.keys()]
    .slice(1)
    .flatMap((name) => [
      atLeast(`${name} to HTTP S1`, rateOf(medians, name) / rateOf(medians, 'HTTP S1'), 'ratio', 6),
      atMost(`${name}, CPU of the edge to HTTP S1`, cpu(name) / cpu('HTTP S1'), 'ratio', 0.25),
    ]);
}

type BrokerRound = { perSecond: number; cpuPerMillion: number };

/** Each round is one of its own broker: what waits of the one before would weigh on it. */
async function brokerRound(
  { scratch }: Bench,
  kind: BrokerKind,
  send: (port: number) => Promise<Load>,
): Promise<BrokerRound> {
  const broker = await kind.start(mkdtempSync(join(scratch, 'broker-')));
  try {
    const before = broker.cpuSeconds();
    const { requests, requestsPerSecond } = await send(broker.port);
    const cpuPerMillion = ((broker.cpuSeconds() - before) * 1e6) / requests;
    return { perSecond: requestsPerSecond, cpuPerMillion };
  } finally {
    await broker.stop();
  }
}

function toBrokers(
  medians: Medians,
  rounds: ReadonlyMap<BrokerKind, readonly BrokerRound[]>,
): Figure[] {
  const own = 'MQTT 3.1.1 S1';
  const ownCpu = medians.get(own)?.cost.edgeCpuPerMillion ?? Number.NaN;
  return [...rounds].flatMap(([{ name, floor }, all]) => {
    const rate = median(all.map(({ perSecond }) => perSecond));
    const cpu = median(all.map(({ cpuPerMillion }) => cpuPerMillion));
    return [
      info(`${name} acknowledged`, rate, 'messages/s'),
      info(`${name} CPU seconds per million messages`, cpu, 's'),
      atLeast(`${own} to ${name}`, rateOf(medians, own) / rate, 'ratio', floor),
      // Of a machine that is busy with other things this says more than the rates.
      info(`${own}, CPU of the edge to ${name}`, ownCpu / cpu, 'ratio'),
    ];
  });
}

/**
 * The latency of an acknowledgement, in turns: of each way at half of its own rate, where MQTT has many times the messages
 * of HTTP; and of MQTT at the rate of HTTP, which is what changes for a fleet that goes from one to the other. All messages
 * are due at random times, at which their latency begins, so it includes delays of what sends them. wrk knows no such time.
 */
async function atHalfLoad(
  bench: Bench,
  edge: BenchEdge,
  medians: Medians,
  overMqtt: Way['send'],
): Promise<Figure[]> {
  const second = Math.floor(Date.now() / 1_000) - daySeconds;
  const path = writeDevices(bench, second);
  const overHttp = (seconds: number, perSecond = 0) =>
    deviceLoad(edge, { path, second, perSecond, seconds });
  const half = (name: string) => rateOf(medians, name) / 2;
  const runs = [
    { name: 'HTTP S1 at half load', send: overHttp, perSecond: half('HTTP S1') },
    { name: 'MQTT 3.1.1 S1 at half load', send: overMqtt, perSecond: half('MQTT 3.1.1 S1') },
    {
      name: 'MQTT 3.1.1 S1 at half the load of HTTP',
      send: overMqtt,
      perSecond: half('HTTP S1'),
    },
  ].map((one) => ({ ...one, loads: Array<Load>() }));
  for (let at = 0; at < usualRounds(); at++) {
    for (const { send, perSecond, loads } of runs) {
      loads.push(await send(ofRound(7), perSecond));
      await caughtUp(edge);
    }
  }
  const ms = (loads: Load[], name: 'p50Us' | 'p99Us' | 'lateP99Us') =>
    median(loads.map((load) => load[name] ?? Number.NaN)) / 1_000;
  const p99s = runs.map(({ loads }) => ms(loads, 'p99Us'));
  const [httpMs = Number.NaN, ownMs = Number.NaN, sameMs = Number.NaN] = p99s;
  return [
    ...runs.flatMap(({ name, perSecond, loads }) => [
      info(`${name}, messages`, perSecond, 'messages/s'),
      info(`${name}, ack p50`, ms(loads, 'p50Us'), 'ms'),
      info(`${name}, ack p99`, ms(loads, 'p99Us'), 'ms'),
      info(`${name}, generator late p99`, ms(loads, 'lateP99Us'), 'ms'),
    ]),
    atMost('MQTT 3.1.1 S1 ack p99 at half load to HTTP', ownMs / httpMs, 'ratio', 1),
    atMost('MQTT 3.1.1 S1 ack p99 at half the load of HTTP to HTTP', sameMs / httpMs, 'ratio', 1),
  ];
}

/** A line for each device that sends over HTTP: as many as there are connections. */
function writeDevices({ credentials, scratch }: Bench, second: number): string {
  const random = seededRandom(connections);
  const lines = credentials
    .slice(0, connections)
    .map((credential, at) => `${credential}\t${contentType}\t${pack(random, at, 1, second)}`);
  const path = join(scratch, 'mqtt-http-devices');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** Writes the messages of things of one profile, with the topic of each. */
async function things({ fleet, scratch }: Bench, config: object, name: string): Promise<string> {
  const { profileId } = await fleet.thing(config);
  const list = Array.from({ length: connections }, () => ({ name: randomUUID(), type: 'sensor' }));
  const made = await fleet.createThings(profileId, list);
  const random = seededRandom(made.length);
  const start = Math.floor(Date.now() / 1_000) - messagesPerThing * secondsBetween;
  const lines = made.flatMap(({ id, key }, publisher) =>
    Array.from({ length: messagesPerThing }, (_, turn) => {
      const body = pack(random, publisher, 1, start + turn * secondsBetween);
      return [key, contentType, body, `things/${id}/messages`].join('\t');
    }),
  );
  const path = join(scratch, `mqtt-${name}`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const kibibytesMax = { tcp: 12, tls: 40 };

/** The memory of a connection over which nothing comes: most of them beside a few, for which the edge has warmed up. */
async function idle(bench: Bench, over: 'tcp' | 'tls'): Promise<Figure[]> {
  const openssl = new OpenSsl();
  const { certificate, key } = openssl.selfSigned('edge');
  const settings = {
    EDGE_TLS_PORT: String(20_000 + Math.floor(Math.random() * 10_000)),
    EDGE_TLS_CERT: certificate,
    EDGE_TLS_KEY: key,
    MQTT_TLS_PORT: '0',
    EDGE_STREAMS_PER_ORG_MAX: '1000000',
    EDGE_CONNECTIONS_PER_NETWORK_MAX: '1000000',
  };
  const edge = await bench.startEdge({ settings });
  const port = over === 'tcp' ? edge.mqttPort : edge.mqttTlsPort;
  const { credentials } = bench;
  const few = await holdMqtt({ port, over, count: firstConnections(), credentials });
  const before = edge.residentBytes();
  const most = await holdMqtt({ port, over, count: idleConnections(), credentials });
  const kibibytes = (edge.residentBytes() - before) / 1024 / idleConnections();
  await most.close();
  await few.close();
  await edge.stop();
  openssl.close();
  const name = `memory per idle connection over ${over === 'tcp' ? 'TCP' : 'TLS'}`;
  return [atMost(name, kibibytes, 'KiB', kibibytesMax[over])];
}
