/**
 * Holds MQTT connections to an edge over which nothing comes. Says so whenever all of them are open: one that is lost is
 * opened again, as soon as a device would. Closes them when its input ends.
 *
 * Arguments: the port, `tcp` or `tls`, how many connections, then the credentials that take turns.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { generate } from 'mqtt-packet';

const [port = '', over = 'tcp', countText = '0', ...credentials] = process.argv.slice(2);
const count = Number(countText);
/** So many are opened at a time at first. */
const atOnce = 128;
/** An address of loopback has some 28,000 ports for its own end of a connection, which others need as well. */
const perAddress = 10_000;
/** Devices of a fleet wait for some time before they try again, each as long as it likes. */
const againMsMax = 2_000;

const sockets = new Set<Socket>();
let isOver = false;

/** Each holder has addresses of its own. */
function target(at: number) {
  const holder = process.pid % 2 ** 14;
  const localAddress = `127.${64 + (holder >> 8)}.${holder & 255}.${1 + Math.floor(at / perAddress)}`;
  return { host: '127.0.0.1', port: Number(port), localAddress };
}

/** @throws where it is not let in. */
async function open(at: number): Promise<void> {
  const key = (credentials[at % credentials.length] ?? '').replace(/^Thing /, '');
  const socket =
    over === 'tls' ? connectTls({ ...target(at), rejectUnauthorized: false }) : connect(target(at));
  socket.on('error', () => socket.destroy());
  socket.write(
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      // Another holder may have connections of the same thing.
      clientId: `idle-${process.pid}-${at}`,
      clean: true,
      keepalive: 1_200,
      username: 'internal',
      password: Buffer.from(key),
    }),
  );
  const closed = once(socket, 'close').then(() => undefined);
  const said = await Promise.race([once(socket, 'data'), closed]);
  const connack: Buffer | undefined = said?.[0];
  if (connack?.[3] !== 0) {
    socket.destroy();
    throw new Error('not connected');
  }
  sockets.add(socket);
  void closed.then(() => lost(socket, at));
  if (sockets.size === count) process.stdout.write('open\n');
}

async function lost(socket: Socket, at: number): Promise<void> {
  sockets.delete(socket);
  await delay(Math.random() * againMsMax);
  await keepOpening(at);
}

async function keepOpening(at: number): Promise<void> {
  while (!isOver) {
    try {
      return await open(at);
    } catch {
      // The edge is away, or has too much to do.
      await delay(Math.random() * againMsMax);
    }
  }
}

for (let at = 0; at < count; at += atOnce) {
  const size = Math.min(atOnce, count - at);
  await Promise.all(Array.from({ length: size }, (_, more) => keepOpening(at + more)));
}
await text(process.stdin);
isOver = true;
for (const socket of sockets) socket.destroy();
process.exit();
