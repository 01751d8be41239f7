import { type CommandMade, makeCommand } from '../../../infra/runtime/commands/make.ts';
import { Counter, type Registry } from '../../../infra/runtime/observability/metrics.ts';
import type { CommandLimits } from '../../../infra/runtime/commands/settings.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { parseSubtopic } from '../../../schemas/messages/subtopic.ts';
import type { NewCommand } from '../../../schemas/resources/command.ts';
import { requireRole } from '../../access/authorize.ts';
import { type Caller, callerOf } from '../../access/caller.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { commands } from './operations.ts';
import { findCommand, findCommands, withdrawCommand } from './sql.ts';

type CommandDependencies = {
  db: Database;
  accessDb: Statements;
  commandLimits: CommandLimits;
  announceCommands: (things: readonly string[]) => void;
  metrics: Registry;
};

export function commandRoutes(api: Api, dependencies: CommandDependencies): void {
  const queued = new Counter({
    name: 'millrace_commands_queued_total',
    help: 'Commands that wait, or waited, for their things',
    registers: [dependencies.metrics],
  });
  const { announceCommands } = dependencies;
  addSending(api, {
    ...dependencies,
    announceCommands(things) {
      queued.inc(things.length);
      announceCommands(things);
    },
  });
  addReading(api, dependencies);
}

type Sent = { of: 'thing' | 'group'; id: string; path: string; body: NewCommand; caller: Caller };

/** Commands to a thing, and to a group. */
function addSending(api: Api, dependencies: CommandDependencies): void {
  handle(api, commands.commandThing, async (request, reply) => {
    const { params, body } = request;
    const sent = { of: 'thing', id: params.id, path: '', body, caller: callerOf(request) } as const;
    return reply.status(202).send(await send(dependencies, sent));
  });

  handle(api, commands.commandThing_subtopic, async (request, reply) => {
    const { params, body } = request;
    const path = pathAfterCommands(request.url);
    const sent = { of: 'thing', id: params.id, path, body, caller: callerOf(request) } as const;
    return reply.status(202).send(await send(dependencies, sent));
  });

  handle(api, commands.commandGroup, async (request, reply) => {
    const { params, body } = request;
    const sent = { of: 'group', id: params.id, path: '', body, caller: callerOf(request) } as const;
    return reply.status(202).send(ofGroup(await send(dependencies, sent)));
  });

  handle(api, commands.commandGroup_subtopic, async (request, reply) => {
    const { params, body } = request;
    const path = pathAfterCommands(request.url);
    const sent = { of: 'group', id: params.id, path, body, caller: callerOf(request) } as const;
    return reply.status(202).send(ofGroup(await send(dependencies, sent)));
  });
}

const ofGroup = ({ id, ...made }: Awaited<ReturnType<typeof send>>) => ({ batch_id: id, ...made });

/** The subtopic in a path, as the client wrote it. */
function pathAfterCommands(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.split('/').slice(4).join('/');
}

/** @throws DomainError `forbidden`, `not_found`, `malformed`, `conflict` or `too_many` */
async function send(
  { db, accessDb, commandLimits, announceCommands }: CommandDependencies,
  { of, id: given, path, body, caller }: Sent,
) {
  const id = given.toLowerCase();
  if (caller.kind === 'user') await requireRole(accessDb, caller, 'editor', of, id);
  const subtopic = subtopicOf(path, body);
  const made = await db.transaction((work) =>
    makeCommand(
      (text, values) => work.rows(text, values),
      { kind: of, id },
      { kind: caller.kind, id: caller.id },
      { ...body, subtopic },
      commandLimits,
    ),
  );
  if (made.kind !== 'made') throw refusalOf(made, of);
  announceCommands(made.things);
  return {
    id: made.id,
    expires_at: made.expiresAt.toISOString(),
    commands: made.things.length,
    left_out: made.leftOut,
  };
}

function refusalOf(
  made: Exclude<CommandMade, { kind: 'made' }>,
  of: 'thing' | 'group',
): DomainError {
  if (made.kind === 'absent') return new DomainError('not_found', of);
  if (made.kind === 'forbidden') return new DomainError('forbidden', made.why);
  if (made.kind === 'large') {
    return new DomainError('conflict', `the group has more than ${made.perGroupMax} things`);
  }
  const detail = `${made.perThingMax} commands wait for the thing`;
  return new DomainError('too_many', detail, limits.commandRetrySeconds);
}

/** @throws DomainError `malformed` where it is none, or stands in both places. */
function subtopicOf(path: string, { subtopic: told = '' }: NewCommand): string {
  if (path !== '' && told !== '') {
    throw new DomainError('malformed', 'subtopic: stands in the path and in the body');
  }
  const parsed = parseSubtopic(
    path === '' ? encodeURIComponent(told) : path,
    limits.subtopicCharsMax,
  );
  if (!parsed.ok) throw new DomainError('malformed', parsed.detail);
  return parsed.subtopic;
}

/** Lists, and single commands. */
function addReading(api: Api, { db }: CommandDependencies): void {
  for (const [of, operation] of [
    ['thing', commands.listThingCommands],
    ['group', commands.listGroupCommands],
  ] as const) {
    handle(api, operation, async ({ params, query }) => {
      const { total, rows } = await findCommands(db, { of, id: params.id }, query);
      return { ...envelope(query, total), commands: rows };
    });
  }

  handle(api, commands.viewCommand, async ({ params }) =>
    present(await findCommand(db, params.id), 'command'),
  );

  handle(api, commands.withdrawCommand, async ({ params }, reply) => {
    if (!(await withdrawCommand(db, params.id))) {
      const { state } = present(await findCommand(db, params.id), 'command');
      mustExist(state !== 'queued', 'command');
      throw new DomainError('conflict', `the command is ${state}: only a queued one is withdrawn`);
    }
    return reply.status(204).send();
  });
}
