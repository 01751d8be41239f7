import { Redis, type RedisOptions } from 'ioredis';
import { type Calls, timeMethods } from '../observability/calls.ts';
import type { Logger } from '../process/logger.ts';

export type { Redis } from 'ioredis';

/**
 * A connection on which nothing comes for so long, while an answer is waited for, is opened anew: its Redis may be gone
 * without a word, and Sentinel have another one. A command of a queue waits for jobs for up to ten seconds.
 */
const silentMsMax = 15_000;

/** A process that starts on a busy machine comes so late to what it waits for: that is no Redis that is away. */
const lateMsMax = 5_000;

const reconnecting = {
  connectTimeout: lateMsMax,
  socketTimeout: silentMsMax,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, 1_000),
};

/**
 * A connection to Redis that fails fast while Redis is away, and reconnects by itself. A command that
 * takes longer than `commandMsMax` fails. Subscribers must subscribe again whenever it is `ready`. `calls` measures
 * the commands.
 */
export function openRedis(url: string, logger: Logger, commandMsMax: number, calls?: Calls): Redis {
  const redis = connect(url, {
    ...reconnecting,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMsMax,
    // ioredis does not catch its own subscription's timeout, which would end the process.
    autoResubscribe: false,
  });
  const openedAt = performance.now();
  let wasReady = false;
  let away = false;
  redis.on('error', (error) => {
    if (!wasReady && performance.now() - openedAt < lateMsMax) return;
    if (!away) logger.warn({ error: error.message }, 'Redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) logger.info('Redis is back');
    wasReady = true;
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
  const redis = connect(url, { ...reconnecting, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  time(redis, calls);
  return redis;
}

type Options = Omit<RedisOptions, 'replyMapping'>;

function connect(url: string, options: Options): Redis {
  const bySentinel = readSentinelUrl(url);
  return bySentinel === undefined
    ? new Redis(url, options)
    : new Redis({ ...bySentinel, ...options });
}

const sentinelUrl =
  /^redis(?<tls>s?)\+sentinel:\/\/(?:(?<user>[^:@/]*):(?<password>[^@/]*)@)?(?<hosts>[^/]+)\/(?<name>[^/?]+)(?:\/(?<db>\d+))?(?:\?(?<query>.*))?$/;
const sentinelPort = 26_379;

/**
 * `redis+sentinel://user:password@host:26379,host:26379/name/db?sentinel_password=…`: sentinels, and which Redis they
 * are asked for. `rediss+sentinel://`: all connections have TLS. Undefined for the URL of a Redis.
 */
export function readSentinelUrl(url: string): Options | undefined {
  const found = sentinelUrl.exec(url)?.groups;
  if (found === undefined) return undefined;
  const given = (text = ''): string | undefined =>
    text === '' ? undefined : decodeURIComponent(text);
  const tls =
    found['tls'] === 's' ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
  return {
    sentinels: (found['hosts'] ?? '').split(',').map((text) => {
      const { hostname, port } = new URL(`http://${text}`);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || sentinelPort) };
    }),
    name: decodeURIComponent(found['name'] ?? ''),
    username: given(found['user']),
    password: given(found['password']),
    db: Number(found['db'] ?? 0),
    sentinelPassword: given(new URLSearchParams(found['query']).get('sentinel_password') ?? ''),
    sentinelRetryStrategy: reconnecting.retryStrategy,
    ...tls,
  };
}

/** A duplicate of the connection is not timed: it waits for jobs, and that wait is no latency. */
function time(redis: Redis, calls: Calls | undefined): void {
  if (calls === undefined) return;
  timeMethods(redis, ['sendCommand'], (asked) => calls.begin('redis', asked));
}

/**
 * Reads the version of a Redis, or of a Valkey, which says which Redis it is like. Fails if it does not answer at once.
 *
 * @throws Error while it is away.
 */
export async function readRedisVersion(url: string, answerMsMax: number): Promise<string> {
  const redis = connect(url, {
    lazyConnect: true,
    connectTimeout: answerMsMax,
    commandTimeout: answerMsMax,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return infoField(await redis.info('server'), 'redis_version') ?? '';
  } finally {
    redis.disconnect();
  }
}

/** One field of the answer to INFO. */
export function infoField(text: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1];
}
