import type { CommandLimits } from '../../infra/runtime/commands/settings.ts';
import type { Calls } from '../../infra/runtime/observability/calls.ts';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { postgresConnections } from '../../infra/runtime/stores/postgres-connections.ts';
import { openPostgres } from '../../infra/runtime/stores/postgres.ts';
import { openRedis } from '../../infra/runtime/stores/redis.ts';
import { commandsChannel, readCommandNotice } from '../../schemas/internal/command-notices.ts';
import { limits } from '../limits.ts';
import { openNotices } from '../notices.ts';
import { Commands } from './commands.ts';
import { CommandMaker } from './maker.ts';

export type CommandParts = { commands: Commands; maker: CommandMaker };

/** Opens commands, with connections of their own: nothing about them may hold up messages. */
export function openCommands(
  config: { databaseUrl: string; redisUrl: string; commandLimits: CommandLimits },
  calls: Calls,
  logger: Logger,
  lifecycle: Lifecycle,
): CommandParts {
  const { databaseUrl, redisUrl, commandLimits } = config;
  const { commandQueryMsMax, cacheTimeoutMs } = limits;
  const connections = postgresConnections.ingest.commands;
  const pool = openPostgres(databaseUrl, connections, commandQueryMsMax, logger, calls);
  lifecycle.closing('postgres for commands', () => pool.end());
  const redis = openRedis(redisUrl, logger, cacheTimeoutMs, calls);
  lifecycle.closing('redis for commands', () => redis.disconnect());
  const asked = {
    redisUrl,
    channel: commandsChannel,
    name: 'notices of commands',
    withoutThem: 'no notices of commands; they are looked for once a second',
  };
  const notices = openNotices(asked, logger, lifecycle);
  const commands = new Commands(pool, logger);
  lifecycle.closing('commands', () => commands.stop());
  notices.onNotice((notice) => commands.notice(readCommandNotice(notice)));
  return { commands, maker: new CommandMaker({ pool, redis, commandLimits, logger }) };
}
