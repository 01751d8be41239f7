import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../runtime/process/config.ts';
import type { Command } from '../supervisor/child.ts';
import { findOnPath, findRedisServer, type RedisServer } from './redis.ts';

/** apt-get must not be cut off in the middle of a download without need. */
const aptStopMsMax = 5_000;

/** Where a fetched package is unpacked: beside what npm fetched, and gone with it. */
const packageDir = join(import.meta.dirname, '../../../node_modules/.cache/millrace-redis');

const howToGetIt =
  'REDIS_URL: not set, and neither redis-server nor valkey-server is on the PATH; install one (apt-get install redis-server, dnf install valkey, brew install redis) or set REDIS_URL';

/**
 * Finds a Redis server on the PATH, or else fetches Debian's package and unpacks it for ourselves. It
 * is not installed: that would need root, and would start a service.
 *
 * @throws ConfigError that says how to get one.
 */
export async function ensureRedisServer(
  env: NodeJS.ProcessEnv,
  run: (command: Command, stopMsMax: number) => Promise<void>,
  root = packageDir,
): Promise<RedisServer> {
  const path = env['PATH'] ?? '';
  const found = findRedisServer(path) ?? findUnpacked(root);
  if (found !== undefined) return found;
  if (findOnPath('apt-get', path) === undefined) throw new ConfigError(howToGetIt);
  try {
    await fetchPackage(env, root, run);
  } catch (error) {
    throw new ConfigError(`${howToGetIt} (apt: ${String(error)})`);
  }
  const fetched = findUnpacked(root);
  if (fetched === undefined) throw new ConfigError(howToGetIt);
  return fetched;
}

/** apt with its lists and archives in our own directory, so that any user may run it. */
async function fetchPackage(
  env: NodeJS.ProcessEnv,
  root: string,
  run: (command: Command, stopMsMax: number) => Promise<void>,
): Promise<void> {
  const apt = `${root}.apt`;
  const unfinished = `${root}.new`;
  for (const dir of ['lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(apt, dir), { recursive: true });
  }
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  const options = [
    `Dir::State::lists=${join(apt, 'lists')}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    'Debug::NoLocking=true',
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  const execute = (command: string, args: string[]) =>
    run({ name: 'redis', command, args, env, orphanSignal: 'SIGTERM' }, aptStopMsMax);

  await execute('apt-get', [...options, '-q', 'update']);
  const fetch = ['-q', '-y', '--download-only', '--no-install-recommends'];
  await execute('apt-get', [...options, ...fetch, 'install', 'redis-server']);
  const archives = join(apt, 'cache/archives');
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
    await execute('dpkg-deb', ['-x', join(archives, file), unfinished]);
  }
  rmSync(root, { recursive: true, force: true });
  renameSync(unfinished, root);
  rmSync(apt, { recursive: true, force: true });
}

function findUnpacked(root: string): RedisServer | undefined {
  const server = findRedisServer(join(root, 'usr/bin'));
  if (server === undefined) return undefined;
  const libraries = ['usr/lib', 'lib'].flatMap((dir) =>
    entries(join(root, dir))
      .filter((name) => name.includes('-linux-'))
      .map((name) => join(root, dir, name)),
  );
  return { ...server, env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

function entries(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
