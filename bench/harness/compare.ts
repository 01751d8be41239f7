import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Results, runChild } from './child.ts';
import { median } from '../../test/support/statistics.ts';
import { rounds } from './load/durations.ts';

const root = join(import.meta.dirname, '../..');

/** One run of each of both; the one that runs first has an advantage of some percent. */
type Round = { before: Results; now: Results; first: 'before' | 'now' };

/**
 * Runs scenarios of `revision` and of the tree as it stands in turns, each by its own bench, and prints the ratios.
 * They swap places in every second round, so that neither has the advantage of the first.
 */
export async function compare(revision: string, scenarios: string[]): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-compare-'));
  const other = join(scratch, 'revision');
  git('worktree', 'add', '--detach', other, revision);
  try {
    givePackages(other);
    const runIn = (directory: string) =>
      runChild(directory, scenarios, {}, join(scratch, 'results'));
    const done: Round[] = [];
    for (let round = 0; round < rounds(4); round++) {
      if (round % 2 === 0) {
        const before = await runIn(other);
        done.push({ before, now: await runIn(root), first: 'before' });
      } else {
        const now = await runIn(root);
        done.push({ before: await runIn(other), now, first: 'now' });
      }
    }
    process.stdout.write(`\nhere to ${revision}, of ${done.length} rounds\n`);
    if (done.length === 1) {
      process.stdout.write('one round says little: the first place has an advantage\n');
    }
    for (const line of ratios(done)) process.stdout.write(`${line}\n`);
  } finally {
    git('worktree', 'remove', '--force', other);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A revision with the same packages shares those of this tree, and makes what an install makes; another one installs its own. */
function givePackages(other: string): void {
  const lockOf = (directory: string) => readFileSync(join(directory, 'package-lock.json'), 'utf8');
  if (lockOf(other) === lockOf(root)) {
    symlinkSync(realpathSync(join(root, 'node_modules')), join(other, 'node_modules'));
    execFileSync('npm', ['run', '--if-present', 'prepare'], { cwd: other, stdio: 'ignore' });
    execFileSync('npm', ['run', 'openapi'], { cwd: other, stdio: 'ignore' });
  } else {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: other, stdio: 'ignore' });
  }
}

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Of each figure that both have. */
function ratios(done: readonly Round[]): string[] {
  const lines: string[] = [];
  for (const [scenario, figures] of Object.entries(done[0]?.now ?? {})) {
    for (const { name, unit } of figures) {
      const pairs = done.flatMap(({ before, now, first }) => {
        const was = valueOf(before, scenario, name);
        const is = valueOf(now, scenario, name);
        return was === undefined || is === undefined ? [] : [{ was, is, first }];
      });
      if (pairs.length === 0) continue;
      const was = median(pairs.map((pair) => pair.was)).toPrecision(4);
      const is = median(pairs.map((pair) => pair.is)).toPrecision(4);
      const ratio = balancedRatio(pairs).toFixed(3);
      lines.push(
        `  ${`${scenario}: ${name}`.padEnd(60)} ${ratio.padStart(8)}  ${was} → ${is} ${unit}`,
      );
    }
  }
  return lines;
}

/**
 * The median of the ratios for each order, and the geometric mean of both: whatever the first place is worth
 * stands once in the one and once in the other, the other way round.
 */
export function balancedRatio(
  pairs: readonly { was: number; is: number; first: 'before' | 'now' }[],
): number {
  const medians = (['before', 'now'] as const).flatMap((place) => {
    const ofOrder = pairs.filter(({ first }) => first === place).map(({ was, is }) => is / was);
    return ofOrder.length === 0 ? [] : [median(ofOrder)];
  });
  return medians.reduce((product, ratio) => product * ratio, 1) ** (1 / medians.length);
}

function valueOf(results: Results, scenario: string, name: string): number | undefined {
  const value = results[scenario]?.find((figure) => figure.name === name)?.value;
  return typeof value === 'number' ? value : undefined;
}
