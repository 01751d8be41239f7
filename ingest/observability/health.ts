import type { HealthCheck } from '../../infra/runtime/observability/health.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import type { KeyJournal } from '../auth/journal/key-journal.ts';
import type { LogStats } from '../log/log.ts';
import type { Sinks } from '../sinks/sinks.ts';

/** The edge is healthy while its log takes messages; anything else that is away is a warning. */
export function checkEdge(
  log: LogStats,
  sinks: Sinks,
  journal: KeyJournal,
  redis: Redis,
): Record<string, HealthCheck> {
  return {
    log: checkLog(log),
    ...sinks.health(log.bytesMax),
    postgres: warnUnless(journal.isFresh() || journal.isResting, 'keys can not be looked up'),
    redis: warnUnless(redis.status === 'ready', 'away'),
  };
}

export function checkLog({
  accepting,
  diskIsShort,
}: Pick<LogStats, 'accepting' | 'diskIsShort'>): HealthCheck {
  const why = 'too little of the disk is free (DISK_RESERVE_BYTES)';
  if (accepting) return diskIsShort ? { status: 'warn', output: why } : { status: 'pass' };
  return {
    status: 'fail',
    output: diskIsShort ? `takes no messages: ${why}` : 'takes no messages',
  };
}

const warnUnless = (isFine: boolean, output: string): HealthCheck =>
  isFine ? { status: 'pass' } : { status: 'warn', output };
