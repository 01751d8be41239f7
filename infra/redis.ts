import { Redis } from 'ioredis';
import type { Logger } from './log.ts';

export type { Redis } from 'ioredis';

/**
 * A connection to Redis that fails fast while Redis is away, and reconnects by itself. A command that
 * takes longer than `commandMsMax` is given up.
 */
export function openRedis(url: string, log: Logger, commandMsMax: number): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMsMax,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1_000),
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
  return redis;
}
