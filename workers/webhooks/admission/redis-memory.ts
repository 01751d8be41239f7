import { lookAtRedis, type Redis } from '../../../infra/runtime/stores/redis.ts';
import { redisLookEveryMs } from '../limits.ts';

/** Looks at Redis' memory now and then. While Redis is away the last look holds. */
export function watchMemory(redis: Redis): { isLow: () => boolean; stop: () => void } {
  let isLow = false;

  async function look(): Promise<void> {
    if (redis.status !== 'ready') return;
    const seen = await lookAtRedis(redis).catch(() => undefined);
    isLow = seen?.isMemoryLow ?? isLow;
  }

  const looking = setInterval(() => void look(), redisLookEveryMs);
  return { isLow: () => isLow, stop: () => clearInterval(looking) };
}
