import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const module = join(import.meta.dirname, 'priority.ts');

/** Starts a process whose children lead sessions too, all at once, and tells when each of them gives way. */
const script = `
  import { spawn } from 'node:child_process';
  import { existsSync, readFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { giveWay } from ${JSON.stringify(module)};
  const lead = () => spawn('sh', ['-c', 'for one in 1 2 3 4; do setsid sleep 60 & done; wait'], { detached: true });
  const childrenOf = (pid) =>
    readFileSync('/proc/' + pid + '/task/' + pid + '/children', 'utf8').split(' ').filter((child) => child !== '');
  const leads = (pid) =>
    readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ').at(-1).split(' ')[3] === pid;
  const leaders = [lead(), lead()];
  while (!leaders.every(({ pid }) => childrenOf(pid).filter(leads).length === 4)) await setTimeout(10);
  for (const { pid } of leaders) giveWay(pid, { process: 5, session: 2 }, new Promise(() => {}));
  const pids = leaders.flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
  // None where the kernel has no autogroups.
  const groups = pids.map((pid) => '/proc/' + pid + '/autogroup').filter((path) => existsSync(path));
  const left = () => groups.filter((path) => !readFileSync(path, 'utf8').endsWith(' nice 2\\n'));
  while (left().length > 0) await setTimeout(50);
  for (const pid of pids) process.kill(Number(pid));
  process.stdout.write(String(pids.length));
  process.exit();
`;

describe('niceness of sessions', () => {
  it('is set for all that start at once, by a user for whom Linux sets one in a tenth of a second', () => {
    const node = [process.execPath, '--input-type=module', '--eval', script] as const;
    const plain = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin'];
    const [command = '', ...args] = mayAll() ? [...plain, ...node] : node;
    expect(execFileSync(command, args, { encoding: 'utf8', timeout: 30_000 })).toBe('10');
  });
});

/** CAP_SYS_ADMIN is the 21st bit (capabilities(7)). */
function mayAll(): boolean {
  const [, effective = '0'] =
    /^CapEff:\s+(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return (BigInt(`0x${effective}`) & (1n << 21n)) !== 0n;
}
