import { makeCommand } from '../../infra/runtime/commands/make.ts';
import { announceCommands } from '../../infra/runtime/commands/notice.ts';
import type { CommandLimits } from '../../infra/runtime/commands/settings.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { type Pool, rowsOf, transaction } from '../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { type Refusal, tooMany, unavailable } from '../intake/refusal.ts';
import { limits } from '../limits.ts';
import { readCommand } from './read.ts';
import { acknowledgeCommands } from './sql.ts';

/** A command that a thing sends. */
type SentCommand = {
  to: { kind: 'thing' | 'group'; id: string };
  /** The thing. */
  sender: string;
  subtopic: string;
  body: Uint8Array;
  address: string;
  requestId: string;
};

type Sent =
  | { readonly kind: 'made'; id: string; expiresAt: Date; commands: number; leftOut: number }
  | Refusal;

const away = unavailable('commands can not be written down');
const busy = unavailable('too many commands under way');

const refusedAs = (code: Refusal['code'], detail: string): Refusal => ({
  kind: 'refused',
  code,
  detail,
});

/** Things that command others, and that acknowledge by a request. */
export class CommandMaker {
  /** Commands that were made here. */
  queued = 0;
  /** Commands that things acknowledged by requests. */
  acknowledged = 0;

  readonly #options: {
    pool: Pool;
    redis: Redis;
    commandLimits: CommandLimits;
    logger: Logger;
  };
  #underWay = 0;

  constructor(options: {
    pool: Pool;
    redis: Redis;
    commandLimits: CommandLimits;
    logger: Logger;
  }) {
    this.#options = options;
  }

  async send(sent: SentCommand): Promise<Sent> {
    const given = readCommand(sent.body, sent.subtopic);
    if (given.kind === 'refused') return given;
    return this.#inTurn(async () => {
      const { pool, redis, commandLimits } = this.#options;
      const { to, sender } = sent;
      const made = await transaction(pool, async (client) => {
        await client.query("SELECT set_config('millrace.author', $1, true)", [authorOf(sent)]);
        return makeCommand(
          rowsOf(client),
          to,
          { kind: 'thing', id: sender },
          given.command,
          commandLimits,
        );
      });
      if (made.kind === 'absent') return refusedAs('not_found', to.kind);
      if (made.kind === 'forbidden') return refusedAs('forbidden', made.why);
      if (made.kind === 'large') {
        return refusedAs('conflict', `the group has more than ${made.perGroupMax} things`);
      }
      if (made.kind === 'full') {
        const detail = `${made.perThingMax} commands wait for the thing`;
        return tooMany(detail, limits.commandRetrySeconds);
      }
      const { id, expiresAt, things, leftOut } = made;
      this.queued += things.length;
      announceCommands(redis, things);
      return { kind: 'made', id, expiresAt, commands: things.length, leftOut };
    });
  }

  /** Undefined: it is written down that the thing has it. */
  acknowledge(thingId: string, id: string): Promise<Refusal | undefined> {
    return this.#inTurn(async () => {
      const { known, fresh } = await acknowledgeCommands(this.#options.pool, [{ id, thingId }]);
      this.acknowledged += fresh;
      return known.size === 0 ? refusedAs('not_found', 'command') : undefined;
    });
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
    if (this.#underWay >= limits.commandRequestsMax) return busy;
    this.#underWay += 1;
    try {
      return await work();
    } catch (error) {
      this.#options.logger.debug({ error }, 'a command could not be written down');
      return away;
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** For the audit log. */
function authorOf({ to, sender, address, requestId }: SentCommand): string {
  return JSON.stringify({
    kind: 'command',
    operation: to.kind === 'thing' ? 'commandThing' : 'commandGroup',
    actor_type: 'thing',
    actor_id: sender,
    address,
    request_id: requestId,
  });
}
