import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../../runtime/process/config.ts';
import { type FileLock, tryLockFile } from '../../runtime/process/lock.ts';
import { isAlive, readRun, type RunChild, runPath } from './run-file.ts';

/*
 * Two locks say who is at work in a `DATA_DIR`. `run.lock` is the supervisor's alone. `children.lock` is held
 * by every process it starts too, and by what those start: as long as one of them lives, in whatever container,
 * nothing else is started over the same data.
 */

/** Our own processes stop by themselves once the supervisor is gone; they have this long. */
const ownStopMsMax = 10_000;
const signalledStopMsMax = 5_000;
const pollMs = 50;

/**
 * Makes `DATA_DIR`, for its owner alone, and takes it for this process. Of what is there nothing is changed
 * before that.
 *
 * @throws ConfigError when a supervisor is at work here.
 */
export function lockDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConfigError(`DATA_DIR: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (tryLockFile(join(dataDir, 'run.lock')) === undefined) {
    const run = readRun(dataDir);
    const who =
      run !== undefined && isAlive(run.supervisor)
        ? `process ${run.supervisor.pid}`
        : 'another process, perhaps in another container,';
    throw new ConfigError(`DATA_DIR: ${who} already runs on ${dataDir}`);
  }
  chmodSync(dataDir, 0o700);
}

/**
 * Stops what a killed supervisor left behind, and gives the lock that this one's children are to hold.
 *
 * @throws ConfigError when something is still at work here that can't be seen.
 */
export async function takeOver(
  dataDir: string,
  tell: (message: string) => void,
): Promise<FileLock> {
  const left = Object.entries(readRun(dataDir)?.children ?? {}).filter(([, one]) => isAlive(one));
  for (const [name, child] of left) {
    tell(`${name} (pid ${child.pid}) was left behind by an earlier run; it is stopped now`);
  }
  const children = left.map(([, child]) => child);
  const own = children.filter((child) => child.orphanSignal === null);
  await untilGone(own, ownStopMsMax);
  for (const child of children) {
    if (child.orphanSignal !== null) signal(child, child.orphanSignal);
  }
  await untilGone(children, signalledStopMsMax);
  const lock = await lockOfChildren(join(dataDir, 'children.lock'), tell);
  rmSync(runPath(dataDir), { force: true });
  return lock;
}

/** Ends processes that have the lock and are not in `run.json`, as after a kill of the supervisor at that moment. */
async function lockOfChildren(path: string, tell: (message: string) => void): Promise<FileLock> {
  const deadlineMs = performance.now() + signalledStopMsMax;
  let told = false;
  for (;;) {
    const lock = tryLockFile(path);
    if (lock !== undefined) return lock;
    const late = performance.now() > deadlineMs;
    const holders = holdersOf(path);
    if (late && holders.length === 0) {
      throw new ConfigError(
        `DATA_DIR: what another start left behind, perhaps in another container, still has ${path}`,
      );
    }
    if (!told && holders.length > 0) tell(`left behind by an earlier run: ${holders.join(', ')}`);
    told ||= holders.length > 0;
    for (const pid of holders) signalProcess(pid, late ? 'SIGKILL' : 'SIGTERM');
    await delay(pollMs);
  }
}

/** The processes that have a file open, as far as we may see them. */
export function holdersOf(path: string): number[] {
  const { dev, ino } = statSync(path);
  const holds = (pid: string, descriptor: string) => {
    try {
      const open = statSync(`/proc/${pid}/fd/${descriptor}`);
      return open.dev === dev && open.ino === ino;
    } catch {
      return false;
    }
  };
  return entries('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => entries(`/proc/${pid}/fd`).some((descriptor) => holds(pid, descriptor)))
    .map(Number);
}

function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // It ended this moment, or is another user's.
    return [];
  }
}

async function untilGone(children: RunChild[], msMax: number): Promise<void> {
  const deadlineMs = performance.now() + msMax;
  while (children.some(isAlive)) {
    if (performance.now() > deadlineMs) for (const child of children) signal(child, 'SIGKILL');
    await delay(pollMs);
  }
}

function signal(child: RunChild, name: NodeJS.Signals): void {
  if (isAlive(child)) signalProcess(child.pid, name);
}

function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended this moment.
  }
}
