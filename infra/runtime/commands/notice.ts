import { commandsChannel, writeCommandNotice } from '../../../schemas/internal/command-notices.ts';
import type { Redis } from '../stores/redis.ts';

/** Tells the edges for which things there are commands. One that is not reached looks at its interval. */
export function announceCommands(redis: Redis, things: readonly string[]): void {
  if (things.length === 0) return;
  redis.publish(commandsChannel, writeCommandNotice(things)).catch(() => undefined);
}
