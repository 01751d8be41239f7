import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Run, readRun } from '../../infra/local/installation/run-file.ts';
import { eventually } from './eventually.ts';

const startScript = join(import.meta.dirname, '../../infra/local/start.ts');
/** A start is no test of speed: a machine may have much else to do. */
const startMsMax = 180_000;
/** The supervisor waits up to 10 s before it starts what is killed again and again. */
const respawnMsMax = 60_000;

/** A store beside the system: what `openClickHouse` takes, and the file that has the id of its engine's process. */
export type ClusterStore = { storeUrl: string; enginePidFile: string };

declare module 'vitest' {
  interface ProvidedContext {
    systemDataDir: string;
    /** Where the store of the shared system is a cluster (see vitest.cluster.config.ts). */
    cluster: ClusterStore | undefined;
  }
}

/** Millrace, running: where it answers, and its processes (`ingest`, `api`, `workers`, `clickhouse`, …). */
export type System = Omit<Run, 'supervisor' | 'children'> & {
  dataDir: string;
  /** The process of this name that runs now; waits for a restart under way. */
  pid(name: string): Promise<number>;
  /** Signals the process of this name, and waits until it is gone if the signal is SIGKILL. */
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
};

/** A system of one's own. */
export type OwnSystem = System & {
  /** The process that `npm start` runs. */
  supervisorPid: number;
  /** Everything printed so far. */
  output(): string;
  /** Its exit code, once it has ended. */
  exited: Promise<number | null>;
  /** Stops it in order. After a failure the output is printed and the data kept. */
  stop(failed?: boolean): Promise<void>;
};

const attached = new Map<string, System>();

/** The system that all tests of this run share. It is looked up once: each request asks for it. */
export function system(): System {
  const dataDir = inject('systemDataDir');
  const known = attached.get(dataDir) ?? shared(dataDir);
  attached.set(dataDir, known);
  return known;
}

/** Whether the store of the shared system is a cluster. */
export const hasCluster = () => inject('cluster') !== undefined;

function shared(dataDir: string): System {
  const cluster = inject('cluster');
  const own = attach(dataDir);
  return cluster === undefined ? own : withStore(own, cluster);
}

/** The same system, whose process `clickhouse` is that of a store beside it. */
export function withStore<S extends System>(own: S, { storeUrl, enginePidFile }: ClusterStore): S {
  const pid = async (name: string) =>
    name === 'clickhouse' ? Number(readFileSync(enginePidFile, 'utf8')) : own.pid(name);
  return { ...own, clickhouseUrl: storeUrl, pid, kill: killsBy(pid) };
}

/**
 * Starts a whole Millrace as `npm start` does, on free ports, over a `DATA_DIR` of its own unless one
 * is given, and waits until it is ready.
 */
export async function startSystem(
  options: { env?: Record<string, string>; dataDir?: string } = {},
): Promise<OwnSystem> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const started = await untilUp(runStart({ DATA_DIR: dataDir, ...options.env }), dataDir);
  return {
    ...started,
    async stop(failed = false) {
      await started.stop(failed);
      if (!failed && options.dataDir === undefined) rmSync(dataDir, { recursive: true });
    },
  };
}

/** The system that was started on this data, once it is ready. */
export async function untilUp(start: Start, dataDir: string): Promise<OwnSystem> {
  const upOrEnded = eventually(() => start.output().includes('Millrace is up'), startMsMax);
  const code = await Promise.race([upOrEnded, start.exited]);
  if (code !== true) {
    throw new Error(`Millrace did not start (${code}); data in ${dataDir}\n${start.output()}`);
  }
  return {
    ...attach(dataDir),
    ...start,
    async stop(failed = false) {
      process.kill(start.supervisorPid, 'SIGTERM');
      await start.exited;
      if (failed) process.stdout.write(`${start.output()}\ndata kept in ${dataDir}\n`);
    },
  };
}

/** A start under way. */
export type Start = Pick<OwnSystem, 'supervisorPid' | 'output' | 'exited'>;

/** Runs `npm start`'s script, or npm itself, with these settings, and none of the machine's own. */
export function runStart(env: Record<string, string>, by: 'node' | 'npm' = 'node'): Start {
  const [command, args] =
    by === 'npm' ? ['npm', ['start', '--silent']] : [process.execPath, [startScript]];
  const child = spawn(command, args, {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      ...process.env,
      NODE_ENV: '',
      API_PORT: '0',
      INGEST_PORT: '0',
      WORKERS_PORT: '0',
      INGEST_OPERATOR_PORT: '0',
      MQTT_PORT: '0',
      MQTT_TLS_PORT: '0',
      DATABASE_URL: '',
      REDIS_URL: '',
      CLICKHOUSE_URL: '',
      CLICKHOUSE_CLUSTER: '',
      ADMIN_EMAIL: '',
      ADMIN_PASSWORD: '',
      SMTP_URL: '',
      PUBLIC_URL: '',
      CERTS_CA_CERT: '',
      CERTS_CA_KEY: '',
      EDGE_CLIENT_CERT_PROXIES: '',
      EDGE_TLS_PORT: '',
      // Receivers of the tests are on this machine.
      WEBHOOK_ALLOW_PRIVATE: '',
      WEBHOOK_ALLOW: '127.0.0.0/8, ::1/128',
      // Many tests invite the same person.
      INVITES_PER_MAILBOX_PER_DAY_MAX: '1000',
      ...env,
    },
    // The channel makes it stop when the tests are gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.pid === undefined) throw new Error('node could not be started');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    supervisorPid: child.pid,
    output: () => output,
    exited: once(child, 'close').then(() => child.exitCode),
  };
}

function attach(dataDir: string): System {
  const run = readRun(dataDir);
  if (run === undefined) throw new Error(`nothing runs on ${dataDir}`);
  const { supervisor: _supervisor, children: _children, ...addresses } = run;
  const pid = (name: string) =>
    eventually(() => {
      const child = readRun(dataDir)?.children[name];
      if (child === undefined) throw new Error(`${name} does not run`);
      return child.pid;
    }, respawnMsMax);
  return {
    ...addresses,
    dataDir,
    pid,
    kill: killsBy(pid),
  };
}

function killsBy(pid: System['pid']): System['kill'] {
  return async (name, signal) => {
    const target = await pid(name);
    process.kill(target, signal);
    if (signal !== 'SIGKILL') return;
    await eventually(async () => (await pid(name)) !== target, respawnMsMax);
  };
}
