import { lookAtRedis, type Redis } from '../../../infra/runtime/stores/redis.ts';
import { redisMemoryAgeMsMax } from '../../limits.ts';

/**
 * Returns a function that tells whether Redis' memory is low. It asks Redis only when it is called. While Redis is away,
 * the last answer counts.
 */
export function watchMemory(redis: Redis): () => Promise<boolean> {
  let seen = Promise.resolve(false);
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  async function look(wasLow: boolean): Promise<boolean> {
    if (redis.status !== 'ready') return wasLow;
    return lookAtRedis(redis).then(
      ({ isMemoryLow }) => isMemoryLow,
      () => wasLow,
    );
  }

  return () => {
    const nowMs = performance.now();
    if (nowMs - lookedAtMs > redisMemoryAgeMsMax) {
      lookedAtMs = nowMs;
      seen = seen.then(look);
    }
    return seen;
  };
}
