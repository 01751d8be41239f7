import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Line } from '../cli/running/line.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { OpenStream } from '../support/messages/streams.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';

/** An edge with so few descriptors takes 104 connections: 26 of one network, and 26 streams of one org. */
const descriptors = 360;
const bounds = { all: 104, network: 26, org: 39, thing: 16 };

const body = '[{"n":"a","v":1}]';

let fleet: Fleet;
let thing: Thing;
let edge: OwnEdge;
let device: Line;
let published = 0;
let open: Silent[] = [];
let streams: OpenStream[] = [];

beforeAll(async () => {
  fleet = await Fleet.login(system());
  thing = await fleet.thing();
  edge = await startOwnEdge({}, { descriptors });
});

afterEach(async () => {
  for (const stream of streams) stream.close();
  for (const { socket } of open) socket.destroy();
  device.end();
  [open, streams] = [[], []];
  await eventually(async () => (await metric('millrace_connections')) < 5);
});

afterAll(async () => {
  await eventually(async () => (await fleet.stored(thing.id)) === published);
  await stopOwnEdge(edge);
  await fleet.close();
});

/** An address of this machine that is no proxy's for the edge, as loopback is. */
function outerAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const outer = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (outer === undefined) throw new Error('this test needs an address beside loopback');
  return outer.address;
}

/** A connection over which nothing is sent, and what the edge says to it. */
type Silent = { socket: Socket; told: string };

async function openSilent(count: number, host: string): Promise<void> {
  const opened = Array.from({ length: count }, (): Silent => {
    const silent = { socket: connect(edge.port, host), told: '' };
    silent.socket.setEncoding('latin1').on('data', (text: string) => (silent.told += text));
    silent.socket.on('error', () => undefined);
    return silent;
  });
  open = [...open, ...opened];
  await Promise.all(opened.map(({ socket }) => once(socket, 'connect')));
}

/** The answers on the connections that the edge has closed. */
const refusals = () => open.filter(({ socket }) => socket.closed).map(({ told }) => told);

/** A device that is connected already sends a message. */
async function publish(): Promise<void> {
  const head = ['POST /http/messages HTTP/1.1', 'Host: a', `Authorization: Thing ${thing.key}`];
  const type = 'Content-Type: application/senml+json';
  const length = `Content-Length: ${body.length}`;
  const before = device.statuses().length;
  device.send(`${[...head, type, length].join('\r\n')}\r\n\r\n${body}`);
  await device.answers(before + 1);
  expect(device.statuses().at(-1)).toBe(202);
  published += 1;
}

/** Another device, over a connection of its own. */
async function publishAnew(): Promise<void> {
  device = Line.open(edge.url);
  await publish();
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${edge.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

describe('the connections of an edge', () => {
  it('are a bound for one network, and others get in', async () => {
    await publishAnew();
    const network = outerAddress();
    await openSilent(bounds.network + 20, network);
    await eventually(() => expect(refusals()).toHaveLength(20));
    for (const refusal of refusals()) {
      expect(refusal).toMatch(
        /^HTTP\/1\.1 429 [^]*Retry-After: 15\r\n[^]*connections of this network/,
      );
    }
    device.end();
    await publishAnew();
    // Those that are closed make room, though the server does not tell whose they were.
    for (const { socket } of open) socket.destroy();
    open = [];
    await eventually(async () => {
      await openSilent(1, network);
      expect(open.at(-1)?.socket.closed).toBe(false);
      expect(open.at(-1)?.told).toBe('');
    });
  });

  it('leave descriptors for log and sinks, whoever opens them, and what is over is answered', async () => {
    await publishAnew();
    // Loopback is a proxy's network for the edge: it has the bound of all.
    await openSilent(2 * bounds.all, '127.0.0.1');
    await eventually(() => expect(refusals().length).toBeGreaterThan(bounds.all));
    for (const refusal of refusals()) {
      expect(refusal).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 15\r\n[^]*"code":"unavailable"/);
    }
    expect(readdirSync(`/proc/${edge.process.pid}/fd`).length).toBeLessThan(descriptors - 150);
    for (let sent = 0; sent < 10; sent++) await publish();
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(published));
  });
});

describe('the answers of an edge', () => {
  it('say how long their connection may be idle, unless it is closed', async () => {
    await publishAnew();
    device.send('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n');
    const [accepted, refused] = (await device.answers(2)).split('HTTP/1.1 404');
    expect(accepted).toContain('Keep-Alive: timeout=7\r\n');
    expect(refused).not.toContain('Keep-Alive');
  });
});

describe('the streams of an edge', () => {
  it('of one tenant leave others room, and each of its things has its own bound', async () => {
    const tenant = await Fleet.login(system());
    const { key: first } = await tenant.thing();
    const keys = [(await tenant.thing()).key, (await tenant.thing()).key];
    await tenant.close();
    const openOne = async (key: string, network: string) => {
      const headers = { 'x-forwarded-for': network };
      streams.push(await OpenStream.open(edge.url, key, { socket: { headers } }));
    };
    for (let count = 0; count < bounds.thing; count++) await openOne(first, `203.0.113.${count}`);
    await expect(openOne(first, '203.0.113.99')).rejects.toThrow(/^429 .*streams of this thing/);
    for (let count = bounds.thing; count < bounds.org; count++) {
      await openOne(keys[count % keys.length] ?? '', `203.0.113.${count}`);
    }
    for (const key of keys) {
      await expect(openOne(key, '203.0.113.99')).rejects.toThrow(/^429 .*streams of this org/);
    }
    await publishAnew();
    const stream = await OpenStream.open(edge.url, thing.key);
    streams.push(stream);
    stream.socket.send(body);
    await stream.answered(1);
    published += 1;
  });
});
