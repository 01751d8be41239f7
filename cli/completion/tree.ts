import type { Command, Option } from 'commander';

/** What shells complete from: read from the commands themselves. */
export type Tree = {
  /** Words of a path (`things get`) and what may follow; the root's path is empty. */
  places: { path: string; commands: { name: string; about: string }[]; takesFile: boolean }[];
  flags: { names: string[]; about: string; takesValue: boolean; values: readonly string[] }[];
};

/** The values of flags that the parser does not know to have few. */
const valuesOf: Readonly<Record<string, readonly string[]>> = {
  '--output': ['json', 'table', 'ndjson', 'csv'],
  '--format': ['senml', 'json'],
  '--content-type': ['application/senml+json', 'application/senml+cbor', 'application/json'],
  '--keytype': ['rsa', 'ecdsa'],
};

export function readTree(program: Command): Tree {
  const tree: Tree = { places: [], flags: [] };
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
  tree.places.push({
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
    values: option.argChoices ?? valuesOf[long ?? ''] ?? [],
  };
}

/** The first clause of a description, for a menu. */
function oneLine(text: string): string {
  return text
    .replace(/[:(].*$/s, '')
    .replace(/\s+/g, ' ')
    .trim();
}
