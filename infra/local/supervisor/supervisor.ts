import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from '../../runtime/process/backoff.ts';
import { sleep } from '../../runtime/process/sleep.ts';
import { type Child, type Command, startChild, type Terminal } from './child.ts';

const restartMsMin = 100;
const restartMsMax = 10_000;
/** Who was up for this long starts again without delay when it dies. */
const steadyMs = 10_000;
/** Between the tries of one that gave up before it was ever ready. */
const firstTriesEveryMs = 1_000;
const probeEveryMs = 100;
const stillWaitingEveryMs = 10_000;
/** A machine that has much else to do may need as long, and nothing is wrong. */
const slowStartMs = 60_000;

/** A process that is to run until the stop. */
export type Service = Command & {
  /** It prints a ready line, or a probe resolves once it answers. */
  ready: 'line' | (() => Promise<void>);
  stopSignal: 'SIGTERM' | 'SIGINT';
  /** Its share of the time to stop; with what others have spared it may take longer. */
  stopMsMax: number;
  /**
   * How often it is started when it exits before it was ever ready. Once for our own processes: another start would
   * fail for the same reason.
   */
  firstTries: number;
};

/** Starts processes, keeps them running, and stops them in the reverse order. */
export type Supervisor = {
  /**
   * Starts services side by side as one step of the order, and waits until all are ready.
   *
   * @throws Error when one of them ends by itself before it was ever ready, as often as it is tried, with what
   * it said last.
   */
  start(...services: Service[]): Promise<void>;
  /** Runs a command to its end. @throws Error with what it said last, unless it exits with 0. */
  run(command: Command, stopMsMax: number): Promise<void>;
  /**
   * Stops step by step, the last one first, and kills what takes too long: all ends within the sum of
   * the shares. Nothing can be started after it.
   */
  stop(): Promise<void>;
  /** Ends everything that still runs, now. */
  killAll(): void;
};

/** Told at each start and end of a process, before anything else happens. */
type Watcher = {
  started(name: string, pid: number, orphanSignal: Command['orphanSignal']): void;
  ended(name: string): void;
};

type Running = {
  readonly done: Promise<void>;
  /** How long it may take to stop; 0 for what has ended. */
  shareMs(): number;
  stop(msMax: number): Promise<void>;
  kill(): void;
};

/** Makes a supervisor that prints to `terminal`. Each process gets `held`, a descriptor, to keep it open. */
export function createSupervisor(terminal: Terminal, watcher: Watcher, held?: number): Supervisor {
  const steps: Running[][] = [];
  let stopping = false;

  function launch(command: Command): Child {
    const child = startChild(command, terminal, held);
    if (child.pid !== undefined) watcher.started(command.name, child.pid, command.orphanSignal);
    void child.exited.then(() => watcher.ended(command.name));
    return child;
  }

  function open(step: Running[]): Promise<void> {
    steps.push(step);
    return Promise.all(step.map((running) => running.done)).then(() => undefined);
  }

  function refuseWhenStopping(): void {
    if (stopping) throw new Error('stopping');
  }

  return {
    async start(...services) {
      refuseWhenStopping();
      await open(services.map((service) => keepRunning(service, launch, terminal, () => stopping)));
    },
    async run(command, stopMsMax) {
      refuseWhenStopping();
      await open([runOnce(command, launch, stopMsMax)]);
    },
    async stop() {
      stopping = true;
      let sparedMs = 0;
      for (const step of steps.toReversed()) {
        const beganMs = performance.now();
        const shareMs = Math.max(0, ...step.map((running) => running.shareMs()));
        await Promise.all(step.map((running) => running.stop(shareMs + sparedMs)));
        // Time that one step does not need is for the next one.
        sparedMs = Math.max(0, shareMs + sparedMs - (performance.now() - beganMs));
      }
    },
    killAll() {
      stopping = true;
      for (const running of steps.flat()) running.kill();
    },
  };
}

function runOnce(
  command: Command,
  launch: (command: Command) => Child,
  stopMsMax: number,
): Running {
  const child = launch(command);
  return {
    done: succeeded(command, child),
    shareMs: () => (child.isRunning() ? stopMsMax : 0),
    async stop(msMax) {
      await stopChild(child, 'SIGTERM', msMax);
    },
    kill: () => child.signal('SIGKILL'),
  };
}

async function succeeded(command: Command, child: Child): Promise<void> {
  const { code, signal, lastWords } = await child.exited;
  if (code !== 0) throw new Error(`${command.name} failed: ${lastWords || signal || code}`);
}

function keepRunning(
  service: Service,
  launch: (command: Command) => Child,
  terminal: Terminal,
  isStopping: () => boolean,
): Running {
  const stopped = new AbortController();
  const firstReady = Promise.withResolvers<void>();
  let wasReady = false;
  let child: Child | undefined;

  async function noteReady(started: Child): Promise<void> {
    if (!(await becomesReady(service, started, terminal))) return;
    wasReady = true;
    firstReady.resolve();
  }

  async function loop(): Promise<void> {
    const backoff = new Backoff(restartMsMin, restartMsMax);
    let triesLeft = service.firstTries;
    while (!stopped.signal.aborted) {
      const startedMs = performance.now();
      child = launch(service);
      void noteReady(child);
      const { code, signal, lastWords } = await child.exited;
      child = undefined;
      // A process that ends during the stop is not started again.
      if (stopped.signal.aborted || isStopping()) break;
      const gaveUp = !wasReady && signal === null;
      if (gaveUp) triesLeft -= 1;
      if (triesLeft === 0) {
        firstReady.reject(new Error(`${service.name} did not start: ${lastWords || code}`));
        return;
      }
      if (performance.now() - startedMs > steadyMs) backoff.reset();
      const waitMs = gaveUp ? firstTriesEveryMs : Math.round(backoff.next());
      const how = signal === null ? `exited with ${code}` : `was ended by ${signal}`;
      terminal.say(service.name, 'error', `${how}; starts again in ${waitMs} ms`);
      await sleep(waitMs, stopped.signal);
    }
    firstReady.reject(new Error('stopping'));
  }

  const looped = loop();
  // Whoever waits for `done` handles the error; after the stop has begun nobody may wait.
  firstReady.promise.catch(() => undefined);
  return {
    done: firstReady.promise,
    shareMs: () => (child?.isRunning() ? service.stopMsMax : 0),
    async stop(msMax) {
      stopped.abort();
      if (child !== undefined) {
        const inTime = await stopChild(child, service.stopSignal, msMax);
        if (!inTime) terminal.say(service.name, 'error', 'did not stop in time and was killed');
      }
      await looped;
    },
    kill() {
      stopped.abort();
      child?.signal('SIGKILL');
    },
  };
}

/** Waits until the process is ready; false when it ended first. */
async function becomesReady(service: Service, child: Child, terminal: Terminal): Promise<boolean> {
  const ended = new AbortController();
  const exited = child.exited.then(() => {
    ended.abort();
    return false;
  });
  const startedMs = performance.now();
  const waiting = setInterval(() => {
    const isSlow = performance.now() - startedMs > slowStartMs;
    terminal.say(service.name, isSlow ? 'warn' : 'info', 'is not ready yet');
  }, stillWaitingEveryMs);
  const ready =
    service.ready === 'line' ? child.saidReady : probeUntil(service.ready, ended.signal);
  const isReady = await Promise.race([exited, ready.then(() => true)]);
  clearInterval(waiting);
  if (isReady && service.ready !== 'line') terminal.say(service.name, 'info', 'ready');
  return isReady;
}

async function probeUntil(probe: () => Promise<void>, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      await probe();
      return;
    } catch {
      await delay(probeEveryMs);
    }
  }
}

/** Stops a process; false when it had to be killed. */
async function stopChild(child: Child, signal: NodeJS.Signals, msMax: number): Promise<boolean> {
  let inTime = true;
  const timer = setTimeout(() => {
    inTime = false;
    child.signal('SIGKILL');
  }, msMax);
  child.signal(signal);
  await child.exited;
  clearTimeout(timer);
  return inTime;
}
