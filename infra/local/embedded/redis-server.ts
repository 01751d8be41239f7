import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { leastRedis } from '../../runtime/stores/versions.ts';

/** A Redis server's binary and what it needs in its environment. */
export type RedisServer = { command: string; env: Record<string, string> };

const programs = ['redis-server', 'valkey-server'];

/** Directories in which packages and people put servers: the PATH of users other than root often lacks `sbin`. */
export const usualDirectories = [
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/libexec',
  '/usr/lib/redis',
  '/usr/lib/redis/bin',
  '/usr/lib/valkey',
  '/usr/lib/valkey/bin',
  '/opt/redis/bin',
  '/opt/redis-stack/bin',
  '/opt/valkey/bin',
];

/** A server runs `--version` at once. */
const proofMsMax = 10_000;

/** The servers on a PATH, then those in `directories`; Redis before Valkey in each. */
export function installedServers(
  path: string,
  directories: readonly string[] = usualDirectories,
): RedisServer[] {
  const places = [path.split(delimiter), directories].flatMap((some) =>
    programs.flatMap((program) => some.map((directory) => findOnPath(program, directory))),
  );
  const found = places.filter((command) => command !== undefined);
  return [...new Set(found)].map((command) => ({ command, env: {} }));
}

/**
 * The first of these servers that runs and is not too old: a file with the right name may be a link to what is not
 * there, or lack a library. Why the others were passed over is added to `tried`.
 */
export function firstThatRuns(servers: RedisServer[], tried: string[]): RedisServer | undefined {
  return servers.find((server) => {
    const why = whyNot(server);
    if (why !== null) tried.push(`${server.command}: ${why}`);
    return why === null;
  });
}

/** Runs a server for its version: null, or why it can't be used. */
function whyNot({ command, env }: RedisServer): string | null {
  const { error, status, stdout, stderr } = spawnSync(command, ['--version'], {
    env: { ...env, LC_ALL: 'C' },
    encoding: 'utf8',
    timeout: proofMsMax,
  });
  if (error !== undefined) return error.message;
  const version = /\bv=(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (status !== 0 || version === undefined) {
    return lastLine(stderr) || `--version ended with ${status} and named no version`;
  }
  return leastRedis.isMetBy(version)
    ? null
    : `is version ${version}, and ${leastRedis.toString()} is needed`;
}

/** The whole name of a program on a PATH. */
export function findOnPath(program: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, program))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? '';
