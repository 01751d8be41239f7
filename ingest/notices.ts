import type { Lifecycle } from '../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../infra/runtime/process/logger.ts';
import { openRedis } from '../infra/runtime/stores/redis.ts';
import { limits } from './limits.ts';

/** Notices that come over a channel of Redis. Each only says where to look: one that is lost costs an interval. */
export type Notices = {
  /** Whether they come now, as far as is known. */
  areOn: () => boolean;
  /** Calls `take` with each one that comes from now on. */
  onNotice: (take: (notice: string) => void) => void;
};

type NoticesOptions = {
  redisUrl: string;
  channel: string;
  /** How the stop of the process calls them. */
  name: string;
  /** Says in the log that they don't come, and if one looks without them, how often. */
  withoutThem: string;
};

/** Subscribes to a channel, on a connection of its own: one that subscribes can do nothing else. */
export function openNotices(
  { redisUrl, channel, name, withoutThem }: NoticesOptions,
  logger: Logger,
  lifecycle: Lifecycle,
): Notices {
  const redis = openRedis(redisUrl, logger, limits.subscribeTimeoutMs);
  lifecycle.closing(name, () => redis.disconnect());
  // With each connection anew. One that is answered too late is told as lost, and holds all the same.
  redis.on('ready', () => {
    redis.subscribe(channel).catch((error: unknown) => logger.warn({ error }, withoutThem));
  });
  return {
    areOn: () => redis.status === 'ready',
    onNotice: (take) => redis.on('message', (_channel, notice) => take(notice)),
  };
}
