import { lookAtRedis, type Redis, type RedisLook } from '../../../infra/runtime/stores/redis.ts';
import { limits } from '../../limits.ts';

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
