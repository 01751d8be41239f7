import type { Command } from 'commander';
import { UsageError } from '../input/usage.ts';
import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { powershell } from './powershell.ts';
import { type Tree, readTree } from './tree.ts';
import { zsh } from './zsh.ts';

const shells: Readonly<Record<string, (tree: Tree) => string>> = {
  bash,
  zsh,
  fish,
  powershell,
  pwsh: powershell,
};

/** The completion script of a shell, with all commands and flags. */
export function completionFor(shell: string, program: Command): string {
  const write = shells[shell];
  if (write === undefined) {
    throw new UsageError(`${shell} is not known here: bash, zsh, fish and powershell are`);
  }
  return write(readTree(program));
}
