import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Command, Terminal } from '../../infra/local/supervisor/child.ts';
import { renderLine } from '../../infra/local/supervisor/lines.ts';
import { identify } from '../../infra/local/installation/run-file.ts';
import {
  createSupervisor,
  type Service,
  type Supervisor,
} from '../../infra/local/supervisor/supervisor.ts';
import { eventually } from '../support/eventually.ts';

type Manner = 'steady' | 'slow' | 'refuses' | 'deaf' | 'fails';

let lines: string[];
let pids: Map<string, number>;
let supervisor: Supervisor;

beforeEach(() => {
  lines = [];
  pids = new Map();
  const line: Terminal['line'] = (name, text) => {
    lines.push(renderLine(name, text, Date.now(), process.stdout).slice('HH:MM:SS '.length));
  };
  const terminal: Terminal = {
    line,
    say: (name, level, message) => line(name, { timeMs: Date.now(), level, message, fields: {} }),
  };
  supervisor = createSupervisor(terminal, {
    started: (name, pid) => pids.set(name, pid),
    ended: (name) => pids.delete(name),
  });
});

afterEach(async () => {
  supervisor.killAll();
  await supervisor.stop();
});

function command(name: string, manner: Manner = 'steady'): Command {
  const script = join(import.meta.dirname, '../support/fixtures/service.ts');
  const args = [script, name, manner];
  return { name, command: process.execPath, args, env: process.env, orphanSignal: null };
}

function service(name: string, manner: Manner = 'steady', stopMsMax = 3_000): Service {
  const firstTries = 1;
  return { ...command(name, manner), ready: 'line', stopSignal: 'SIGTERM', stopMsMax, firstTries };
}

function pidOf(name: string): number {
  const pid = pids.get(name);
  if (pid === undefined) throw new Error(`${name} does not run`);
  return pid;
}

it('output has the name of each process: our log lines readable, others unchanged', async () => {
  await supervisor.start(service('edge', 'deaf'));
  expect(lines).toEqual([
    `edge       info  started, pid ${pidOf('edge')}`,
    'edge       a raw line',
    'edge       info  ready',
  ]);
});

it('steps stop in the reverse order, one after the other', async () => {
  await supervisor.start(service('first'));
  await supervisor.start(service('second-a'), service('second-b'));
  await supervisor.start(service('third'));
  await supervisor.stop();
  const stopped = lines.filter((line) => line.endsWith('info  stopped')).map((line) => line.trim());
  const names = stopped.map((line) => line.split(' ')[0]);
  expect(names.toSpliced(1, 2)).toEqual(['third', 'first']);
  expect(new Set(names.slice(1, 3))).toEqual(new Set(['second-a', 'second-b']));
  expect(pids.size).toBe(0);
  await expect(supervisor.start(service('late'))).rejects.toThrow('stopping');
});

it('a killed process starts again', async () => {
  await supervisor.start(service('edge'));
  const before = pidOf('edge');
  process.kill(before, 'SIGKILL');
  await eventually(() => {
    expect(pidOf('edge')).not.toBe(before);
    expect(lines.filter((line) => line.includes('ready'))).toHaveLength(2);
  });
  expect(lines.join('\n')).toMatch(/edge +error was ended by SIGKILL; starts again in \d+ ms/);
});

it('a process that exits at its first start fails the start, with its message', async () => {
  await expect(supervisor.start(service('steady'), service('edge', 'refuses'))).rejects.toThrow(
    'edge did not start: SOME_LIMIT: must be integer',
  );
});

it('a process with more than one try is started again before the start fails', async () => {
  const engine: Service = { ...service('engine', 'refuses'), firstTries: 2 };
  await expect(supervisor.start(engine)).rejects.toThrow('engine did not start: SOME_LIMIT');
  const tries = lines.filter((line) => line.includes('started, pid'));
  expect(tries).toHaveLength(2);
  expect(lines.join('\n')).toMatch(/engine +error exited with 1; starts again in 1000 ms/);
});

it('a program that is not there fails the start', async () => {
  const missing: Service = { ...service('edge'), command: '/nowhere/edge' };
  await expect(supervisor.start(missing)).rejects.toThrow(/edge did not start: .*ENOENT/);
});

it('a process that the system can’t make fails the start, with the reason', async () => {
  const env = { ...process.env, TOO_LARGE: 'x'.repeat(4 * 1024 * 1024) };
  const large: Service = { ...service('edge'), env };
  await expect(supervisor.start(large)).rejects.toThrow('edge did not start: spawn E2BIG');
  await expect(supervisor.run({ ...command('migrate'), env }, 1_000)).rejects.toThrow(
    'spawn E2BIG',
  );
});

it('a command that fails says why', async () => {
  await expect(supervisor.run(command('migrate', 'fails'), 1_000)).rejects.toThrow(
    'migrate failed: that table is in the way',
  );
});

it('a process that does not stop in time is killed', async () => {
  await supervisor.start(service('deaf', 'deaf', 300));
  const pid = pidOf('deaf');
  await supervisor.stop();
  expect(identify(pid)).toBeUndefined();
  expect(lines.at(-1)).toBe('deaf       error did not stop in time and was killed');
});

it('time that one process has left is for the next', async () => {
  await supervisor.start(service('deaf', 'deaf', 100));
  await supervisor.start(service('steady', 'steady', 1_000));
  const beganMs = performance.now();
  await supervisor.stop();
  expect(performance.now() - beganMs).toBeGreaterThan(1_000);
});

it('a process that systemd has signalled as well stops in order and is not restarted', async () => {
  await supervisor.start(service('edge', 'slow'));
  process.kill(pidOf('edge'), 'SIGTERM');
  await eventually(() => lines.some((line) => line.includes('stopping')));
  await supervisor.stop();
  expect(lines.at(-1)).toMatch(/^edge +info {2}stopped$/);
  expect(lines.join('\n')).not.toMatch(/at once|starts again/);
});

it('a second request to stop kills what is stopping slowly', async () => {
  await supervisor.start(service('deaf', 'deaf', 60_000));
  const stopped = supervisor.stop();
  supervisor.killAll();
  await stopped;
  expect(pids.size).toBe(0);
});
