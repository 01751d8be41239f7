import { UsageError } from './usage.ts';

/** An argument as a command's usage names it. */
export type Argument = { name: string; isNeeded: boolean };

/** `create <JSON> <org_id> [token]` as its arguments. */
export function readUsage(usage: string): Argument[] {
  return [...usage.matchAll(/([<[])([^>\]]+)[>\]]/g)].map(([, bracket, name = '']) => ({
    name: name.replace('...', ''),
    isNeeded: bracket === '<',
  }));
}

/**
 * What was typed, by the names of the arguments, without those that flags stand for; `flags` are those that
 * could. @throws UsageError for too few and too many.
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

/** Whether it begins as JSON does, or stands for standard input. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) || text === '-';
}
