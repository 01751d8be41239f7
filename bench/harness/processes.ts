import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpuSeconds, residentBytes } from '../../test/support/usage.ts';

/** A server under load: its address, and what it costs. */
export type BenchProcess = {
  url: string;
  pid: number;
  /** CPU seconds used so far, user and system. */
  cpuSeconds(): number;
  /** Resident bytes now. */
  residentBytes(): number;
  signal(name: NodeJS.Signals): void;
  stop(name?: NodeJS.Signals): Promise<void>;
};

const root = join(import.meta.dirname, '../..');

/** Starts one of our scripts and waits for its ready line. Its later output goes to standard error. */
export async function startProcess(
  script: string,
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<BenchProcess> {
  const child = spawn(process.execPath, [...flags, join(root, script)], {
    env: { ...process.env, ...env },
    // The channel makes it stop when the benchmark is gone.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const port = await readyPort(child, script);
  const pid = child.pid ?? 0;
  return {
    url: `http://127.0.0.1:${port}`,
    pid,
    cpuSeconds: () => cpuSeconds(pid),
    residentBytes: () => residentBytes(pid),
    signal: (name) => void child.kill(name),
    async stop(name = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(name);
      await exited;
    },
  };
}

async function readyPort(child: ChildProcess, script: string): Promise<number> {
  if (child.stdout === null) throw new Error('no output');
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const match = /"port":(\d+).*"msg":"ready"|"msg":"ready".*"port":(\d+)/.exec(line);
    if (match !== null) resolve(Number(match[1] ?? match[2]));
    else if (!line.includes('"level":30')) process.stderr.write(`${line}\n`);
  });
  child.once('exit', () => reject(new Error(`${script} ended before it was ready`)));
  return promise;
}
