import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { boundConnections } from './bounded-server.ts';
import { Connections } from './connections.ts';

let close = () => {};

afterEach(() => close());

/** A server with room for four connections, three of them of one network, unless it is a proxy's. */
async function serve({
  isProxy = false,
  answer = (_request: IncomingMessage, response: ServerResponse) => void response.end('yes'),
} = {}) {
  const limits = { max: 4, perNetworkMax: 3 };
  const connections = new Connections(limits, () => isProxy, pino({ level: 'silent' }));
  const server = createServer(answer);
  boundConnections(server, connections, 5);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const agent = new Agent({ keepAlive: true });
  const sockets: Socket[] = [];
  close = () => {
    for (const socket of sockets) socket.destroy();
    agent.destroy();
    server.close();
  };
  return {
    connections,
    silent: async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    },
    ask: async (): Promise<IncomingMessage> => {
      const [response]: IncomingMessage[] = await once(
        get({ port, host: '127.0.0.1', agent }),
        'response',
      );
      if (response === undefined) throw new Error('no response');
      return response;
    },
  };
}

describe("one of Node's servers", () => {
  it('closes the connection that is silent for longest where there is no room for another', async () => {
    const { connections, silent, ask } = await serve({ isProxy: true });
    const sockets = [];
    for (let count = 0; count < 4; count++) sockets.push(await silent());
    const [first, ...others] = sockets;
    const answer = await ask();
    expect([answer.statusCode, await text(answer)]).toEqual([200, 'yes']);
    await eventually(() => expect(first?.closed).toBe(true));
    expect(others.map(({ closed }) => closed)).toEqual([false, false, false]);
    expect(connections.refused).toEqual({ too_many: 0, unavailable: 0 });
    expect(connections.held).toBe(4);
  });

  it('answers 503 where each connection has a request, and serves again when one ends', async () => {
    const waiting: ServerResponse[] = [];
    const answer = (_: IncomingMessage, response: ServerResponse) => void waiting.push(response);
    const { silent, ask } = await serve({ isProxy: true, answer });
    const answers = Array.from({ length: 4 }, () => ask());
    await eventually(() => expect(waiting).toHaveLength(4));
    const refused = await text(await silent());
    expect(refused).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n[^]*Retry-After: 5\r\n/);
    expect(refused).toContain('"code":"unavailable"');
    waiting[0]?.end('late');
    expect(await text(await Promise.race(answers))).toBe('late');
    const another = ask();
    await eventually(() => expect(waiting).toHaveLength(5));
    for (const response of waiting) response.end();
    await Promise.all([...answers, another]);
  });

  it('answers 429 to a network with too many, and to nobody else', async () => {
    const { connections, silent } = await serve();
    const sockets = [await silent(), await silent(), await silent()];
    const refused = await silent();
    expect(await text(refused)).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n[^]*of this network/);
    sockets[0]?.destroy();
    await eventually(() => expect(connections.held).toBe(2));
    const again = await silent();
    await eventually(() => expect(connections.held).toBe(3));
    expect(again.closed).toBe(false);
    expect(connections.refused.too_many).toBe(1);
  });

  it('counts requests that come together as one connection', async () => {
    const { connections, silent } = await serve({ isProxy: true });
    const socket = await silent();
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    let answers = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (answers += piece));
    socket.write(request.repeat(3));
    await eventually(() => expect(answers.split('HTTP/1.1 200')).toHaveLength(4));
    expect(connections.held).toBe(1);
    for (let count = 0; count < 4; count++) await silent();
    // It rests, and is the oldest.
    await eventually(() => expect(socket.closed).toBe(true));
    expect(connections.held).toBe(4);
  });
});
