import { readdirSync, readFileSync } from 'node:fs';
import { residentBytes } from '../../test/support/usage.ts';

const ticksPerSecond = 100;

/** CPU seconds of a process and all below it, those that have ended included. */
export function treeCpuSeconds(root: number): number {
  const ticks = tree(root).map(({ fields }) => {
    // utime, stime, and both of the children that were waited for (proc(5)).
    return sum(fields.slice(11, 15).map(Number));
  });
  return sum(ticks) / ticksPerSecond;
}

export function treeResidentBytes(root: number): number {
  return sum(tree(root).map(({ pid }) => unlessGone(() => residentBytes(pid)) ?? 0));
}

type Process = { pid: number; parent: number; fields: string[] };

function tree(root: number): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => unlessGone(() => read(Number(name))) ?? []);
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

function read(pid: number): Process {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may hold anything: the state is the 3rd field of proc(5), the parent the 4th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, parent: Number(fields[1]), fields };
}

function unlessGone<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
