import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { limits } from '../../../infra/local/clickhouse/limits.ts';

/** The real process, as a test runs it. */
export type Running = {
  url: string;
  process: ChildProcess;
  /** Settles with the exit code, or the signal's name, once the process is gone. */
  end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals>;
};

/** Starts the embedded ClickHouse on a free port and waits for its ready line. */
export async function startClickHouse(
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<Running> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../../infra/local/clickhouse/main.ts')],
    {
      env: { DATA_DIR: dataDir, UV_THREADPOOL_SIZE: String(limits.threadsMin), ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    const entry: { msg?: string; port?: number } = JSON.parse(line);
    if (entry.msg !== 'ready') continue;
    child.stdout.resume();
    return {
      url: `http://127.0.0.1:${entry.port}`,
      process: child,
      async end(signal) {
        child.kill(signal);
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        return child.exitCode ?? child.signalCode ?? 0;
      },
    };
  }
  throw new Error(`it did not start: ${said.join('\n')}`);
}
