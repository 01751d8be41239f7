import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Answers, NewCommand } from '../../schemas/client/client.ts';
import { having } from '../../schemas/client/shape.ts';
import {
  duration,
  type Fields,
  json,
  type ListFilters,
  metadata,
  sorting,
  text,
} from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { harmless } from '../terminal/output/cell.ts';
import { stringify } from '../terminal/output/stringify.ts';
import { listedOf, of, show } from './ordinary.ts';

/** Commands to things: the group `commands`, and what sends some in the groups of things and of groups. */

const newCommand: Fields<NewCommand> = {
  command: text('--command <text>', 'what is to be done'),
  params: json('--params <json>', `how: '{"percent":40}'`),
  metadata,
  subtopic: text('--subtopic <subtopic>', 'subtopic'),
  expires_in: duration('--expires-in <duration>', 'of use for so long: 3600, 10h; default a day'),
};

const filters: ListFilters<'listThingCommands'> = {
  ...sorting,
  order: { ...sorting.order, about: 'what they are sorted by: id, created_at or expires_at' },
  state: text('--state <state>', 'queued, delivered, acknowledged or expired'),
  batch_id: text('--batch <id>', 'of one command to the group'),
};

/** So often it is looked whether a command has another state. */
const watchMs = 500;

export const addCommands: AddCommands = (group, add) => {
  const extras = { fields: filters, uses: pageFlags };
  const list = add(
    group,
    'list <thing_id> [token]',
    'List the commands to a thing, or to those of a group',
    show('listThingCommands', listedOf('thing_id')),
    { ...extras, examples: ['commands list $THING --state queued'] },
  );
  add(
    list,
    'by-group <group_id> [token]',
    'List the commands to the things of a group',
    show('listGroupCommands', listedOf('group_id')),
    extras,
  );
  add(
    group,
    'get <command_id> [token]',
    'Show a command and its state',
    show('viewCommand', of('command_id')),
  );
  add(
    group,
    'withdraw <command_id> [token]',
    'Withdraw a command that is still queued',
    async (call) => {
      const request = of('command_id')(call);
      const { command } = await call.ask('viewCommand', request);
      await askFirst(call, 'remove', `the command "${command}"`, () =>
        call.ask('withdrawCommand', request),
      );
    },
    { removes: true },
  );
  add(
    group,
    'watch <command_id> [token]',
    'Show each state of a command, until the thing has acknowledged it or it expires',
    watch,
  );
};

/** `things command` */
export function addThingCommand(group: Command, add: Add): void {
  add(
    group,
    'command <JSON> <thing_id> [token]',
    'Send a command to a thing, which waits for it until it expires',
    async (call) => {
      const body = call.object('JSON', having<NewCommand>('command'));
      const made = await call.ask('commandThing', { ...of('thing_id')(call), body });
      await call.output.created([made.id], made);
    },
    {
      fields: newCommand,
      examples: [
        'things command $THING --command open --subtopic valve.north',
        `things command '{"command":"set","params":{"percent":40},"expires_in":600}' $THING`,
      ],
    },
  );
}

/** `groups command` */
export function addGroupCommand(group: Command, add: Add): void {
  add(
    group,
    'command <JSON> <group_id> [token]',
    'Send a command to all things of a group',
    async (call) => {
      const body = call.object('JSON', having<NewCommand>('command'));
      const made = await call.ask('commandGroup', { ...of('group_id')(call), body });
      await call.output.created([made.batch_id], made);
    },
    {
      fields: newCommand,
      examples: ['groups command $GROUP --command restart --expires-in 10m'],
    },
  );
}

async function watch(call: Call): Promise<void> {
  const request = of('command_id')(call);
  let told: string | undefined;
  for (;;) {
    const command = await call.ask('viewCommand', request);
    if (command.state !== told) await call.output.write(lineOf(call, command));
    told = command.state;
    if (told === 'acknowledged') return;
    if (told === 'expired') throw new Error('the command expired, and was not acknowledged');
    await sleep(watchMs);
  }
}

function lineOf(call: Call, command: Answers['viewCommand']): string {
  const { output } = call.settings;
  if (output === 'json' || output === 'ndjson') return `${stringify(command)}\n`;
  const { state, created_at: created, delivered_at: delivered, delivered_by: by } = command;
  const when = command.acknowledged_at ?? delivered ?? created;
  const way = state === 'delivered' && by !== undefined ? `by ${by}` : undefined;
  return `${[when, state, way]
    .filter((one) => one !== undefined)
    .map(harmless)
    .join('  ')}\n`;
}
