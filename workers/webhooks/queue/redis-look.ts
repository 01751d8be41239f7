import { infoField, type Redis } from '../../../infra/runtime/stores/redis.ts';
import { limits } from '../../limits.ts';

/** `run`: the id Redis gave itself at its start. */
export type RedisLook = { run: string; isMemoryLow: boolean };

const nothingSeen: RedisLook = { run: '', isMemoryLow: false };

/**
 * Returns a function that tells how Redis is. It asks Redis only when it is called, and not at each call. While Redis is
 * away, the last answer counts.
 */
export function watchRedis(redis: Redis): () => Promise<RedisLook> {
  let seen = Promise.resolve(nothingSeen);
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  async function look(before: RedisLook): Promise<RedisLook> {
    if (redis.status !== 'ready') return before;
    return lookAtRedis(redis).catch(() => before);
  }

  return () => {
    const nowMs = performance.now();
    if (nowMs - lookedAtMs > limits.redisLookAgeMsMax) {
      lookedAtMs = nowMs;
      seen = seen.then(look);
    }
    return seen;
  };
}

/** The state of Redis. Throws while it is away. */
async function lookAtRedis(redis: Redis): Promise<RedisLook> {
  const text = await redis.info();
  const number = (name: string) => Number(infoField(text, name) ?? 0);
  // At its own memory limit Redis refuses every write, even those that take jobs out.
  const [limit, share] =
    number('maxmemory') > 0 ? [number('maxmemory'), 0.75] : [number('total_system_memory'), 0.5];
  return {
    run: infoField(text, 'run_id') ?? '',
    isMemoryLow: limit > 0 && number('used_memory') > limit * share,
  };
}
