import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const isRoot = process.getuid?.() === 0;
const cache = isRoot ? '/var/cache' : (process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'));
/** Where install.sh unpacks the peers. */
const directory = join(cache, 'millrace-peers');

/** The version of an unpacked package; undefined if it is not there. */
export function unpackedVersion(name: string): string | undefined {
  const path = join(directory, 'versions');
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1];
}

export const programPath = (name: string): string => join(directory, 'bin', name);

export const modulesPath = (name: string): string => join(directory, name);
