import { type Command, Option } from 'commander';
import { readUsage } from '../input/arguments.ts';
import { isGlobal } from '../input/flags.ts';
import type { Call } from './call.ts';
import type { CliContext } from './context.ts';
import { ancestors, type Extras, fieldOptions, type Known, remember } from './known.ts';

export type Run = (call: Call) => Promise<void>;

/** Adds the commands of a group to it; `act` makes a group a command by itself. */
export type AddCommands = (
  group: Command,
  add: Add,
  act: (group: Command, run: Run, extras?: Extras) => void,
) => void;

/**
 * Adds a command, written `name <needed> [may be left out]`, to a group. `[token]` stands last: the
 * user's token, which a login can stand in for.
 */
export type Add = (
  group: Command,
  usage: string,
  about: string,
  run: Run,
  extras?: Extras,
) => Command;

export function adderFor(context: CliContext): Add {
  return (group, usage, about, run, extras = {}) => {
    const [name = '', ...rest] = usage.split(' ');
    const takes = rest.join(' ');
    const hasFlags = extras.fields !== undefined || extras.parent !== undefined;
    // An argument that a flag can stand for may be missing. `Call` tells which one is.
    const registered = hasFlags ? takes.replaceAll('<', '[').replaceAll('>', ']') : takes;
    const command = group.command(`${name} ${registered}`.trim()).description(about);
    if (hasFlags && takes.includes('<JSON>')) command.usage(usageOf(command, takes, extras));
    return runWith(context, command, run, extras, takes);
  };
}

/** Gives a command its action. */
export function runWith(
  context: CliContext,
  command: Command,
  run: Run,
  extras: Extras = {},
  usage = '',
): Command {
  const itself = { arguments: readUsage(usage), extras };
  remember(command, itself);
  addFlags(command, itself);
  return command.action(async (...given: unknown[]) => {
    // The HTTP client is loaded only when it is needed: help must be quick.
    const { Call } = await import('./call.ts');
    const call = new Call(command, given, context);
    try {
      await call.readBody();
      await run(call);
    } finally {
      await call.close();
    }
  });
}

function addFlags(command: Command, itself: Known): void {
  const { parent, removes = false } = itself.extras;
  for (const option of fieldOptions(itself)) {
    if (!isGlobal(option.flags)) command.addOption(option);
  }
  if (parent !== undefined) {
    command.optionsGroup(`Instead of ${parent.argument}:`);
    command.addOption(new Option(parent.flags, 'its id'));
  }
  command.optionsGroup('Options:');
  if (removes) command.addOption(new Option('--yes', 'do not ask'));
}

/** Both forms of a command: with JSON and with flags. */
function usageOf(command: Command, takes: string, { fields = {}, parent }: Extras): string {
  const path = [command, ...ancestors(command)].map((one) => one.name()).toReversed();
  const flags = Object.values(fields).length > 0 ? ' [flags]' : '';
  const rest = takes
    .replace(/<JSON>\s*|\[JSON\]\s*/, '')
    .replace(
      parent === undefined ? /$^/ : new RegExp(`[<[]${parent.argument}[>\\]]`),
      () => parent?.flags ?? '',
    );
  return `${takes}\n       ${path.join(' ')} ${rest}${flags}`;
}
