import { Redis } from 'ioredis';
import { type Calls, timeMethods } from '../observability/calls.ts';
import type { Logger } from '../process/logger.ts';

export type { Redis } from 'ioredis';

const reconnecting = {
  connectTimeout: 2_000,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, 1_000),
};

/**
 * A connection to Redis that fails fast while Redis is away, and reconnects by itself. A command that
 * takes longer than `commandMsMax` fails. Subscribers must subscribe again whenever it is `ready`. `calls` measures
 * the commands.
 */
export function openRedis(url: string, log: Logger, commandMsMax: number, calls?: Calls): Redis {
  const redis = new Redis(url, {
    ...reconnecting,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMsMax,
    // ioredis does not catch its own subscription's timeout, which would end the process.
    autoResubscribe: false,
  });
  let away = false;
  redis.on('error', (error) => {
    if (!away) log.warn({ error: error.message }, 'Redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info('Redis is back');
    away = false;
  });
  time(redis, calls);
  return redis;
}

/**
 * A connection for workers of a queue: a command waits until Redis is back. The process's other connection logs that
 * Redis is away.
 */
export function openQueueRedis(url: string, calls?: Calls): Redis {
  const redis = new Redis(url, { ...reconnecting, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  time(redis, calls);
  return redis;
}

/** A duplicate of the connection is not timed: it waits for jobs, and that wait is no latency. */
function time(redis: Redis, calls: Calls | undefined): void {
  if (calls === undefined) return;
  timeMethods(redis, ['sendCommand'], (asked) => calls.begin('redis', asked));
}

/** `run`: the id Redis gave itself at its start. */
export type RedisLook = { run: string; isMemoryLow: boolean };

/** The state of Redis. Throws while it is away. */
export async function lookAtRedis(redis: Redis): Promise<RedisLook> {
  const text = await redis.info();
  const number = (name: string) => Number(fieldOf(text, name) ?? 0);
  // At its own memory limit Redis refuses every write, even those that take jobs out.
  const [limit, share] =
    number('maxmemory') > 0 ? [number('maxmemory'), 0.75] : [number('total_system_memory'), 0.5];
  return {
    run: fieldOf(text, 'run_id') ?? '',
    isMemoryLow: limit > 0 && number('used_memory') > limit * share,
  };
}

/** One field of the answer to INFO. */
function fieldOf(text: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1];
}
