import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { giveWay, type Niceness } from '../../infra/local/supervisor/priority.ts';
import { cpuSeconds, residentBytes } from '../../test/support/usage.ts';

/** A server under load: its address, and what it costs. */
export type BenchProcess = {
  url: string;
  /** Where an edge takes MQTT; 0 where it does not. */
  mqttPort: number;
  mqttTlsPort: number;
  pid: number;
  /** CPU seconds used so far, user and system. */
  cpuSeconds(): number;
  /** Resident bytes now. */
  residentBytes(): number;
  signal(name: NodeJS.Signals): void;
  stop(name?: NodeJS.Signals): Promise<void>;
};

const root = join(import.meta.dirname, '../..');

/**
 * Starts one of our scripts, with the priority that `npm start` gives it, and waits for its ready line. Its later output
 * goes to standard error.
 */
export async function startProcess(
  script: string,
  env: Record<string, string>,
  { flags = [], nice }: { flags?: readonly string[]; nice?: Niceness } = {},
): Promise<BenchProcess> {
  const child = spawn(process.execPath, [...flags, join(root, script)], {
    env: { ...process.env, ...env },
    // The channel makes it stop when the benchmark is gone.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (nice !== undefined && child.pid !== undefined) {
    giveWay(child.pid, nice, once(child, 'exit'));
  }
  const { port, mqttPort = 0, mqttTlsPort = 0 } = await readyPorts(child, script);
  const pid = child.pid ?? 0;
  return {
    url: `http://127.0.0.1:${port}`,
    mqttPort,
    mqttTlsPort,
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

const Ready = Type.Object({
  msg: Type.Literal('ready'),
  port: Type.Integer(),
  mqttPort: Type.Optional(Type.Integer()),
  mqttTlsPort: Type.Optional(Type.Integer()),
});

async function readyPorts(child: ChildProcess, script: string): Promise<Static<typeof Ready>> {
  if (child.stdout === null) throw new Error('no output');
  const { promise, resolve, reject } = Promise.withResolvers<Static<typeof Ready>>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const isReady = line.includes('"msg":"ready"');
    if (isReady) resolve(Value.Parse(Ready, JSON.parse(line)));
    else if (!line.includes('"level":30')) process.stderr.write(`${line}\n`);
  });
  child.once('exit', () => reject(new Error(`${script} ended before it was ready`)));
  return promise;
}
