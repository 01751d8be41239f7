import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { niceness } from '../../infra/local/supervisor/priority.ts';
import { pickPorts } from '../../infra/local/installation/ports.ts';
import { identify, readRun } from '../../infra/local/installation/run-file.ts';
import { holdersOf } from '../../infra/local/installation/take-over.ts';
import { eventually } from '../support/eventually.ts';
import { settingsOf } from '../support/services/settings.ts';
import { killEverything } from '../faults/kill-everything.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { judge, type Numbered, sendNumbered } from '../support/messages/numbered.ts';
import { type OwnSystem, runStart, type Start, startSystem, untilUp } from '../support/system.ts';

const connections = 20;
const names = ['redis', 'postgres', 'clickhouse', 'ingest', 'api', 'workers'];

let dataDir: string;
let failed = false;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(() => {
  if (!failed) rmSync(dataDir, { recursive: true });
});

describe.concurrent('a start that cannot succeed', () => {
  it('names every bad setting in one line, and starts nothing', async () => {
    const untouched = join(dataDir, 'untouched');
    const start = runStart({
      DATA_DIR: untouched,
      API_PORT: 'high',
      INGEST_PROCESSES: '0',
      CLICKHOUSE_URL: 'tcp://somewhere',
      NODE_ENV: 'production',
    });
    expect(await start.exited).toBe(1);
    const [line, ...more] = start.output().trim().split('\n');
    for (const name of [
      'API_PORT',
      'INGEST_PROCESSES',
      'CLICKHOUSE_URL',
      'JWT_SECRET',
      'SECRET_KEY',
    ]) {
      expect(line).toContain(`${name}: `);
    }
    expect(more).toEqual([]);
    expect(existsSync(untouched)).toBe(false);
  });

  it('says which port is taken, and which variable names it', async () => {
    const [port = 0] = await pickPorts(1);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const start = runStart({ DATA_DIR: join(dataDir, 'taken'), INGEST_PORT: String(port) });
    expect(await start.exited).toBe(1);
    server.close();
    expect(start.output()).toBe(
      `millrace: INGEST_PORT: port ${port} is taken by another process\n`,
    );
  });
});

/** Each start here goes on with what the one before it left. */
const npmDir = () => join(dataDir, 'npm');

describe('npm start', () => {
  it('can be repeated after everything was killed in its first initdb', async () => {
    const start = runStart({ DATA_DIR: npmDir() });
    await eventually(() => /initdb +info +started/.test(start.output()), 30_000);
    await killEverything(start.supervisorPid, npmDir());
    await start.exited;
    // The starts below find it so.
    expect(existsSync(join(npmDir(), 'postgres'))).toBe(false);
  });

  it.each([
    ['SIGTERM', 'npm'],
    ['SIGINT', 'its child'],
  ] as const)('is ended by %s to %s in the middle of its start', async (signal, target) => {
    const start = runStart({ DATA_DIR: npmDir() }, 'npm');
    await eventually(() => /clickhouse +info +started/.test(start.output()), 30_000);
    const child = readRun(npmDir())?.supervisor.pid;
    process.kill(target === 'npm' ? start.supervisorPid : (child ?? 0), signal);
    expect(await start.exited).toBe(0);
    mustBeGone(start);
  });
});

describe('a system that runs', () => {
  let system: OwnSystem;
  let fleet: Fleet;
  let thing: Thing;
  let numbered: Numbered;

  /** The process that npm runs. */
  let supervisorPid: number;

  afterAll(async () => {
    if (identify(system.supervisorPid) !== undefined) await system.stop(failed);
  });

  it('is one of two that npm starts at once, and the other says so', async () => {
    const starts = [1, 2].map((n) => {
      const env = { DATA_DIR: npmDir(), TMPDIR: mkdtempSync(join(dataDir, `tmp-${n}-`)) };
      const start = runStart({ ...env, LOG_LEVEL: 'debug' }, 'npm');
      return { ...start, ended: start.exited.then(() => start) };
    });
    const refused = await Promise.race(starts.map(({ ended }) => ended));
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toMatch(/^millrace: DATA_DIR: .* already runs on .*\/npm\n$/);
    const [winner] = starts.filter((start) => start.supervisorPid !== refused.supervisorPid);
    if (winner === undefined) throw new Error('none runs');
    system = await untilUp(winner, npmDir());
    supervisorPid = readRun(npmDir())?.supervisor.pid ?? 0;
  }, 240_000);

  it('ends its start with the console, who signs in, and what to type next', () => {
    const [before = '', last = ''] = system.output().split('Millrace is up');
    const url = `http://localhost:${new URL(system.apiUrl).port}`;
    expect(last).toMatch(
      new RegExp(
        `^  console  ${url}\n  sign in  ${system.adminEmail}  ${system.adminPassword}$`,
        'm',
      ),
    );
    expect(last).toContain(`MILLRACE_URL=${url} npx millrace login ${system.adminEmail}\n`);
    expect(last).toContain(`DATA_DIR=${system.dataDir} npm run demo\n`);
    // Nothing alarms before: what is seen here is seen first by everyone.
    expect(before.split('\n').filter((line) => /fatal|warn|error/i.test(line))).toEqual([]);
  });

  it('shows its secrets to no other user', async () => {
    const secrets: unknown = JSON.parse(readFileSync(join(system.dataDir, 'secrets.json'), 'utf8'));
    for (const name of names) {
      const commandLine = readFileSync(`/proc/${await system.pid(name)}/cmdline`, 'utf8');
      for (const secret of Object.values(secrets ?? {})) expect(commandLine).not.toContain(secret);
    }
    const open = readdirSync(system.dataDir, { recursive: true, encoding: 'utf8' }).filter((file) =>
      isOpen(join(system.dataDir, file)),
    );
    expect(open).toEqual([]);
    // The group is for PostgreSQL's user, when root starts it: it may pass, and see nothing.
    expect(statSync(system.dataDir).mode & 0o067).toBe(0);
  });

  it('goes on while its notes of what runs can’t be written, and writes them later', async () => {
    const before = await system.pid('workers');
    // As on a full disk: the new file can't be made.
    const inTheWay = join(system.dataDir, 'run.json.new');
    mkdirSync(inTheWay);
    process.kill(before, 'SIGKILL');
    await eventually(() => expect(system.output()).toMatch(/warn .*run\.json can't be written/));
    rmdirSync(inTheWay);
    await eventually(async () => {
      expect(readRun(system.dataDir)?.children['workers']?.pid).not.toBe(before);
      expect(await healthOf(system)).toEqual(['pass', 'pass', 'pass']);
    });
  });

  it('refuses a second start on its data, and is not disturbed by it', async () => {
    const before = rightsIn(system.dataDir);
    // As in another container: of its own are the network and /tmp, but not the data.
    const elsewhere = mkdtempSync(join(dataDir, 'tmp-'));
    const second = runStart({ DATA_DIR: system.dataDir, TMPDIR: elsewhere });
    expect(await second.exited).toBe(1);
    expect(second.output()).toBe(
      `millrace: DATA_DIR: process ${supervisorPid} already runs on ${system.dataDir}\n`,
    );
    expect(rightsIn(system.dataDir)).toEqual(before);
    const stores = await openStores(system);
    await stores.postgres.query('SELECT count(*) FROM pg_stats');
    await stores.close();
  });

  it('refuses edges that need more connections than PostgreSQL has', async () => {
    const crowd = runStart({
      DATA_DIR: join(dataDir, 'crowd'),
      DATABASE_URL: system.databaseUrl,
      INGEST_PROCESSES: '64',
    });
    expect(await crowd.exited).toBe(1);
    expect(crowd.output()).toMatch(
      /^millrace: INGEST_PROCESSES: with 64 of them up to \d+ connections .* DATABASE_URL allows 97; /,
    );
  });

  it('ends a start with the message of a process that refuses a setting', async () => {
    // Beside the stores that run: the start of others is no matter here.
    const { databaseUrl, redisUrl, clickhouseUrl } = system;
    const refused = runStart({
      DATA_DIR: join(dataDir, 'refused'),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      CLICKHOUSE_URL: clickhouseUrl,
      BODY_BYTES_MAX: 'plenty',
    });
    expect(await refused.exited).toBe(1);
    expect(refused.output().trim().split('\n').at(-1)).toMatch(
      /^millrace: ingest did not start: BODY_BYTES_MAX: /,
    );
  });

  it('refuses databases that are too old, in every process, before anything is changed', async () => {
    const [clickhouse, redis] = [oldClickHouse(), oldRedis()];
    await Promise.all([once(clickhouse, 'listening'), once(redis, 'listening')]);
    const old = {
      CLICKHOUSE_URL: `http://127.0.0.1:${portOf(clickhouse)}`,
      REDIS_URL: `redis://127.0.0.1:${portOf(redis)}`,
      // A database without our tables.
      DATABASE_URL: system.databaseUrl.replace(/[^/]+$/, 'postgres'),
    };
    const settings = { ...(await settingsOf(system, 'api')), ...old };
    const scripts = ['infra/migrations', 'ingest', 'api', 'workers'].map(
      (part) => `${part}/${part.endsWith('migrations') ? 'migrate' : 'main'}.ts`,
    );
    const ends = await Promise.all(scripts.map((script) => runToEnd(script, settings)));
    clickhouse.close();
    redis.close();
    for (const { status, output } of ends) {
      expect(output).toContain(
        'CLICKHOUSE_URL: ClickHouse 24.3.18.7 is too old; 26.7 is the least; REDIS_URL: Redis 6.2.14 is too old; 7.0 is the least',
      );
      expect(status).toBe(1);
    }
    const postgres = new Client({ connectionString: old.DATABASE_URL });
    await postgres.connect();
    const { rows } = await postgres.query(`SELECT to_regclass('migrations') AS migrations`);
    await postgres.end();
    expect(rows).toEqual([{ migrations: null }]);
  });

  it('refuses a second edge on the log of a running one', async () => {
    const elsewhere = mkdtempSync(join(dataDir, 'tmp-'));
    const settings = await settingsOf(system, 'ingest');
    const { status, output: stdout } = await runToEnd('ingest/main.ts', {
      ...settings,
      TMPDIR: elsewhere,
      INGEST_PORT: '0',
    });
    expect(status).toBe(1);
    expect(stdout).toContain(`another process has ${join(system.dataDir, 'log/0')}`);
  });

  it('gives the processor to the edge and Redis first, and to the workers last', async () => {
    const pids = await pidsOf(system);
    const found = Object.fromEntries(names.map((name, at) => [name, getPriority(pids[at])]));
    const own = getPriority();
    const [first, after, last] = [own, ...[5, 10].map((nice) => Math.max(own, nice))];
    expect(found).toEqual({
      ingest: first,
      redis: first,
      workers: last,
      api: after,
      postgres: after,
      clickhouse: after,
    });
  });

  it('weighs each connection of PostgreSQL as the other answers, not as the edge', async () => {
    const pid = await system.pid('postgres');
    const weights = () => {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      expect(children.length).toBeGreaterThan(10);
      return new Set([pid, ...children].map((of) => /nice (\d+)/.exec(autogroupOf(of))?.[1]));
    };
    // A kernel without autogroups has no weights of sessions. Where it has, the file of a session that began before
    // them (the first of a container, which may be that of this test) is there and empty.
    const hasAutogroups = existsSync('/proc/self/autogroup');
    const expected = hasAutogroups ? String(niceness.answers.session) : undefined;
    await eventually(() => expect(weights()).toEqual(new Set([expected])), 50_000);
  });

  it('restarts a killed process, at its address, with its data', async () => {
    await writeMarks(system);
    const before = await pidsOf(system);
    for (const name of names) await system.kill(name, 'SIGKILL');
    await eventually(async () => {
      const after = await pidsOf(system);
      for (const [index, pid] of after.entries()) expect(pid).not.toBe(before[index]);
      expect(await healthOf(system)).toEqual(['pass', 'pass', 'pass']);
      expect((await fetch(`http://${new URL(system.clickhouseUrl).host}/ping`)).ok).toBe(true);
      await expectMarks(system);
    }, 30_000);
  });

  it('stops in order on Ctrl-C under load, within 15 s, and leaves no process', async () => {
    fleet = await Fleet.login(system);
    thing = await fleet.thing();
    numbered = sendNumbered(fleet, thing, connections);
    await eventually(() => numbered.acknowledged.size > 1_000, 30_000);
    await expectErasingToWait(system, fleet);
    const pids = await pidsOf(system);
    const stoppingMs = performance.now();
    // The terminal sends it to both, and npm passes it on.
    process.kill(system.supervisorPid, 'SIGINT');
    process.kill(supervisorPid, 'SIGINT');
    await eventually(() => /ingest +info +stopped$/m.test(system.output()), 15_000);
    await numbered.stop();
    await fleet.close();
    expect(await system.exited).toBe(0);
    expect(performance.now() - stoppingMs).toBeLessThan(15_000);
    mustBeGone(system);
    const output = system.output();
    const ends = ['api +info  stopped', 'ingest +info  stopped', 'clickhouse +info  stopped'];
    expect(output).toMatch(/ workers +info  stopped/);
    const order = [...ends, 'postgres .*is shut down', 'redis .*bye bye'].map((end) =>
      output.search(new RegExp(` ${end}`)),
    );
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(pids.map(identify)).toEqual(names.map(() => undefined));
  });

  it('closes the parts of the edge in reverse order of opening', () => {
    const closed = system.output().matchAll(/ingest +debug closed part=(\w+)$/gm);
    expect([...closed].map((match) => match[1])).toEqual([
      'history',
      'listener',
      'barriers',
      'commands',
      'usage',
      'housekeeping',
      'sinks',
      'sessions',
      'log',
      'lock',
      'journal',
      'notices',
      'redis',
      'postgres',
    ]);
  });

  it('has its data after a restart, with all that was acknowledged, once', async () => {
    system = await startSystem({ dataDir: system.dataDir });
    await expectMarks(system);
    fleet = await Fleet.login(system);
    const nothingWrong = { lost: [], twice: [], invented: [] };
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
    await fleet.close();
  });

  it('stops processes that a killed supervisor has left', async () => {
    const pids = await pidsOf(system);
    process.kill(system.supervisorPid, 'SIGKILL');
    await system.exited;
    // Our own see that they are alone, and stop by themselves.
    await eventually(() =>
      expect(pids.slice(2).map(identify)).toEqual(names.slice(2).map(() => undefined)),
    );

    system = await startSystem({ dataDir: system.dataDir });
    expect(pids.map(identify)).toEqual(names.map(() => undefined));
    expect(system.output()).toMatch(/postgres \(pid \d+\) was left behind/);
    expect(system.output()).toMatch(/redis \(pid \d+\) was left behind/);
    await expectMarks(system);
  });

  it('starts at the first try after kill -9 of everything, even if other processes have the pids', async () => {
    await killEverything(system.supervisorPid, system.dataDir);
    await system.exited;
    // As after a reboot: another process, of the same user, has come to PostgreSQL's number.
    const pidFile = join(system.dataDir, 'postgres/postmaster.pid');
    const { uid, gid } = statSync(pidFile);
    const another = spawn('sleep', ['600'], { uid, gid, cwd: '/' });
    const left = readFileSync(pidFile, 'utf8');
    writeFileSync(pidFile, left.replace(/^\d+/, String(another.pid)));
    system = await startSystem({ dataDir: system.dataDir }).finally(() => another.kill());
    expect(system.output()).not.toMatch(/starts again|postmaster\.pid/);
    await expectMarks(system);
  });

  it('a second Ctrl-C ends it at once', async () => {
    const pids = await pidsOf(system);
    await system.kill('api', 'SIGSTOP');
    await eventually(() => {
      const runs = identify(system.supervisorPid) !== undefined;
      if (runs) process.kill(system.supervisorPid, 'SIGINT');
      return !runs;
    });
    expect(await system.exited).toBe(1);
    expect(system.output()).toMatch(/millrace: stopped at once; .*\n$/);
    expect(pids.map(identify)).toEqual(names.map(() => undefined));
  });
});

/** Of a process; empty where it has none. */
function autogroupOf(pid: number | string): string {
  const path = `/proc/${pid}/autogroup`;
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Until the workers wait for the log of an edge that is away, to erase what a thing has left. */
async function expectErasingToWait(system: OwnSystem, fleet: Fleet): Promise<void> {
  const { id } = await fleet.thing();
  const postgres = new Client({ connectionString: system.databaseUrl });
  await postgres.connect();
  await postgres.query('INSERT INTO logs (id, settled) VALUES (gen_random_uuid(), 0)');
  expect((await fleet.call('DELETE', `/things/${id}`)).status).toBe(204);
  const taken = `SELECT FROM erased_things WHERE thing_id = $1 AND due_at > now() + interval '1 minute'`;
  await eventually(async () => (await postgres.query(taken, [id])).rowCount === 1);
  await postgres.end();
}

function mustBeGone(start: Start): void {
  expect(start.output()).not.toContain('was killed');
  expect(holdersOf(join(npmDir(), 'children.lock'))).toEqual([]);
  expect(existsSync(join(npmDir(), 'run.json'))).toBe(false);
}

/** True if others than its user have rights on it. Files of databases come and go, and links have no rights. */
function isOpen(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
}

/** Who may do what with what is in a directory. */
function rightsIn(directory: string): string[] {
  return ['.', ...readdirSync(directory)].map((name) => {
    const { mode, uid, gid } = statSync(join(directory, name));
    return `${name} ${mode.toString(8)} ${uid} ${gid}`;
  });
}

/** Runs a process of ours that is to end by itself. */
async function runToEnd(script: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../..', script)], { env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return { status: child.exitCode, output };
}

/** As an old ClickHouse answers when it is asked for its version. */
const oldClickHouse = () =>
  createHttpServer((_, response) => response.end('24.3.18.7\n')).listen(0, '127.0.0.1');

/** As an old Redis does: it says OK to all, and who it is. */
const oldRedis = () =>
  createServer((socket) => {
    const about = '# Server\r\nredis_version:6.2.14\r\nloading:0\r\n';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const [, command = ''] of chunk.toString().matchAll(/^\*\d+\r\n\$\d+\r\n(\w+)/gm)) {
        const isAsked = command.toLowerCase() === 'info';
        socket.write(isAsked ? `$${about.length}\r\n${about}\r\n` : '+OK\r\n');
      }
    });
  }).listen(0, '127.0.0.1');

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

function pidsOf(system: OwnSystem): Promise<number[]> {
  return Promise.all(names.map((name) => system.pid(name)));
}

function healthOf(system: OwnSystem): Promise<unknown[]> {
  return Promise.all(
    [system.apiUrl, system.ingestUrl, system.workersUrl].map(async (url) => {
      const body: unknown = await (await fetch(`${url}/health`)).json();
      return typeof body === 'object' && body !== null && 'status' in body ? body.status : body;
    }),
  );
}

async function writeMarks(system: OwnSystem): Promise<void> {
  const marks = await openStores(system);
  await marks.postgres.query('CREATE TABLE marks AS SELECT 42 AS mark');
  await marks.redis.set('mark', '42');
  await marks.close();
}

async function expectMarks(system: OwnSystem): Promise<void> {
  const marks = await openStores(system);
  try {
    expect((await marks.postgres.query('SELECT mark FROM marks')).rows).toEqual([{ mark: 42 }]);
    expect(await marks.redis.get('mark')).toBe('42');
  } finally {
    await marks.close();
  }
}

async function openStores(system: OwnSystem) {
  const postgres = new Client({ connectionString: system.databaseUrl });
  postgres.on('error', () => undefined);
  const redis = new Redis(system.redisUrl, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  await redis.connect();
  await postgres.connect();
  return {
    postgres,
    redis,
    async close() {
      redis.disconnect();
      await postgres.end();
    },
  };
}
