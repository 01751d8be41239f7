import { UsageError } from './usage.ts';

/** An argument in the usage of a command. */
export type Argument = { name: string; isNeeded: boolean };

/** `create <JSON> <org_id> [token]` as its arguments. */
export function readUsage(usage: string): Argument[] {
  return [...usage.matchAll(/([<[])([^>\]]+)[>\]]/g)].map(([, bracket, name = '']) => ({
    name: name.replace('...', ''),
    isNeeded: bracket === '<',
  }));
}

/**
 * The typed arguments by name, without those that flags replace; `flags` are the flags that could replace an argument.
 * @throws UsageError for too few and too many.
 */
export function assign(
  all: readonly Argument[],
  typed: readonly string[],
  byFlags: ReadonlySet<string>,
  flags: Readonly<Record<string, string>> = {},
): Map<string, string> {
  const open = all.filter(({ name }) => !byFlags.has(name));
  const missing = open.filter(({ isNeeded }) => isNeeded)[typed.length];
  if (missing !== undefined) {
    const flag = flags[missing.name];
    const or = flag === undefined ? '' : ` (or ${flag})`;
    throw new UsageError(`missing argument ${missing.name}${or}; add --help to see how it is used`);
  }
  if (typed.length > open.length) {
    throw new UsageError('too many arguments; add --help to see how it is used');
  }
  return new Map(typed.map((text, index) => [open[index]?.name ?? '', text]));
}

/** Whether it begins like JSON, or means standard input. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) || text === '-';
}
