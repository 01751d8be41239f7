import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Results, runChild } from './child.ts';
import { median } from '../../test/support/statistics.ts';
import { rounds } from './load/durations.ts';

const root = join(import.meta.dirname, '../..');

/** Runs scenarios of `revision` and of the tree as it stands in turns, each by its own bench, and prints the ratios. */
export async function compare(revision: string, scenarios: string[]): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-compare-'));
  const other = join(scratch, 'revision');
  git('worktree', 'add', '--detach', other, revision);
  try {
    givePackages(other);
    const before: Results[] = [];
    const now: Results[] = [];
    for (let round = 0; round < rounds(3); round++) {
      for (const [directory, into] of [
        [other, before],
        [root, now],
      ] as const) {
        into.push(await runChild(directory, scenarios, {}, join(scratch, 'results')));
      }
    }
    process.stdout.write(`\nhere to ${revision}, medians of ${now.length}\n`);
    for (const line of ratios(before, now)) process.stdout.write(`${line}\n`);
  } finally {
    git('worktree', 'remove', '--force', other);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A revision with the same packages shares those of this tree; another one installs its own. */
function givePackages(other: string): void {
  const lockOf = (directory: string) => readFileSync(join(directory, 'package-lock.json'), 'utf8');
  if (lockOf(other) === lockOf(root)) {
    symlinkSync(realpathSync(join(root, 'node_modules')), join(other, 'node_modules'));
  } else {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: other, stdio: 'ignore' });
  }
}

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Of each figure that both have. */
function ratios(before: Results[], now: Results[]): string[] {
  const lines: string[] = [];
  for (const [scenario, figures] of Object.entries(now[0] ?? {})) {
    for (const { name, unit } of figures) {
      const was = medianOf(before, scenario, name);
      const is = medianOf(now, scenario, name);
      if (was === undefined || is === undefined) continue;
      const ratio = (is / was).toFixed(3);
      const shown = `${was.toPrecision(4)} → ${is.toPrecision(4)} ${unit}`;
      lines.push(`  ${`${scenario}: ${name}`.padEnd(60)} ${ratio.padStart(8)}  ${shown}`);
    }
  }
  return lines;
}

function medianOf(runs: Results[], scenario: string, name: string): number | undefined {
  const values = runs.flatMap((results) => {
    const value = results[scenario]?.find((figure) => figure.name === name)?.value;
    return typeof value === 'number' ? [value] : [];
  });
  return values.length === 0 ? undefined : median(values);
}
