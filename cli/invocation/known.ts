import { type Command, Option } from 'commander';
import type { Argument } from '../input/arguments.ts';
import type { AnyFields } from '../input/fields.ts';

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

/** What is known of a command beyond what Commander keeps. */
export type Known = { arguments: readonly Argument[]; extras: Extras };

const known = new WeakMap<Command, Known>();

export function remember(command: Command, itself: Known): void {
  known.set(command, itself);
}

export function knownOf(command: Command): Known | undefined {
  return known.get(command);
}

/** The fields of a command as flags, under their heading; those of a body are told with the member's name. */
export function fieldOptions({ arguments: all, extras }: Known): Option[] {
  const isBody = all.some(({ name }) => name === 'JSON');
  return Object.entries(extras.fields ?? {}).map(([member, { flags, about }]) =>
    new Option(flags, isBody ? `${member}: ${about}` : about).helpGroup(
      isBody ? 'Instead of the JSON:' : 'Filter and order:',
    ),
  );
}

/** The groups that a command stands in, the nearest first. */
export function ancestors(command: Command): Command[] {
  const { parent } = command;
  return parent === null ? [] : [parent, ...ancestors(parent)];
}
