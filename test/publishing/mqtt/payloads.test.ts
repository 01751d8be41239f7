import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pickPortsInRow } from '../../../infra/local/installation/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { Fleet, type Thing } from '../../support/fleet.ts';
import { connectMqtt, endMqttClients, mqttPort } from '../../support/messages/mqtt.ts';
import { system } from '../../support/system.ts';

/* What the guide says of the payloads of products: configs, messages and records are those of the page. */

const page = readFileSync(join(import.meta.dirname, '../../../infra/guide/payloads.md'), 'utf8');
const mosquitto = '/usr/sbin/mosquitto';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  endMqttClients();
  await fleet.close();
});

/** The one block of this language in a section of the page. */
function block(heading: string, language: string): string {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.filter(([, name]) => name === language);
  if (found.length !== 1) throw new Error(`${heading} has ${found.length} blocks of ${language}`);
  return found[0]?.[2] ?? '';
}

const linesOf = (text: string) => text.trimEnd().split('\n');

/** Topics and payloads of a section. */
function messagesOf(heading: string): { topic: string; payload: string }[] {
  return linesOf(block(heading, 'text')).map((line) => {
    const at = line.indexOf(' ');
    return { topic: line.slice(0, at), payload: line.slice(at + 1) };
  });
}

type Stored = { subtopic?: string; created?: number; payload: object };

function storedOf(heading: string): Stored[] {
  return linesOf(block(heading, 'jsonl')).map((line): Stored => JSON.parse(line));
}

/** Waits for as many records; they are those of the page, and those without a time have that of receipt. */
async function expectStored(thing: Thing, expected: Stored[], sinceMs: number): Promise<void> {
  await eventually(async () => expect(await fleet.stored(thing.id, 'json')).toBe(expected.length));
  const found = await fleet.readJson(thing.id);
  for (const record of expected) {
    expect(found).toContainEqual(expect.objectContaining({ ...record, protocol: 'mqtt' }));
    if (record.created !== undefined) continue;
    const received = found.find(({ subtopic }) => subtopic === record.subtopic);
    expect(received?.created).toBeGreaterThanOrEqual((sinceMs - 1) * 1e6);
  }
}

const products = [
  ['Tasmota', 'telemetry is stored at the time of its clock, results at that of receipt'],
  ['Shelly', 'notifications of Gen2 are stored at their time, without their frame'],
  ['ESPHome', 'JSON that an action publishes is stored at its time'],
  ['Zigbee2MQTT', 'states of devices are stored when they were last seen'],
  ['Home Assistant', 'changes of states in its event stream are stored with entity and unit'],
  ['Node-RED', 'an object of a flow is stored at the time that the flow set'],
] as const;

describe('payloads as products publish them', () => {
  it.each(products)('%s: %s', async (heading) => {
    const thing = await fleet.thing(JSON.parse(block(heading, 'json')));
    const sinceMs = Date.now();
    const { client, end } = await connectMqtt(thing.key, 4);
    for (const { topic, payload } of messagesOf(heading)) {
      await client.publishAsync(topic, payload, { qos: 1 });
    }
    await expectStored(thing, storedOf(heading), sinceMs);
    await end();
  });

  it('Node-RED: the function of the guide makes the message of the guide', () => {
    const [message] = messagesOf('Node-RED');
    const made = runFunction(block('Node-RED', 'js'), { payload: 21.5, topic: 'workshop/air' });
    expect(JSON.parse(made)).toEqual({
      ...JSON.parse(message?.payload ?? ''),
      at: expect.any(Number),
    });
  });

  it('plain values of Shelly Gen1, ESPHome, statestream and others are refused, and counted', async () => {
    const messages = messagesOf('Plain values');
    const thing = await fleet.thing();
    const { client, end } = await connectMqtt(thing.key, 4);
    for (const { topic, payload } of messages) {
      await client.publishAsync(topic, payload, { qos: 1, retain: true });
    }
    await eventually(async () => {
      const { body } = await fleet.call('GET', `/things/${thing.id}`);
      expect(body).toMatchObject({ refused: { messages: messages.length } });
    });
    expect(await fleet.stored(thing.id)).toBe(0);
    expect(await fleet.stored(thing.id, 'json')).toBe(0);
    await end();
  });

  it('plain numbers are stored as SenML after a function of Node-RED', async () => {
    const code = block('Plain values', 'js');
    const thing = await fleet.thing();
    const { client, end } = await connectMqtt(thing.key, 4);
    for (const { topic, payload } of messagesOf('Plain values')) {
      const made = runFunction(code, { topic, payload });
      if (made !== '') await client.publishAsync(topic, made, { qos: 1 });
    }
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(3));
    const found = await fleet.readSenml(thing.id);
    expect(found.map(({ name, value }) => `${name} ${value}`).toSorted()).toEqual([
      'greenhouse/sensor/temperature/state 21.5',
      'homeassistant/sensor/outside/state 21.5',
      'shellies/shelly1pm-B1E2F3/relay/0/power 8.9',
    ]);
    await end();
  });
});

/** Runs a function as Node-RED does; the payload that *mqtt out* sends then, empty if it sends none. */
function runFunction(code: string, msg: { topic: string; payload: unknown }): string {
  const returned: unknown = runInNewContext(`(function (msg) {${code}})(msg)`, { msg });
  return returned === null ? '' : JSON.stringify(msg.payload);
}

// Not every machine has mosquitto.
describe.skipIf(!existsSync(mosquitto))('a broker in between', () => {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-bridge-'));
  let broker: ChildProcess | undefined;

  afterAll(async () => {
    if (broker !== undefined) {
      const exited = once(broker, 'exit');
      broker.kill('SIGKILL');
      await exited;
    }
    rmSync(dir, { recursive: true });
  });

  it('passes on what Zigbee2MQTT publishes, and no topics of its bridge', async () => {
    const heading = 'Zigbee2MQTT';
    const thing = await fleet.thing(JSON.parse(block(heading, 'json')));
    const port = await pickPortsInRow(1);
    const bridge = block('A broker in between', 'conf')
      .replace('edge.example.com:1883', `127.0.0.1:${mqttPort()}`)
      .replace('<the key of the thing>', thing.key);
    const config = join(dir, 'mosquitto.conf');
    const own = ['allow_anonymous true', 'user root', 'log_type error'];
    writeFileSync(config, [`listener ${port} 127.0.0.1`, ...own, bridge].join('\n'));
    broker = spawn(mosquitto, ['-c', config], { stdio: ['ignore', 'ignore', 'inherit'] });
    const sinceMs = Date.now();
    const { client, end } = await eventually(() =>
      connectMqtt('', 4, { port, username: 'zigbee2mqtt' }),
    );
    await client.publishAsync('zigbee2mqtt/bridge/state', '{"state":"online"}', { qos: 1 });
    for (const { topic, payload } of messagesOf(heading)) {
      await client.publishAsync(topic, payload, { qos: 1 });
    }
    await expectStored(thing, storedOf(heading), sinceMs);
    await end();
  });
});
