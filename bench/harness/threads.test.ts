import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cpuSeconds } from '../../test/support/usage.ts';
import { type Group, type GroupSeconds, groups, groupSeconds } from './threads.ts';

const workSeconds = 0.3;

/** Does the work that it is told of: each takes some CPU of one kind of thread, or of the kernel. */
const script = `
  const { Worker } = require('node:worker_threads');
  const fs = require('node:fs');
  const burn = (work) => {
    const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
    for (const until = used() + ${workSeconds}; used() < until;) work();
  };
  const zeros = fs.openSync('/dev/zero', 'r');
  const bytes = Buffer.alloc(1 << 20);
  const works = {
    script: () => burn(() => { for (let i = 0; i < 1e6; i++) Math.sqrt(i); }),
    kernel: () => burn(() => fs.readSync(zeros, bytes)),
    pool: () => new Promise((done) => require('node:crypto').pbkdf2('a', 'b', 600_000, 64, 'sha512', done)),
    // It stays, as a sink does.
    worker: () => new Promise((done) => {
      const code = 'setInterval(() => {}, 1e6); (' + burn + ')(() => 1); require("node:worker_threads").parentPort.postMessage(1);';
      new Worker(code, { eval: true }).once('message', done);
    }),
  };
  process.on('message', async (name) => { await works[name](); process.send('done'); });
  // A store's merges have threads with a name.
  if (process.argv[1] === 'store') process.title = 'MergeMutate';
  // An edge has read files before it starts threads of its own.
  fs.readFile('/proc/self/stat', () => process.send('ready'));
`;

const children: Record<'edge' | 'store', ChildProcess> = {
  edge: spawnOne('edge'),
  store: spawnOne('store'),
};

function spawnOne(name: string): ChildProcess {
  return spawn(process.execPath, ['-e', script, name], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

beforeAll(async () => {
  await Promise.all(Object.values(children).map((child) => once(child, 'message')));
});

afterAll(() => {
  for (const child of Object.values(children)) child.kill();
});

function look(): GroupSeconds {
  const edge = children.edge.pid ?? 0;
  const store = children.store.pid ?? 0;
  return groupSeconds({ edges: [edge], store, all: cpuSeconds(edge) + cpuSeconds(store) });
}

it.each([
  ['edge', 'script', 'codec'],
  ['edge', 'kernel', 'network'],
  ['edge', 'pool', 'log'],
  ['edge', 'worker', 'sink'],
  ['store', 'pool', 'insert'],
  ['store', 'script', 'merge'],
] as const)("CPU of the %s's %s is that of its group: %s", async (name, work, group) => {
  const before = look();
  children[name].send(work);
  await once(children[name], 'message');
  const after = look();
  const spent = (one: Group) => after[one] - before[one];
  const others = groups.filter((one) => one !== group).map(spent);
  expect(spent(group)).toBeGreaterThan(workSeconds / 2);
  expect(Math.max(...others)).toBeLessThan(workSeconds / 2);
});
