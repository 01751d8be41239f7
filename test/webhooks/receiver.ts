import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a receiver was sent. */
export type Received = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  atMs: number;
};

/** How it answers; `nth` counts what came to this path, from 1. */
type Manner = (response: ServerResponse, nth: number, received: Received) => void;

/** A server on this machine that webhooks may lead to. */
export type Receiver = {
  port: number;
  url(path?: string): string;
  /** What came to a path. */
  at(path: string): Received[];
  /** How a path answers from now on. Without: 200. */
  treat(path: string, manner: Manner): void;
  /** Sockets that were ever opened. */
  connections(): number;
  close(): Promise<void>;
};

/** Keeps what it is sent. */
export async function openReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const byPath = new Map<string, Received[]>();
  const manners = new Map<string, Manner>();
  const sockets = new Set<Socket>();
  let connections = 0;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const body = await buffer(request);
    const received = { path, headers: request.headers, body, atMs: Date.now() };
    const before = byPath.get(path) ?? [];
    byPath.set(path, before);
    before.push(received);
    const manner = manners.get(path);
    if (manner === undefined) response.end('taken');
    else manner(response, before.length, received);
  }

  const server = createServer((request, response) => {
    // Who breaks off has sent nothing.
    receive(request, response).catch(() => undefined);
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const { port } = address;
  return {
    port,
    url: (path = '/') => `http://${host}:${port}${path}`,
    at: (path) => byPath.get(path) ?? [],
    treat: (path, manner) => void manners.set(path, manner),
    connections: () => connections,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Answers this status and nothing else. */
export const answers =
  (status: number, headers: Record<string, string> = {}): Manner =>
  (response) =>
    void response.writeHead(status, headers).end();
