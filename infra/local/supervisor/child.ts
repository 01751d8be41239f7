import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Level, type LogLine, parseLine, saysNothing } from './lines.ts';
import { giveWay, type Niceness } from './priority.ts';

/** How long to wait for the last output of a process that is gone already. */
const lastOutputMsMax = 1_000;

/** A program to run. The name stands before each of its lines. */
export type Command = {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Given to it on standard input: the place for what `ps` must not show. */
  input?: string;
  /**
   * The signal that stops it once the supervisor is gone; null for our own processes, which stop by themselves when
   * their channel to the supervisor closes.
   */
  orphanSignal: 'SIGTERM' | 'SIGINT' | null;
  /** Where processors are short, those of less go first. */
  niceness?: Niceness;
};

/** Where output goes. */
export type Terminal = {
  line(name: string, line: LogLine | string): void;
  say(name: string, level: Level, message: string): void;
};

/** How a process ended; `lastWords` is what it said about it. */
type Exit = { code: number | null; signal: NodeJS.Signals | null; lastWords: string };

/** A running process. */
export type Child = {
  /** Undefined where the process could not be made at all. */
  readonly pid: number | undefined;
  readonly exited: Promise<Exit>;
  /** Settles when it says `ready`; stays open when it never does. */
  readonly saidReady: Promise<void>;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
};

/**
 * Starts a process in a group of its own, so that a Ctrl-C in the terminal reaches the supervisor
 * alone, which then stops everything in order. A descriptor that is `held` stays open in it.
 */
export function startChild(command: Command, terminal: Terminal, held?: number): Child {
  let child: ChildProcess;
  try {
    child = spawn(command.command, command.args, {
      env: command.env,
      detached: true,
      stdio: [
        command.input === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        ...(command.orphanSignal === null ? (['ipc'] as const) : []),
        ...(held === undefined ? [] : [held]),
      ],
    });
  } catch (error) {
    return neverMade(error);
  }
  const exited = exitOf(child);
  if (child.pid !== undefined) {
    if (command.niceness !== undefined) giveWay(child.pid, command.niceness, exited);
    terminal.say(command.name, 'info', `started, pid ${child.pid}`);
  }
  // A process that dies before it has read its input is seen by its exit.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(command.input);

  const saidReady = Promise.withResolvers<void>();
  let lastWords = '';
  let lastWordsMatter = false;
  const hear = (text: string) => {
    if (saysNothing(text)) return;
    const line = parseLine(text);
    terminal.line(command.name, line);
    if (typeof line !== 'string' && line.message === 'ready') saidReady.resolve();
    const matters =
      typeof line === 'string'
        ? /\b(fatal|error)\b/i.test(line)
        : line.level === 'error' || line.level === 'fatal';
    if (text.trim() === '' || (lastWordsMatter && !matters)) return;
    lastWords = typeof line === 'string' ? line.trim() : line.message;
    lastWordsMatter = matters;
  };
  for (const stream of [child.stdout, child.stderr]) {
    // Without descriptors for them there are none.
    if (stream instanceof Readable) createInterface({ input: stream }).on('line', hear);
  }

  return {
    pid: child.pid,
    exited: exited.then((exit) => ({ ...exit, lastWords: exit.lastWords || lastWords })),
    saidReady: saidReady.promise,
    isRunning: () => isRunning(child),
    signal: (signal) => signalProcess(child, signal),
  };
}

/** One that the system did not make, for want of memory or descriptors: it has ended, and may be made later. */
function neverMade(cause: unknown): Child {
  const lastWords = cause instanceof Error ? cause.message : String(cause);
  return {
    pid: undefined,
    exited: Promise.resolve({ code: 1, signal: null, lastWords }),
    saidReady: new Promise(() => undefined),
    isRunning: () => false,
    signal: () => undefined,
  };
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const closed = once(child, 'close').catch(() => undefined);
  try {
    await once(child, 'exit');
  } catch (error) {
    const lastWords = error instanceof Error ? error.message : String(error);
    return { code: 1, signal: null, lastWords };
  }
  // A grandchild may keep the output open for longer than we wait.
  await Promise.race([closed, delay(lastOutputMsMax, undefined, { ref: false })]);
  return { code: child.exitCode, signal: child.signalCode, lastWords: '' };
}

/** SIGKILL goes to the whole group; any other signal to the process, which sees to its own. */
function signalProcess(child: ChildProcess, signal: NodeJS.Signals): void {
  // Another process may have the pid of one that has ended.
  if (child.pid === undefined || !isRunning(child)) return;
  try {
    process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
  } catch {
    // It ended this moment.
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
