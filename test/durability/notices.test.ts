import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openRedis, type Redis } from '../../infra/runtime/stores/redis.ts';
import { type Notices, openNotices } from '../../ingest/notices.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';

const channel = 'test:notices';
const withoutThem = 'no notices of tests';

let relay: Server;
let url: URL;
let isSlow = false;
const sockets = new Set<Socket>();
/** Answers that are kept back while Redis is slow. */
const kept: (() => void)[] = [];

/** Passes bytes on to the system's Redis; while it is slow, nothing comes back to who subscribes. */
beforeAll(async () => {
  url = new URL(system().redisUrl);
  const { port, hostname } = url;
  relay = createServer((client) => {
    const server = connect(Number(port), hostname);
    let subscribes = false;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => {
      subscribes ||= /subscribe/i.test(bytes.toString('latin1'));
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      const pass = () => void (client.writable && client.write(bytes));
      if (isSlow && subscribes) kept.push(pass);
      else pass();
    });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const address = relay.address();
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
});

afterAll(async () => {
  drop();
  relay.close();
  await once(relay, 'close');
});

function drop(): void {
  for (const socket of sockets) socket.destroy();
}

describe('notices of an edge', () => {
  let publisher: Redis;
  let notices: Notices;
  let lines: string[];
  let got: string[];
  let close: () => void;

  beforeEach(async () => {
    publisher = openRedis(system().redisUrl, createLog('test', 'silent'), 1_000);
    await once(publisher, 'ready');
    lines = [];
    got = [];
  });

  afterEach(() => {
    isSlow = false;
    close();
    publisher.disconnect();
  });

  function open(): void {
    const lifecycle = {
      closing: (_name: string, how: () => void) => void (close = how),
      stop: () => undefined,
      stopped: Promise.resolve(),
    };
    const logger = pino({}, { write: (line: string) => void lines.push(line) });
    const asked = { redisUrl: url.href, channel, name: 'notices of tests', withoutThem };
    notices = openNotices(asked, logger, lifecycle);
    notices.onNotice((notice) => got.push(notice));
  }

  /** Others tell it until it comes. */
  async function mustGet(notice: string): Promise<void> {
    await eventually(async () => {
      await publisher.publish(channel, notice);
      return got.includes(notice);
    });
  }

  const timesLost = () => lines.filter((line) => line.includes(withoutThem)).length;

  it('come, and come again after the connection was lost', async () => {
    open();
    await mustGet('first');
    expect(notices.areOn()).toBe(true);
    drop();
    await eventually(() => !notices.areOn());
    await mustGet('again');
    expect(timesLost()).toBe(0);
  });

  it('come though Redis answered their subscription too late, which ends no process', async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('unhandledRejection', note);
    try {
      isSlow = true;
      open();
      await eventually(() => timesLost() === 1);
      isSlow = false;
      for (const pass of kept.splice(0)) pass();
      await mustGet('late');
      isSlow = true;
      drop();
      await eventually(() => timesLost() === 2);
      isSlow = false;
      drop();
      await mustGet('after all');
      expect(uncaught).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
