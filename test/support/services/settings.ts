import { readFileSync } from 'node:fs';
import type { System } from '../system.ts';

/** The environment of a process of a system, but for what is its own. */
export async function settingsOf(system: System, name: string): Promise<NodeJS.ProcessEnv> {
  const environment = readFileSync(`/proc/${await system.pid(name)}/environ`, 'utf8');
  const settings = environment
    .split('\0')
    .filter((setting) => !setting.startsWith('NODE_CHANNEL_FD='))
    .map((setting) => setting.split(/=(.*)/s));
  return Object.fromEntries(settings);
}
