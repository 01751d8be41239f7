import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { readRun } from '../../../infra/local/installation/run-file.ts';
import { eventually } from '../../support/eventually.ts';
import type { OwnSystem } from '../../support/system.ts';

export const victims = ['ingest', 'clickhouse', 'redis', 'postgres', 'workers', 'api'] as const;
type Victim = (typeof victims)[number];

/** The supervisor waits up to ten seconds before it starts one again that dies often. */
const respawnMsMax = 60_000;

/**
 * When each next kill comes after its victim has begun to run again: half of them within the first second, of its
 * start and its recovery, the others when it has been at work for a while.
 */
const pause = fc.oneof(fc.noBias(fc.nat(1_000)), fc.noBias(fc.integer({ min: 1_000, max: 8_000 })));
const turn = fc.record({ pause, edge: fc.constantFrom('ingest-0', 'ingest-1') });

/** Kills a victim so many times, by a schedule of its own; how many it was. */
export async function killAgainAndAgain(
  system: OwnSystem,
  victim: Victim,
  kills: number,
  seed: number,
): Promise<number> {
  const turns = fc.sample(turn, { seed: seed + victims.indexOf(victim), numRuns: kills });
  let killed = 0;
  for (const { pause: afterMs, edge } of turns) {
    const name = victim === 'ingest' ? edge : victim;
    await delay(afterMs);
    const pid = await eventually(() => pidOf(system, name), respawnMsMax);
    process.kill(pid, 'SIGKILL');
    killed += 1;
    await eventually(() => {
      const next = readRun(system.dataDir)?.children[name]?.pid;
      return next !== undefined && next !== pid;
    }, respawnMsMax);
  }
  return killed;
}

function pidOf(system: OwnSystem, name: string): number {
  const child = readRun(system.dataDir)?.children[name];
  if (child === undefined) throw new Error(`${name} does not run`);
  return child.pid;
}

/** Ends everything that runs here in one moment, the supervisor first, as a power cut would. */
export async function killEverything(dataDir: string, supervisorPid: number): Promise<void> {
  const children = Object.values(readRun(dataDir)?.children ?? {}).map(({ pid }) => pid);
  const all = [supervisorPid, ...withDescendants([supervisorPid, ...children])];
  for (const pid of new Set(all)) kill(pid);
  // What was born in between.
  await eventually(() => {
    const left = withDescendants(children).filter(isRunning);
    for (const pid of left) kill(pid);
    return left.length === 0;
  }, respawnMsMax);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** These processes and all that came of them. */
function withDescendants(pids: number[]): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = Number(statusOf(Number(name), 'PPid'));
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const all: number[] = [];
  for (let left = [...pids]; left.length > 0; ) {
    const [first = 0, ...rest] = left;
    all.push(first);
    left = [...rest, ...(childrenOf.get(first) ?? [])];
  }
  return all;
}

/** A zombie is only what its parent has not noticed yet. */
function isRunning(pid: number): boolean {
  const state = statusOf(pid, 'State');
  return state !== '' && !state.startsWith('Z');
}

function statusOf(pid: number, field: string): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return new RegExp(`^${field}:\\s+(.+)$`, 'm').exec(status)?.[1] ?? '';
  } catch {
    return '';
  }
}
