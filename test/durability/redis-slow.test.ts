import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openRedis } from '../../infra/runtime/stores/redis.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';

const commandMsMax = 100;

let relay: Server;
let isSlow = false;
const sockets = new Set<Socket>();

/** Passes bytes on to the system's Redis; once it is slow, answers to subscriptions come too late. */
beforeAll(async () => {
  const redis = new URL(system().redisUrl);
  relay = createServer((client) => {
    const server = connect(Number(redis.port), redis.hostname);
    let holdMs = 0;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      if (isSlow && /subscribe/i.test(bytes.toString('latin1'))) holdMs = 5 * commandMsMax;
      server.write(bytes);
    });
    server.on('data', (bytes) => setTimeout(() => client.writable && client.write(bytes), holdMs));
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  relay.close();
  await once(relay, 'close');
});

it('a Redis that is back but slow ends no process that subscribes to it', async () => {
  const url = new URL(system().redisUrl);
  const address = relay.address();
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('unhandledRejection', note);
  const redis = openRedis(url.href, createLog('test', 'silent'), commandMsMax);
  let subscriptions = 0;
  let late = 0;
  redis.on('ready', () => {
    redis.subscribe('a channel').then(
      () => (subscriptions += 1),
      () => (late += 1),
    );
  });
  try {
    await eventually(() => subscriptions === 1);
    isSlow = true;
    for (const socket of sockets) socket.destroy();
    await eventually(() => late > 0);
    isSlow = false;
    for (const socket of sockets) socket.destroy();
    await eventually(() => subscriptions === 2);
    expect(uncaught).toEqual([]);
  } finally {
    redis.disconnect();
    process.off('unhandledRejection', note);
  }
});
