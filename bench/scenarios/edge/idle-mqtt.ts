/**
 * Holds MQTT connections to an edge over which nothing comes. Says so when all of them are open, and closes them when its
 * input ends.
 *
 * Arguments: the port, `tcp` or `tls`, how many connections, then the credentials that take turns.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { generate } from 'mqtt-packet';

const [port = '', over = 'tcp', countText = '0', ...credentials] = process.argv.slice(2);
/** So many at a time, or the edge's queue of connections that wait is full. */
const atOnce = 64;
const target = { host: '127.0.0.1', port: Number(port) };

async function open(at: number): Promise<Socket> {
  const key = (credentials[at % credentials.length] ?? '').replace(/^Thing /, '');
  const socket =
    over === 'tls' ? connectTls({ ...target, rejectUnauthorized: false }) : connect(target);
  socket.write(
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clientId: `idle-${at}`,
      clean: true,
      keepalive: 1_200,
      username: 'internal',
      password: Buffer.from(key),
    }),
  );
  const [connack]: Buffer[] = await once(socket, 'data');
  if (connack?.[3] !== 0) throw new Error('not connected');
  return socket;
}

const sockets: Socket[] = [];
while (sockets.length < Number(countText)) {
  const count = Math.min(atOnce, Number(countText) - sockets.length);
  const opening = Array.from({ length: count }, (_, at) => open(sockets.length + at));
  sockets.push(...(await Promise.all(opening)));
}
process.stdout.write('open\n');
await text(process.stdin);
for (const socket of sockets) socket.destroy();
