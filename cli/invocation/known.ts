import { type Command, Option } from 'commander';
import type { Argument } from '../input/arguments.ts';
import type { AnyFields } from '../input/fields.ts';

/** The properties of a command beyond its arguments. */
export type Extras = {
  /** Flags that can replace the JSON; of a list: its filters. */
  fields?: AnyFields;
  /** A flag that can replace the id of the parent. */
  parent?: { argument: string; flags: string };
  /** A sample of the JSON, for the example. */
  json?: string;
  /** Without `millrace `. If there are none, one is made from the arguments. */
  examples?: readonly string[];
  /** The flags of all commands that this one uses, by their names in the settings. */
  uses?: readonly string[];
  /** It removes something (see `askFirst`): it asks or needs `--yes`, and refuses flags that it would ignore. */
  removes?: boolean;
};

/** Our own data about a command, beside Commander's. */
export type Known = { arguments: readonly Argument[]; extras: Extras };

const known = new WeakMap<Command, Known>();

export function remember(command: Command, itself: Known): void {
  known.set(command, itself);
}

export function knownOf(command: Command): Known | undefined {
  return known.get(command);
}

/** The fields of a command as flags, under their heading; those of a body with the member's name. */
export function fieldOptions({ arguments: all, extras }: Known): Option[] {
  const isBody = all.some(({ name }) => name === 'JSON');
  return Object.entries(extras.fields ?? {}).map(([member, { flags, about }]) =>
    new Option(flags, isBody ? `${member}: ${about}` : about).helpGroup(
      isBody ? 'Instead of the JSON:' : 'Filter and order:',
    ),
  );
}

/** The groups of a command, the nearest first. */
export function ancestors(command: Command): Command[] {
  const { parent } = command;
  return parent === null ? [] : [parent, ...ancestors(parent)];
}
