import type { Command, Option } from 'commander';
import { offered } from '../input/flags.ts';

/** The data of completion scripts, from the commands themselves. */
export type Tree = {
  /** Words of a path (`things get`) and what may follow; the root's path is empty. */
  groups: { path: string; commands: { name: string; about: string }[]; takesFile: boolean }[];
  flags: { names: string[]; about: string; takesValue: boolean; values: readonly string[] }[];
};

/** Values of a flag of one command: its parser takes more than these. */
const ofOneCommand: Readonly<Record<string, readonly string[]>> = { '--keytype': ['rsa', 'ecdsa'] };

export function readTree(program: Command): Tree {
  const tree: Tree = { groups: [], flags: [] };
  visit(program, [], tree);
  return tree;
}

function visit(command: Command, path: string[], tree: Tree): void {
  const commands = command.commands.map((one) => ({
    name: one.name(),
    about: oneLine(one.description()),
  }));
  const takesFile = command.registeredArguments.some((argument) => argument.name() === 'file');
  const shells = path.join(' ') === 'completion';
  tree.groups.push({
    path: path.join(' '),
    commands: shells
      ? ['bash', 'zsh', 'fish', 'powershell'].map((name) => ({ name, about: `for ${name}` }))
      : commands,
    takesFile,
  });
  for (const option of command.options) if (!option.hidden) tree.flags.push(flagOf(option));
  for (const one of command.commands) visit(one, [...path, one.name()], tree);
}

function flagOf(option: Option): Tree['flags'][number] {
  const { short, long, description, required } = option;
  return {
    names: [short, long].filter((name) => name !== undefined && name !== null),
    about: oneLine(description),
    takesValue: required,
    values: option.argChoices ?? offered[option.attributeName()] ?? ofOneCommand[long ?? ''] ?? [],
  };
}

/** The first clause of a description, for a menu. */
function oneLine(text: string): string {
  return text
    .replace(/[:(].*$/s, '')
    .replace(/\s+/g, ' ')
    .trim();
}
