import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { Fleet, type Thing } from '../../support/fleet.ts';
import { mqttPort } from '../../support/messages/mqtt.ts';
import { system } from '../../support/system.ts';

const run = promisify(execFile);
const devices = join(import.meta.dirname, '../../../ingest/devices');
const stubs = join(import.meta.dirname, '../arduino');
const built = mkdtempSync(join(tmpdir(), 'millrace-mqtt-devices-'));
const pubsubclient = join(built, 'pubsubclient');

const has = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const pythons = ['python3', '/usr/bin/python3'].filter((python) =>
  has(python, '-c', 'import paho.mqtt.client'),
);

/** The documented examples, and how each is run. Not every machine has Go, mosquitto_pub and paho-mqtt. */
const examples: Record<string, [string, ...string[]]> = {
  Python: ['python3', join(devices, 'python/mqtt_device.py')],
  JavaScript: [process.execPath, join(devices, 'javascript/mqtt.mjs')],
  ...(pythons[0] === undefined ? {} : { paho: [pythons[0], join(devices, 'python/mqtt_paho.py')] }),
  ...(has('go', 'version') ? { Go: [join(built, 'go')] satisfies [string] } : {}),
  ...(spawnSync('mosquitto_pub', ['--help']).error === undefined
    ? { mosquitto_pub: ['sh', join(devices, 'mosquitto/device.sh')] }
    : {}),
};

/** Those that take commands. */
const takers: Record<string, [string, ...string[]]> = {
  JavaScript: [process.execPath, join(devices, 'javascript/commands.mjs')],
  ...(pythons[0] === undefined
    ? {}
    : { paho: [pythons[0], join(devices, 'python/mqtt_commands.py')] }),
  ...(spawnSync('mosquitto_sub', ['--help']).error === undefined
    ? { mosquitto_sub: ['sh', join(devices, 'mosquitto/commands.sh')] }
    : {}),
};

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  const sources = [
    '-I',
    stubs,
    '-I',
    join(devices, 'pubsubclient'),
    join(stubs, 'pubsubclient.cpp'),
  ];
  execFileSync('g++', [
    '-std=c++11',
    '-Wall',
    '-Wextra',
    '-Werror',
    ...sources,
    '-o',
    pubsubclient,
  ]);
  if ('Go' in examples) {
    const env = { ...process.env, GO111MODULE: 'off', GOCACHE: join(built, 'cache') };
    execFileSync('go', ['build', '-o', join(built, 'go'), join(devices, 'go/mqtt.go')], { env });
  }
});

afterAll(async () => {
  rmSync(built, { recursive: true });
  await fleet.close();
});

/** Runs an example; what it printed. */
async function send([command, ...args]: [string, ...string[]], key: string, port = mqttPort()) {
  const env = {
    PATH: process.env['PATH'],
    MILLRACE_HOST: '127.0.0.1',
    MILLRACE_MQTT_PORT: String(port),
    MILLRACE_KEY: key,
  };
  const { stdout } = await run(command, args, { env });
  return stdout.trim();
}

/** Before the edge, and away at first: the first connections are closed, and how many came. */
async function awayAtFirst(): Promise<{ server: Server; port: number; count: () => number }> {
  let count = 0;
  const server = createServer((client: Socket) => {
    client.on('error', () => undefined);
    count += 1;
    if (count < 3) {
      client.destroy();
      return;
    }
    const edge = connectTo(mqttPort());
    edge.on('error', () => undefined);
    client.pipe(edge).pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { server, port, count: () => count };
}

describe.concurrent.each(Object.entries(examples))('a device over MQTT in %s', (_name, example) => {
  it('sends a message that reads back once, though the edge was away at first', async () => {
    const thing = await fleet.thing();
    const { server, port, count } = await awayAtFirst();
    expect(await send(example, thing.key, port)).toBe('acknowledged');
    server.close();
    expect(count()).toBeGreaterThanOrEqual(3);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(1));
  });

  it('ends when its key is unknown', async () => {
    await expect(send(example, 'no key of a thing')).rejects.toThrow('Command failed');
  });
});

/** Runs an example that goes on until it is ended; what it has printed. */
function take([command, ...args]: [string, ...string[]], thing: Thing, port = mqttPort()) {
  const env = {
    PATH: process.env['PATH'],
    MILLRACE_HOST: '127.0.0.1',
    MILLRACE_MQTT_PORT: String(port),
    MILLRACE_THING: thing.id,
    MILLRACE_KEY: thing.key,
  };
  // A group of its own: a shell has a child.
  const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(child, 'close');
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  return {
    printed: () => printed,
    closed,
    async end() {
      process.kill(-Number(child.pid), 'SIGTERM');
      await closed;
    },
  };
}

describe.concurrent.each(Object.entries(takers))('a device with commands in %s', (_name, taker) => {
  const command = (thing: Thing, body: object) =>
    fleet.call('POST', `/things/${thing.id}/commands/valve`, body);

  it('does those that waited and those that come, though the edge was away at first', async () => {
    const thing = await fleet.thing();
    await command(thing, { command: 'open', params: { percent: 40 } });
    const { server, port, count } = await awayAtFirst();
    const device = take(taker, thing, port);
    await eventually(() => expect(device.printed()).toMatch(/open.*"percent": ?40/));
    await command(thing, { command: 'close' });
    await eventually(() => expect(device.printed()).toMatch(/open.*\n.*close.*\n$/));
    await eventually(async () => {
      const path = `/things/${thing.id}/commands?state=acknowledged`;
      expect((await fleet.call('GET', path)).body).toMatchObject({ total: 2 });
    });
    await device.end();
    server.close();
    expect(count()).toBeGreaterThanOrEqual(3);
  });

  it('ends when its key is unknown', async () => {
    const thing = { ...(await fleet.thing()), key: 'no key of a thing' };
    expect(await take(taker, thing).closed).toEqual([1, null]);
  });
});

describe('a device with PubSubClient', () => {
  it('sends a message that reads back, and says that a wrong key is refused', async () => {
    const thing = await fleet.thing();
    expect(await send([pubsubclient], thing.key)).toBe('sent');
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(1));
    await expect(send([pubsubclient], 'no key of a thing')).rejects.toThrow('Command failed');
  });
});
