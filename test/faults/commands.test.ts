import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import mqtt, { type MqttClient } from 'mqtt';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const kills = Number(process.env['FAULTS_COMMAND_KILLS'] ?? 60);
/** The same seed gives the same turns; what they hit is up to the machine. */
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const things = 9;
/** A command that was handed out to who is gone is due again after half a minute. */
const waitMsMax = 5 * 60_000;
const betweenMs = 20;

let system: OwnSystem;
let fleet: Fleet;
let failed = false;

beforeAll(async () => {
  system = await startSystem();
  fleet = await Fleet.login(system);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
});

const turn = fc.record({
  victim: fc.constantFrom('ingest', 'api', 'postgres', 'redis'),
  afterMs: fc.noBias(fc.nat(1_500)),
});

const ways = ['stream', 'requests', 'mqtt'] as const;
type Way = (typeof ways)[number];

/** A device that is always there again: it notes the commands that it got, and acknowledges each. */
class Device {
  /** How often each came, by its id. */
  readonly got = new Map<string, number>();
  readonly thing: Thing;
  readonly #way: Way;
  #stopping = false;
  #socket: WebSocket | undefined;
  #client: MqttClient | undefined;
  readonly #ended: Promise<void>;

  constructor(thing: Thing, way: Way) {
    this.thing = thing;
    this.#way = way;
    this.#ended = this.#live();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#socket?.terminate();
    this.#client?.end(true);
    await this.#ended;
  }

  async #live(): Promise<void> {
    while (!this.#stopping) {
      await this.#once().catch(() => undefined);
      await delay(betweenMs);
    }
  }

  #once(): Promise<void> {
    if (this.#way === 'stream') return this.#stream();
    return this.#way === 'mqtt' ? this.#mqtt() : this.#poll();
  }

  #note(command: unknown): string {
    const { id } = Object(command);
    this.got.set(id, (this.got.get(id) ?? 0) + 1);
    return id;
  }

  async #stream(): Promise<void> {
    const url = `${system.ingestUrl.replace('http', 'ws')}/http/messages/stream`;
    const socket = new WebSocket(url, { headers: { authorization: `Thing ${this.thing.key}` } });
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.addEventListener('open', () => socket.send('commands'));
    socket.addEventListener('message', ({ data }) => {
      const { command } = Object(JSON.parse(typeof data === 'string' ? data : '{}'));
      if (command !== undefined) socket.send(`acknowledge ${this.#note(command)}`);
    });
    socket.addEventListener('error', () => resolve());
    socket.addEventListener('close', () => resolve());
    await promise;
  }

  async #mqtt(): Promise<void> {
    const client = mqtt.connect(`mqtt://127.0.0.1:${system.mqttPort ?? 0}`, {
      clientId: this.thing.id,
      clean: false,
      username: 'internal',
      password: this.thing.key,
      reconnectPeriod: 0,
    });
    this.#client = client;
    const { promise, resolve } = Promise.withResolvers<void>();
    client.on('message', (_topic, payload) => void this.#note(JSON.parse(String(payload))));
    client.on('error', () => client.end(true));
    client.on('close', () => resolve());
    client.on('connect', () => {
      client.subscribe(`things/${this.thing.id}/commands/#`, { qos: 1 });
    });
    await promise;
  }

  async #poll(): Promise<void> {
    const headers = { authorization: `Thing ${this.thing.key}` };
    const answer = await request(`${system.ingestUrl}/http/commands?wait=5`, { headers });
    const body: unknown = await answer.body.json();
    if (answer.statusCode !== 200) return;
    const commands: unknown[] = Object(body).commands;
    for (const command of commands) {
      const path = `/http/commands/${this.#note(command)}/acknowledge`;
      const done = await request(`${system.ingestUrl}${path}`, { method: 'POST', headers });
      await done.body.dump();
    }
  }
}

/** Sends commands until it is stopped; those that were answered with 202, by their ids. */
function sendCommands(to: readonly Thing[]) {
  const accepted = new Map<string, string>();
  let stopping = false;
  const send = async ({ id }: Thing) => {
    for (let number = 0; !stopping; number++) {
      await delay(betweenMs);
      try {
        const answer = await request(`${system.apiUrl}/http/things/${id}/commands`, {
          method: 'POST',
          headers: { authorization: `Bearer ${fleet.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ command: `${number}` }),
        });
        const body: unknown = await answer.body.json();
        if (answer.statusCode === 202) accepted.set(Object(body).id, id);
      } catch {
        // The process that it asked was killed.
      }
    }
  };
  const ended = Promise.all(to.map(send));
  return {
    accepted,
    async stop() {
      stopping = true;
      await ended;
    },
  };
}

it(`commands that were accepted reach their things, whoever is killed (FAULTS_SEED=${seed})`, async () => {
  process.stdout.write(`FAULTS_SEED=${seed}\n`);
  const all = await Promise.all(Array.from({ length: things }, () => fleet.thing()));
  const devices = all.map((thing, index) => new Device(thing, ways[index % 3] ?? 'stream'));
  const sending = sendCommands(all);
  for (const { victim, afterMs } of fc.sample(turn, { seed, numRuns: kills })) {
    const before = sending.accepted.size;
    await eventually(() => sending.accepted.size > before + 20, waitMsMax);
    await delay(afterMs);
    await system.kill(victim, 'SIGKILL');
  }
  await sending.stop();
  const missing = () =>
    [...sending.accepted].filter(
      ([id, thingId]) => !devices.some(({ thing, got }) => thing.id === thingId && got.has(id)),
    );
  await eventually(() => expect(missing()).toEqual([]), waitMsMax);
  // A device got nothing that is for another one; what came to it without a 202 was accepted all the same.
  for (const { thing, got } of devices) {
    for (const id of got.keys()) expect(sending.accepted.get(id) ?? thing.id).toBe(thing.id);
  }
  await eventually(async () => {
    for (const { id } of all) {
      for (const state of ['queued', 'delivered']) {
        const answer = await request(
          `${system.apiUrl}/things/${id}/commands?limit=1&state=${state}`,
          { headers: { authorization: `Bearer ${fleet.token}` } },
        );
        const body: unknown = await answer.body.json();
        expect([state, Object(body).total]).toEqual([state, 0]);
      }
    }
  }, waitMsMax);
  const came = devices.flatMap(({ got }) => [...got.values()]);
  const repeats = came.reduce((sum, times) => sum + times - 1, 0);
  process.stdout.write(`${sending.accepted.size} commands, ${kills} kills, ${repeats} repeats\n`);
  await Promise.all(devices.map((device) => device.stop()));
});
