import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { system } from '../system.ts';
import { settingsOf } from './settings.ts';

/** Starts workers beside those of the shared system, with the same settings; returns what stops them. */
export async function startOwnWorkers(): Promise<() => Promise<void>> {
  const child = fork(join(import.meta.dirname, '../../../workers/main.ts'), {
    env: { ...(await settingsOf(system(), 'workers')), WORKERS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await eventually(() => output.includes('"ready"'), 30_000);
  return async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  };
}
