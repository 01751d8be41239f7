import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Addresses } from './addresses.ts';
import type { StartConfig } from './config.ts';
import { isAbsent, writePrivateFile } from '../../runtime/process/files.ts';
import type { LocalSecrets } from './local-secrets.ts';

/*
 * `DATA_DIR/run.json` says what runs on this data: the supervisor, its children, and where they are.
 * It is written at each start and end of a child and removed by an orderly stop, so that after a
 * `kill -9` of the supervisor the next start finds what was left behind. A process is known by its
 * number and the moment the kernel started it, which no later process shares.
 */

const retryMs = 1_000;

const identity = Type.Object({ pid: Type.Integer({ minimum: 1 }), startedAt: Type.String() });
const schema = Type.Object({
  supervisor: identity,
  /** `orphanSignal` stops one that does not stop by itself once the supervisor is gone. */
  children: Type.Record(
    Type.String(),
    Type.Object({
      ...identity.properties,
      orphanSignal: Type.Union([Type.Literal('SIGTERM'), Type.Literal('SIGINT'), Type.Null()]),
    }),
  ),
  apiUrl: Type.String(),
  ingestUrl: Type.String(),
  workersUrl: Type.String(),
  /** Absent without MQTT. */
  mqttPort: Type.Optional(Type.Integer()),
  adminEmail: Type.String(),
  adminPassword: Type.String(),
  databaseUrl: Type.String(),
  redisUrl: Type.String(),
  clickhouseUrl: Type.String(),
});

/** The processes that run on a `DATA_DIR`. */
export type Run = Static<typeof schema>;
export type RunChild = Run['children'][string];
type Identity = Static<typeof identity>;

/** Reads `run.json`; undefined when nothing runs here, or what is written can't be read. */
export function readRun(dataDir: string): Run | undefined {
  try {
    return Value.Parse(schema, JSON.parse(readFileSync(runPath(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Opens this run's `run.json`, for the supervisor to keep it true. A note that can't be written, as on a full disk, is
 * no reason to stop anything: `warn` is told, and it is tried again. Until then a next start finds what runs by its
 * lock.
 *
 * @throws Error on a system without /proc.
 */
export function openRunFile(
  config: StartConfig,
  secrets: LocalSecrets,
  addresses: Addresses,
  warn: (message: string) => void,
) {
  const supervisor = identify(process.pid);
  if (supervisor === undefined) throw new Error('npm start needs Linux: there is no /proc here');
  const { apiPort, ingestPort, workersPort, mqttPort } = addresses;
  const { databaseUrl, redisUrl, clickhouseUrl } = addresses;
  const run: Run = {
    supervisor,
    children: {},
    apiUrl: `http://127.0.0.1:${apiPort}`,
    ingestUrl: `http://127.0.0.1:${ingestPort}`,
    workersUrl: `http://127.0.0.1:${workersPort}`,
    ...(mqttPort === undefined ? {} : { mqttPort }),
    adminEmail: config.adminEmail,
    adminPassword: config.adminPassword ?? secrets.adminPassword,
    databaseUrl,
    redisUrl,
    clickhouseUrl,
  };
  const path = runPath(config.dataDir);
  let retry: NodeJS.Timeout | undefined;
  const write = () => {
    const isFirstTry = retry === undefined;
    clearTimeout(retry);
    retry = undefined;
    try {
      writePrivateFile(path, JSON.stringify(run, null, 2));
    } catch (error) {
      if (isFirstTry) warn(`${path} can't be written: ${String(error)}; it is tried again`);
      retry = setTimeout(write, retryMs).unref();
    }
  };
  write();
  return {
    started(name: string, pid: number, orphanSignal: 'SIGTERM' | 'SIGINT' | null): void {
      const process = identify(pid);
      if (process === undefined) return;
      run.children[name] = { ...process, orphanSignal };
      write();
    },
    ended(name: string): void {
      delete run.children[name];
      write();
    },
    remove(): void {
      clearTimeout(retry);
      rmSync(path, { force: true });
    },
  };
}

/** The identity of a running process; undefined if there is none, or only a zombie. */
export function identify(pid: number): Identity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything; the state is the 1st field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { pid, startedAt: `${boot} ${fields[19]}` };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Whether this process still runs, and not another one with its pid. */
export function isAlive(expected: Identity): boolean {
  return identify(expected.pid)?.startedAt === expected.startedAt;
}

/** Where it is. */
export function runPath(dataDir: string): string {
  return join(dataDir, 'run.json');
}
