import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';

/** What a receiver does with a connection once something was sent to it. */
type Conduct = (socket: Socket) => void;

const dripEveryMs = 200;
/** A gigabyte of zeros, in a megabyte. */
const bombBytes = 1024 ** 3;

function dripping(head: string, drop: string): Conduct {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(drop), dripEveryMs);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Sends for as long as somebody takes it. */
function endless(head: string): Conduct {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  return (socket) => {
    socket.write(head);
    const send = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
  };
}

const whole =
  (text: string): Conduct =>
  (socket) =>
    void socket.end(text);

/** Receivers that answer as none should, by the name of what they do. */
export const conducts: Record<string, Conduct> = {
  'resets the connection': (socket) => void socket.resetAndDestroy(),
  'closes without an answer': (socket) => void socket.end(),
  'closes within the head': whole('HTTP/1.1 200 OK\r\nContent-Le'),
  'closes within the body': whole('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'),
  'answers no HTTP': whole('SSH-2.0-OpenSSH_9.9\r\n\r\n'),
  'answers a head without end': endless('HTTP/1.1 200 OK\r\nX-Long: '),
  'switches protocols': whole(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  ),
  hangs: () => undefined,
  'drips its head': dripping('HTTP/1.1 200 OK\r\n', 'X-Drip: 1\r\n'),
  'drips its body': dripping('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
  'sends a body without end': endless('HTTP/1.1 200 OK\r\n\r\n'),
  'sends a refusal without end': endless('HTTP/1.1 500 No\r\n\r\n'),
  'sends a gzip bomb': (socket) => {
    const bomb = gzipSync(Buffer.alloc(bombBytes / 1024), { level: 9 });
    socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n');
    for (let at = 0; at < 200 && !socket.destroyed; at++) socket.write(bomb);
    socket.end();
  },
};

export type BadReceiver = { port: number; connections(): number; close(): Promise<void> };

/** Starts one of them. */
export async function openBadReceiver(conduct: Conduct): Promise<BadReceiver> {
  return listen(createServer(), conduct);
}

/** A server with a certificate that no known authority signed. */
export async function openUntrustedReceiver(key: string, cert: string): Promise<BadReceiver> {
  const server = createTlsServer({ key, cert });
  server.on('tlsClientError', () => undefined);
  return listen(server, () => undefined);
}

async function listen(server: Server, conduct: Conduct): Promise<BadReceiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => conduct(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    port: address.port,
    connections: () => connections,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
