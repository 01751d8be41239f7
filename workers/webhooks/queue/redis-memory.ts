import { lookAtRedis, type Redis } from '../../../infra/runtime/stores/redis.ts';
import { redisMemoryAgeMsMax } from '../../limits.ts';

/** Gives how to ask whether Redis' memory is low. It is looked at when somebody asks; while Redis is away the last look counts. */
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
