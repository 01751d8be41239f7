import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../../runtime/process/config.ts';
import { type FileLock, tryLockFile } from '../../runtime/process/lock.ts';
import { Apt, type Run } from './apt.ts';
import {
  findOnPath,
  firstThatRuns,
  installedServers,
  type RedisServer,
  usualDirectories,
} from './redis-server.ts';

const lockPollMs = 100;

/** Beside what npm fetched, and gone with it. */
const besidePackages = join(import.meta.dirname, '../../../node_modules/.cache/millrace-redis');

/** Debian's: the server may be a link to a program of its tools. */
const packages = [
  ['redis-server', 'redis-tools'],
  ['valkey-server', 'valkey-tools'],
];

const installers = [
  ['apt-get', 'apt-get install redis-server'],
  ['dnf', 'dnf install valkey'],
  ['zypper', 'zypper install valkey'],
  ['pacman', 'pacman -S valkey'],
  ['brew', 'brew install valkey'],
] as const;

/**
 * Finds a Redis server that runs, or else fetches Debian's packages and unpacks them for ourselves. They are not
 * installed: that would need root, and would start a service.
 *
 * @throws ConfigError that says what was tried, what came of it, and the command that helps.
 */
export async function ensureRedisServer({
  env,
  dataDir,
  run,
  tell,
  directories = usualDirectories,
  places = [besidePackages, join(dataDir, 'redis-server')],
}: {
  env: NodeJS.ProcessEnv;
  dataDir: string;
  run: Run;
  tell: (message: string) => void;
  /** Directories in which a server may be that is not on the PATH. */
  directories?: readonly string[];
  /** Places in which a fetched server may be: the next is kept in the first that can be written to. */
  places?: readonly string[];
}): Promise<RedisServer> {
  const path = env['PATH'] ?? '';
  const tried: string[] = [];
  const find = () =>
    firstThatRuns(installedServers(path, directories), tried) ??
    firstThatRuns(places.flatMap(unpackedServers), tried);
  const found = find();
  if (found !== undefined) return found;

  const place = places.find(canBeWritten);
  if (findOnPath('apt-get', path) === undefined) {
    tried.push('apt-get, to fetch one: is not on the PATH');
  } else if (place === undefined) {
    tried.push(`${places.join(', ')}, to keep one: can't be written to`);
  } else {
    const lock = await lockFor(place);
    try {
      // Another start may have fetched it meanwhile.
      const server =
        find() ?? (await fetchServer(new Apt(env, `${place}.apt`, run), place, tell, tried));
      if (server !== undefined) return server;
    } finally {
      lock.release();
    }
  }
  throw new ConfigError(message(path, directories, tried));
}

function message(path: string, directories: readonly string[], tried: string[]): string {
  const installer = installers.find(([program]) => findOnPath(program, path) !== undefined);
  const sudo = process.getuid?.() === 0 || installer?.[0] === 'brew' ? '' : 'sudo ';
  const help =
    installer === undefined
      ? 'Install redis-server or valkey-server'
      : `Run ${sudo}${installer[1]}`;
  return [
    'REDIS_URL: not set, and there is no redis-server or valkey-server here that runs. What was tried:',
    `  the PATH, ${directories.join(', ')}`,
    ...[...new Set(tried)].map((one) => `  ${one}`),
    `${help}, or set REDIS_URL.`,
  ].join('\n');
}

/**
 * Fetches and unpacks a server, and runs it before it gets its place. Tried with the machine's own lists of packages
 * first: fresh ones are many megabytes, and may not come. Why there is none is added to `tried`.
 */
async function fetchServer(
  apt: Apt,
  place: string,
  tell: (message: string) => void,
  tried: string[],
): Promise<RedisServer | undefined> {
  tell('there is no Redis server here: fetching one with apt, some 8 MB; nothing is installed');
  const unfinished = `${place}.new`;
  const attempt = async ([server = '', tools = '']: string[]): Promise<boolean> => {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished);
    // A fetched server is no secret: the next user may run it too.
    chmodSync(unfinished, 0o755);
    await apt.unpack(server, tools, unfinished);
    return firstThatRuns(unpackedServers(unfinished), tried) !== undefined;
  };
  try {
    for (const areFresh of [false, true]) {
      if (areFresh)
        await apt.update().catch((error: unknown) => tried.push(`apt-get update: ${told(error)}`));
      for (const names of packages) {
        const runs = await attempt(names).catch((error: unknown) => {
          tried.push(
            `apt-get, ${names[0]}${areFresh ? '' : ' by the lists of this machine'}: ${told(error)}`,
          );
          return false;
        });
        if (!runs) continue;
        rmSync(place, { recursive: true, force: true });
        renameSync(unfinished, place);
        return firstThatRuns(unpackedServers(place), tried);
      }
    }
    return undefined;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    apt.remove();
  }
}

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The servers in a directory that packages were unpacked in, with their libraries. */
function unpackedServers(root: string): RedisServer[] {
  const libraries = ['usr/lib', 'lib'].flatMap((directory) =>
    entries(join(root, directory))
      .filter((name) => name.includes('-linux-'))
      .map((name) => join(root, directory, name)),
  );
  return installedServers(join(root, 'usr/bin'), []).map(({ command }) => ({
    command,
    env: { LD_LIBRARY_PATH: libraries.join(':') },
  }));
}

function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function canBeWritten(place: string): boolean {
  try {
    mkdirSync(dirname(place), { recursive: true });
    accessSync(dirname(place), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Two starts with a `DATA_DIR` each may come to the same place. */
async function lockFor(place: string): Promise<FileLock> {
  for (;;) {
    const lock = tryLockFile(`${place}.lock`);
    if (lock !== undefined) return lock;
    await delay(lockPollMs);
  }
}
