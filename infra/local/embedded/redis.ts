import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { limits } from '../limits.ts';
import type { RedisServer } from './redis-server.ts';
import type { Service } from '../supervisor/supervisor.ts';

/** Where the embedded Redis will answer. */
export function embeddedRedisUrl(port: number, password: string): string {
  return `redis://:${password}@127.0.0.1:${port}`;
}

/** The embedded Redis in `DATA_DIR/redis`. It may lose its last second when it is killed. */
export function embeddedRedis(options: {
  server: RedisServer;
  dataDir: string;
  port: number;
  password: string;
  path: string;
}): Service {
  const { server, port, password } = options;
  const dir = join(options.dataDir, 'redis');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(dir)}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    // The queues are here: nothing may be evicted to make room.
    'maxmemory-policy noeviction',
    'loglevel warning',
  ];
  return {
    name: 'redis',
    command: server.command,
    args: ['-'],
    input: `${settings.join('\n')}\n`,
    env: { PATH: options.path, ...server.env },
    orphanSignal: 'SIGTERM',
    ready: () => answer(embeddedRedisUrl(port, password)),
    stopSignal: 'SIGTERM',
    stopMsMax: limits.stopMsMax.redis,
    firstTries: limits.engineTriesMax,
  };
}

async function answer(url: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 1_000,
    commandTimeout: 1_000,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
