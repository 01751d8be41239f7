import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { freePort } from '../../../test/support/services/free-port.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { programPath } from './installed.ts';
import { treeCpuSeconds, treeResidentBytes } from '../processes.ts';

const startMsMax = 30_000;
const stopMsMax = 30_000;
const tmpfs = 0x01021994;

/** A server of another project, on loopback, with its own data. */
type Server = {
  url: string;
  cpuSeconds(): number;
  residentBytes(): number;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
};

/** A directory of the benchmark's own, on a disk. */
export function makeDataDir(name: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), `millrace-bench-${name}-`));
  if (statfsSync(dataDir).type !== tmpfs) return dataDir;
  rmSync(dataDir, { recursive: true });
  throw new Error(`${tmpdir()} is in memory: set TMPDIR to a directory on a disk`);
}

/** Whether a server gives a success at this path. */
export const answersAt = (path: string) => async (url: string) => {
  const { statusCode, body } = await request(url + path);
  await body.dump();
  return statusCode < 300;
};

/** Starts an unpacked program with arguments for this port, and waits until it is ready. */
export async function startServer(options: {
  program: string;
  dataDir: string;
  args: (port: number) => string[];
  isReady: (url: string) => Promise<boolean>;
  /** How setpriv(1) runs it, and the signal that stops it. */
  identity?: readonly string[];
  stopSignal?: NodeJS.Signals;
}): Promise<Server> {
  const { program, dataDir, args, isReady, identity = [], stopSignal = 'SIGTERM' } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const outputPath = join(dataDir, 'output');
  const output = openSync(outputPath, 'w');
  // Ends with this process, however that ends.
  const command = [...identity, '--pdeathsig', 'KILL', programPath(program), ...args(port)];
  const child = spawn('setpriv', command, {
    stdio: ['ignore', output, output],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await eventually(async () => {
    return hasEnded() || (await isReady(url));
  }, startMsMax);
  if (hasEnded()) throw new Error(`${program} ended:\n${readFileSync(outputPath, 'utf8')}`);
  return {
    url,
    cpuSeconds: () => treeCpuSeconds(pid),
    residentBytes: () => treeResidentBytes(pid),
    async stop() {
      if (!hasEnded()) {
        const exited = once(child, 'exit');
        child.kill(stopSignal);
        const late = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
        await exited;
        clearTimeout(late);
      }
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

export function totalBytes(files: string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** The body of a successful answer. @throws when it isn't one. */
export async function ask(method: 'GET' | 'POST', url: string): Promise<string> {
  const { statusCode, body } = await request(url, { method });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${url} answered ${statusCode}: ${text}`);
  return text;
}
