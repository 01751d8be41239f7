import { lookAtRedis, type Redis } from '../../../infra/runtime/stores/redis.ts';
import { redisMemoryEveryMs } from '../../limits.ts';

/** Watches whether Redis' memory is low. While Redis is away, the last answer counts. */
export function watchMemory(redis: Redis): { isLow: () => boolean; stop: () => void } {
  let isLow = false;

  async function look(): Promise<void> {
    if (redis.status !== 'ready') return;
    const seen = await lookAtRedis(redis).catch(() => undefined);
    isLow = seen?.isMemoryLow ?? isLow;
  }

  const looking = setInterval(() => void look(), redisMemoryEveryMs);
  return { isLow: () => isLow, stop: () => clearInterval(looking) };
}
