import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { Millrace, thingCredential } from '../../schemas/client/client.ts';
import { judge, sendNumbered } from '../support/messages/numbered.ts';
import { OpenStream } from '../support/messages/streams.ts';
import { system } from '../support/system.ts';

const connections = 20;
const nothingWrong = { lost: [], twice: [], invented: [] };

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  // The last test may be over before the edge that it killed takes messages again.
  await eventually(async () => (await fetch(`${system().ingestUrl}/health`)).ok, 30_000);
  await fleet.close();
});

it('a batch that was being sent when the edge and the store were killed is stored later, once', async () => {
  const thing = await fleet.thing();
  const numbered = sendNumbered(fleet, thing, connections);
  await eventually(() => numbered.acknowledged.size > 100, 30_000);
  // It takes in what is sent, and looks at none of it.
  await system().kill('clickhouse', 'SIGSTOP');
  const before = numbered.acknowledged.size;
  await eventually(() => numbered.acknowledged.size > before + 2_000, 30_000);
  await system().kill('ingest', 'SIGKILL');
  await system().kill('clickhouse', 'SIGKILL');
  await numbered.stop();
  expect(await judge(fleet, thing, numbered, 60_000)).toEqual(nothingWrong);
});

/** Sends numbered messages over streams until told to stop: a number is sent once, and a lost stream is opened again. */
function streamNumbered(thing: Thing, perFrame: number) {
  const acknowledged = new Set<number>();
  const sent = new Set<number>();
  let next = 0;
  let stopping = false;

  async function sendOver(stream: OpenStream): Promise<void> {
    const numbers: number[] = [];
    let known = 0;
    while (stream.closed === undefined && !(stopping && stream.ack === numbers.length)) {
      if (!stopping && numbers.length - stream.ack < 4 * perFrame) {
        const frame = Array.from({ length: perFrame }, () => next++);
        for (const number of frame) sent.add(number);
        numbers.push(...frame);
        const lines = frame.map((v) => JSON.stringify([{ n: 'number', t: 1_600_000_000 + v, v }]));
        stream.socket.send(lines.join('\n'));
      }
      await delay(1);
      for (; known < stream.ack; known++) acknowledged.add(numbers[known] ?? Number.NaN);
    }
    expect(stream.refused).toEqual([]);
    stream.close();
  }

  async function send(): Promise<void> {
    while (!stopping) {
      const stream = await OpenStream.open(system().ingestUrl, thing.key).catch(() => undefined);
      await (stream === undefined ? delay(20) : sendOver(stream));
    }
  }

  const senders = Array.from({ length: 4 }, send);
  return {
    acknowledged,
    sent,
    async stop() {
      stopping = true;
      await Promise.all(senders);
    },
  };
}

it('what streams acknowledged is stored once, however often the edge is killed', async () => {
  const thing = await fleet.thing();
  const numbered = streamNumbered(thing, 20);
  for (let kills = 0; kills < 2; kills++) {
    const before = numbered.acknowledged.size;
    await eventually(() => numbered.acknowledged.size > before + 500, 30_000);
    // A moment nobody chose: between a frame, its commit, and its ack.
    await delay(Math.random() * 200);
    await system().kill('ingest', 'SIGKILL');
  }
  const before = numbered.acknowledged.size;
  await eventually(() => numbered.acknowledged.size > before, 30_000);
  await numbered.stop();
  expect(await judge(fleet, thing, numbered, 60_000)).toEqual(nothingWrong);
});

it('the client sends again what a killed edge did not acknowledge, until it has all', async () => {
  const thing = await fleet.thing();
  const client = new Millrace({ urls: { http: `${system().ingestUrl}/http` } });
  const count = 4_000;
  let acknowledged = 0;
  let lost = 0;
  async function* messages() {
    for (let at = 0; at < count; at += 50) {
      // Half of them are there before the edge is killed, and half come after it.
      if (at === count / 2) await system().kill('ingest', 'SIGKILL');
      yield Array.from({ length: 50 }, (_, more) =>
        Buffer.from(JSON.stringify([{ n: 'number', t: 1_600_000_000 + at + more, v: at + more }])),
      );
    }
  }
  const kept = await client.stream(thingCredential('internal', thing.key), messages(), {
    onAcknowledged: (all) => (acknowledged = all),
    onLost: () => (lost += 1),
  });
  await client.close();
  expect([kept, acknowledged]).toEqual([count, count]);
  expect(lost).toBeGreaterThan(0);
  await eventually(async () => {
    const values = (await fleet.readSenml(thing.id)).map(({ value }) => value);
    expect(new Set(values).size).toBe(count);
  }, 60_000);
});

it('an edge that is killed has written when its things were last seen, or does so at its next start', async () => {
  const seen = async ({ id }: Thing) => {
    const { body } = await fleet.call('GET', `/things/${id}`);
    return Date.parse(String(Object(body).last_seen));
  };
  const [first, second] = [await fleet.thing(), await fleet.thing()];
  const sendAs = ({ key }: Thing) => fleet.publish(key, JSON.stringify([{ n: 'a', v: 1 }]));
  await sendAs(first);
  await eventually(async () => (await seen(first)) > 0);
  await sendAs(second);
  const sentMs = Date.now();
  await system().kill('ingest', 'SIGKILL');
  await eventually(async () => {
    expect(Math.abs((await seen(second)) - sentMs)).toBeLessThan(10_000);
  }, 30_000);
});
