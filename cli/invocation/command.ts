import { type Command, Option } from 'commander';
import { type Argument, readUsage } from '../input/arguments.ts';
import type { Call, Surroundings } from './call.ts';
import type { AnyFields, Field } from '../input/fields.ts';

export type Run = (call: Call) => Promise<void>;

/** What a command takes and does beyond its arguments. */
export type Extras = {
  /** Flags that the JSON can be written as instead; of a list: which ones it shows. */
  fields?: AnyFields;
  /** A flag that stands for the id of the parent. */
  parent?: { argument: string; flags: string };
  /** What JSON looks like here, for the example. */
  json?: string;
  /** After `millrace `, as they are typed. Without, one is made of the arguments. */
  examples?: readonly string[];
  /** Which flags of all commands matter here, by their names in the settings. */
  uses?: readonly string[];
  /** It takes something away (see `takeAway`): it asks or takes `--yes`, and refuses flags that it would not obey. */
  removes?: boolean;
};

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

/** What is known of a command beyond what Commander keeps. */
export type Known = { arguments: readonly Argument[]; extras: Extras };

const known = new WeakMap<Command, Known>();

export function knownOf(command: Command): Known | undefined {
  return known.get(command);
}

export function adderFor(surroundings: Surroundings): Add {
  return (group, usage, about, run, extras = {}) => {
    const [name = '', ...rest] = usage.split(' ');
    const takes = rest.join(' ');
    const hasFlags = extras.fields !== undefined || extras.parent !== undefined;
    // What flags can stand for may be missing; who runs it tells what is.
    const registered = hasFlags ? takes.replaceAll('<', '[').replaceAll('>', ']') : takes;
    const command = group.command(`${name} ${registered}`.trim()).description(about);
    if (hasFlags && takes.includes('<JSON>')) command.usage(usageOf(command, takes, extras));
    return runWith(surroundings, command, run, extras, takes);
  };
}

/** Makes a command do something. */
export function runWith(
  surroundings: Surroundings,
  command: Command,
  run: Run,
  extras: Extras = {},
  usage = '',
): Command {
  const itself = { arguments: readUsage(usage), extras };
  known.set(command, itself);
  addFlags(command, itself);
  return command.action(async (...given: unknown[]) => {
    // What talks to a server is loaded where something is to be said to it: help must be quick.
    const { Call } = await import('./call.ts');
    const call = new Call(command, given, surroundings);
    try {
      await call.readBody();
      await run(call);
    } finally {
      await call.close();
    }
  });
}

/** The fields of a command as flags, under their heading; those of a body are told with the member's name. */
export function fieldOptions({
  arguments: all,
  extras,
}: Known): { option: Option; field: Field }[] {
  const isBody = all.some(({ name }) => name === 'JSON');
  return Object.entries(extras.fields ?? {}).map(([member, field]) => ({
    field,
    option: new Option(field.flags, isBody ? `${member}: ${field.about}` : field.about).helpGroup(
      isBody ? 'Instead of the JSON, its members:' : 'Which ones, and in which order:',
    ),
  }));
}

function addFlags(command: Command, itself: Known): void {
  const { parent, removes = false } = itself.extras;
  for (const { option, field } of fieldOptions(itself)) {
    if (!field.isGlobal) command.addOption(option);
  }
  if (parent !== undefined) {
    command.optionsGroup(`Instead of ${parent.argument}:`);
    command.addOption(new Option(parent.flags, 'its id'));
  }
  command.optionsGroup('Options:');
  if (removes) command.addOption(new Option('--yes', 'do not ask'));
}

/** Both ways to write it. */
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

export function ancestors(command: Command): Command[] {
  const { parent } = command;
  return parent === null ? [] : [parent, ...ancestors(parent)];
}
