import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { RawMqtt } from '../support/messages/mqtt.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';

const id = 7;
/** Of a machine that is busy: an edge may take ten seconds to start. */
const timeout = 240_000;

let edge: OwnEdge;
let fleet: Fleet;

beforeAll(async () => {
  edge = await startOwnEdge({});
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  await fleet.allStored();
  await fleet.close();
  await stopOwnEdge(edge);
});

async function killEdge(): Promise<void> {
  const ended = once(edge.process, 'close');
  edge.process.kill('SIGKILL');
  await ended;
  edge = await startOwnEdge({ DATA_DIR: edge.dataDir });
}

/**
 * Tests that run at once, and share each kill: an edge takes seconds of a core to start. One waits until all others that
 * have not ended wait for a kill too.
 */
class SharedKills {
  #running: number | undefined;
  #waiting: { atLast: () => Promise<void>; killed: PromiseWithResolvers<void> }[] = [];

  /** `atLast` is done once all wait, right before the kill. */
  async kill(atLast = async (): Promise<void> => undefined): Promise<void> {
    const killed = Promise.withResolvers<void>();
    this.#waiting.push({ atLast, killed });
    this.#killIfAllWait();
    await killed.promise;
  }

  /** A test among its suite's ones. */
  sharing(test: () => Promise<void>): (context: TestContext) => Promise<void> {
    return async ({ task }) => {
      const all = task.suite?.tasks.filter(({ mode }) => mode === 'run') ?? [task];
      this.#running ??= all.length;
      try {
        await test();
      } finally {
        this.#running -= 1;
        this.#killIfAllWait();
      }
    };
  }

  #killIfAllWait(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0 || waiting.length !== this.#running) return;
    this.#waiting = [];
    const killing = Promise.all(waiting.map(({ atLast }) => atLast())).then(killEdge);
    for (const { killed } of waiting) killed.resolve(killing);
  }
}

// Of version 5: the long run (mqtt-qos2.long.test.ts) has both, which differ in how a client asks for its session.
const version = 5;

/** A client whose session outlives its connections; it connects as soon as the edge answers. */
async function newClient() {
  const thing = await fleet.thing();
  const clientId = randomUUID();
  const kept = { properties: { sessionExpiryInterval: 600 } };
  const connect = (options = {}, port = edge.mqttPort) => {
    const all = { clientId, clean: false, ...kept, ...options };
    return RawMqtt.connected(thing.key, version, all, port);
  };
  return { thing, connect };
}

function publish(client: RawMqtt, value: number, dup = false): void {
  const payload = JSON.stringify([{ n: 'a', t: 1_700_000_000 + value, v: value }]);
  const message = { topic: 'x', payload, qos: 2, messageId: id, retain: false, dup } as const;
  client.send({ cmd: 'publish', ...message });
}

async function release(client: RawMqtt): Promise<void> {
  const count = client.of('pubcomp').length;
  client.send({ cmd: 'pubrel', messageId: id });
  const packet = await client.until('pubcomp', count + 1);
  // A client of 5 would be told of an error by its reason code.
  if (packet.cmd === 'pubcomp') expect(packet.reasonCode ?? 0).toBe(0);
}

const expectPresent = (client: RawMqtt) =>
  expect(client.of('connack')).toMatchObject([{ sessionPresent: true }]);

async function expectStored(thing: Thing, values: number[]): Promise<void> {
  await eventually(async () => expect(await fleet.stored(thing.id)).toBe(values.length));
  const stored = (await fleet.readSenml(thing.id)).map(({ value = Number.NaN }) => value);
  expect(stored.toSorted((a, b) => a - b)).toEqual(values);
}

describe.concurrent('over kill -9, a session', { timeout }, () => {
  const kills = new SharedKills();

  it(
    'stores a message once that had PUBREC and no PUBREL',
    kills.sharing(async () => {
      const { thing, connect } = await newClient();
      const first = await connect();
      publish(first, 1);
      await first.until('pubrec');
      await kills.kill();
      const second = await connect();
      expectPresent(second);
      publish(second, 1, true);
      await second.until('pubrec');
      await release(second);
      await expectStored(thing, [1]);
    }),
  );

  it(
    'stores a message once whose PUBREC did not come',
    kills.sharing(async () => {
      const { thing, connect } = await newClient();
      let client = await connect();
      const values: number[] = [];
      for (let value = 1; value <= 2; value++) {
        values.push(value);
        await kills.kill(async () => {
          publish(client, value);
          // A moment nobody chose: before, in or after the commit.
          await delay(Math.random() * 4);
        });
        client = await connect();
        expectPresent(client);
        publish(client, value, true);
        await client.until('pubrec');
        await release(client);
      }
      await expectStored(thing, values);
    }),
  );

  it(
    'takes a message under an id that was used before, whether the kill came before PUBCOMP or after',
    kills.sharing(async () => {
      const { thing, connect } = await newClient();
      let client = await connect();
      publish(client, 1);
      await client.until('pubrec');
      await release(client);
      await kills.kill();
      client = await connect();
      expectPresent(client);
      publish(client, 2);
      await client.until('pubrec');
      await kills.kill(async () => {
        client.send({ cmd: 'pubrel', messageId: id });
        await delay(Math.random() * 4);
      });
      client = await connect();
      expectPresent(client);
      await release(client);
      publish(client, 3);
      await client.until('pubrec');
      await expectStored(thing, [1, 2, 3]);
    }),
  );

  it(
    'has its subscriptions, which a client does not make again',
    kills.sharing(async () => {
      const { thing, connect } = await newClient();
      const first = await connect();
      const topic = `things/${thing.id}/messages/#`;
      first.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] });
      await first.until('suback');
      await kills.kill();
      const second = await connect();
      expectPresent(second);
      publish(second, 1);
      expect(await second.until('publish')).toMatchObject({ qos: 1 });
    }),
  );

  it(
    'that was replaced by a new one does not come back',
    kills.sharing(async () => {
      const { thing, connect } = await newClient();
      const first = await connect();
      publish(first, 1);
      await first.until('pubrec');
      const clean = await connect({ clean: true });
      expect(clean.of('connack')).toMatchObject([{ sessionPresent: false }]);
      await kills.kill();
      const last = await connect();
      expectPresent(last);
      publish(last, 2);
      await last.until('pubrec');
      await expectStored(thing, [1, 2]);
    }),
  );
});

describe('a session', { timeout }, () => {
  it('is over once its client was at another edge, where it may have used its packet ids again', async () => {
    const { thing, connect } = await newClient();
    const first = await connect();
    publish(first, 1);
    await first.until('pubrec');
    const other = await startOwnEdge({});
    const elsewhere = await connect({}, other.mqttPort);
    expect(elsewhere.of('connack')).toMatchObject([{ sessionPresent: false }]);
    publish(elsewhere, 2);
    await elsewhere.until('pubrec');
    const back = await connect();
    expect(back.of('connack')).toMatchObject([{ sessionPresent: false }]);
    publish(back, 3);
    await back.until('pubrec');
    await expectStored(thing, [1, 2, 3]);
    await fleet.allStored();
    await stopOwnEdge(other);
  });

  it('is over after a kill where the file of sessions is lost, and no message is', async () => {
    const { thing, connect } = await newClient();
    const first = await connect();
    publish(first, 1);
    await first.until('pubrec');
    rmSync(join(edge.dataDir, 'log/0/mqtt.sessions'));
    await killEdge();
    const second = await connect();
    expect(second.of('connack')).toMatchObject([{ sessionPresent: false }]);
    // Without a session, the client sends it as a new message: it may be stored twice.
    publish(second, 1, true);
    await second.until('pubrec');
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(2));
  });
});
