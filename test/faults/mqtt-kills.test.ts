import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import mqtt, { ErrorWithReasonCode, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

/** With several edges, a client whose edge dies goes on at another one, which does not know its session. */
const edges = Number(process.env['FAULTS_EDGES'] ?? 1);
const loopMs = Number(process.env['FAULTS_SECONDS'] ?? 600) * 1_000;
/** The same seed gives the same turns; what they hit is up to the machine. */
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const clientsOfEachKind = 4;
/** Each client has so many messages under way, each of so many records. */
const messagesUnderWay = 16;
const recordsPerMessage = 3;
const killsPerRound = 6;
const betweenKills = 100;
const quotaExceeded = 0x97;
const packetIdNotFound = 0x92;
const againMs = 100;
const firstSecond = 1_600_000_000;
/** However long the machine takes: what counts is that it comes. */
const waitMsMax = 5 * 60_000;

type Level = 1 | 2;
/** Numbers that a thing sends with one QoS, and those that were acknowledged. */
type Numbered = {
  thing: Thing;
  qos: Level;
  sent: number;
  acknowledged: Set<number>;
  /** Those that were under way when their client was told that its session had ended. */
  underWayAtNewSession: Set<number>;
};

let system: OwnSystem;
let fleet: Fleet;
let failed = false;

beforeAll(async () => {
  system = await startSystem({ env: { INGEST_PROCESSES: String(edges) } });
  fleet = await Fleet.login(system);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
});

const edgeNames =
  edges === 1 ? ['ingest'] : Array.from({ length: edges }, (_, index) => `ingest-${index}`);

/** Mostly an edge; what it needs to let clients in again dies too. */
const turn = fc.record({
  victim: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...edgeNames) },
    { weight: 2, arbitrary: fc.constantFrom('redis', 'clickhouse') },
  ),
  afterMs: fc.noBias(fc.nat(1_000)),
});

/** A client that connects again by itself, and sends again what has no answer. Its session outlives the edge. */
function connect(thing: Thing, version: 4 | 5, clientId: string): MqttClient {
  const kept = version === 5 ? { properties: { sessionExpiryInterval: 3_600 } } : {};
  const client = mqtt.connect(`mqtt://127.0.0.1:${system.mqttPort}`, {
    protocolVersion: version,
    clientId,
    clean: false,
    ...kept,
    username: 'internal',
    password: thing.key,
    reconnectPeriod: 100,
  });
  // The edge was killed under it, or its key can't be looked up: it tries again.
  client.on('error', () => undefined);
  return client;
}

/** Sends numbers, a message after the other, until told to stop. */
function sendNumbers(numbered: Numbered): { stop(): Promise<void> } {
  let stopping = false;
  const clients = ([4, 5] as const).flatMap((version) =>
    Array.from({ length: clientsOfEachKind / 2 }, (_, at) =>
      connect(numbered.thing, version, `${numbered.qos}-${version}-${at}`),
    ),
  );
  const send = async (client: MqttClient, underWay: Set<number>) => {
    while (!stopping) {
      const numbers = Array.from({ length: recordsPerMessage }, () => numbered.sent++);
      const pack = numbers.map((number) => ({ n: 'number', t: firstSecond + number, v: number }));
      for (const number of numbers) underWay.add(number);
      try {
        await client.publishAsync('numbers', JSON.stringify(pack), { qos: numbered.qos });
        for (const number of numbers) numbered.acknowledged.add(number);
      } catch (error) {
        const code = error instanceof ErrorWithReasonCode ? error.code : undefined;
        if (code === packetIdNotFound && edges > 1) {
          // It released a message at an edge that has no session of it: another edge took it.
          for (const number of numbers) numbered.acknowledged.add(number);
        } else if (code === undefined || code === quotaExceeded) {
          // The connection ended before the library sent it; or told to come later, which only 5 can be.
          await delay(againMs);
        } else throw error;
      }
      for (const number of numbers) underWay.delete(number);
    }
  };
  const senders = clients.flatMap((client) => {
    const underWay = new Set<number>();
    // Before it sends them again: `connect` comes after that.
    client.on('packetreceive', (packet) => {
      if (packet.cmd !== 'connack' || packet.sessionPresent) return;
      for (const number of underWay) numbered.underWayAtNewSession.add(number);
    });
    return Array.from({ length: messagesUnderWay }, () => send(client, underWay));
  });
  return {
    async stop() {
      stopping = true;
      await Promise.all(senders);
      await Promise.all(clients.map((client) => client.endAsync()));
    },
  };
}

/** Holds the store against all that was sent, once the edge has delivered it. */
async function judge({ thing, sent, acknowledged, underWayAtNewSession }: Numbered) {
  await eventually(
    async () => expect(await fleet.stored(thing.id)).toBeGreaterThanOrEqual(acknowledged.size),
    waitMsMax,
  );
  await eventually(() => fleet.allStored(), waitMsMax);
  const once = new Set<number>();
  const twice: number[] = [];
  for (const { value = Number.NaN } of await fleet.readSenml(thing.id)) {
    if (once.has(value)) twice.push(value);
    once.add(value);
  }
  // A message that a client sends again after the end of its session is another one. With one edge none ends.
  const mayBeTwice = (number: number) => edges > 1 && underWayAtNewSession.has(number);
  return {
    lost: [...acknowledged].filter((number) => !once.has(number)),
    twice: twice.filter((number) => !mayBeTwice(number)),
    invented: [...once].filter((number) => number >= sent),
    ofNewSessions: twice.filter(mayBeTwice).length,
  };
}

it(`messages that MQTT acknowledged survive kill -9 of the edge, and those of QoS 2 are stored once (FAULTS_SEED=${seed})`, async () => {
  process.stdout.write(`FAULTS_SEED=${seed}\n`);
  const turns = fc.sample(turn, { seed, numRuns: 10_000 });
  const startedAt = performance.now();
  const totals = { edges, kills: 0, qos1: 0, qos2: 0, twiceOfQos1: 0, twiceOfNewSessions: 0 };
  while (performance.now() - startedAt < loopMs) {
    const ones = await numberedThing(1);
    const twos = await numberedThing(2);
    const sending = [sendNumbers(ones), sendNumbers(twos)];
    const round = turns.splice(0, killsPerRound);
    for (const { victim, afterMs } of round) {
      for (const { acknowledged } of [ones, twos]) {
        const before = acknowledged.size;
        await eventually(
          () => expect(acknowledged.size).toBeGreaterThan(before + betweenKills),
          waitMsMax,
        );
      }
      await delay(afterMs);
      await system.kill(victim, 'SIGKILL');
      totals.kills += 1;
    }
    await Promise.all(sending.map((one) => one.stop()));
    const [of1, of2] = [await judge(ones), await judge(twos)];
    totals.qos1 += ones.acknowledged.size;
    totals.qos2 += twos.acknowledged.size;
    totals.twiceOfQos1 += of1.twice.length + of1.ofNewSessions;
    totals.twiceOfNewSessions += of2.ofNewSessions;
    expect([of1.lost, of1.invented], JSON.stringify(round)).toEqual([[], []]);
    expect([of2.lost, of2.twice, of2.invented], JSON.stringify(round)).toEqual([[], [], []]);
  }
  process.stdout.write(`${JSON.stringify({ part: 'kills under MQTT', seed, ...totals })}\n`);
});

async function numberedThing(qos: Level): Promise<Numbered> {
  const thing = await eventually(() => fleet.thing(), waitMsMax);
  return { thing, qos, sent: 0, acknowledged: new Set(), underWayAtNewSession: new Set() };
}
