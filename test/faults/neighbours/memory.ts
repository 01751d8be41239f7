import { readFileSync } from 'node:fs';
import { readRun } from '../../../infra/local/installation/run-file.ts';

const mebibyte = 1_024;

/** What each process may hold at most, in KiB as /proc counts. PostgreSQL is all of its processes together. */
export const memoryMax: Readonly<Record<string, number>> = {
  ingest: 1_536 * mebibyte,
  api: 600 * mebibyte,
  workers: 400 * mebibyte,
  clickhouse: 4_096 * mebibyte,
  redis: 512 * mebibyte,
  postgres: 2_048 * mebibyte,
};

const everyMs = 500;

/** The name of a process without the number of its edge. */
export const kindOf = (name: string): string => name.replace(/-\d+$/, '');

/** Notes the most that each process held, until told to stop. */
export function watchMemory(dataDir: string) {
  const most: Record<string, number> = {};
  const pids: Record<string, number> = {};
  const restarted = new Set<string>();
  const look = () => {
    for (const [name, { pid }] of Object.entries(readRun(dataDir)?.children ?? {})) {
      if (memoryMax[kindOf(name)] === undefined) continue;
      if (pids[name] !== undefined && pids[name] !== pid) restarted.add(name);
      pids[name] = pid;
      most[name] = Math.max(most[name] ?? 0, kibibytesOf(pid));
    }
  };
  look();
  const timer = setInterval(look, everyMs);
  return {
    /** The most of each, in KiB, and who was started again. */
    stop(): { most: Record<string, number>; restarted: string[] } {
      clearInterval(timer);
      look();
      return { most, restarted: [...restarted] };
    },
  };
}

/** A process and those it has made; pages that they share count once. */
function kibibytesOf(pid: number): number {
  let own = 0;
  let shared = 0;
  for (const one of [pid, ...childrenOf(pid)]) {
    const status = textOf(`/proc/${one}/status`);
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
    own += field('RssAnon');
    shared = Math.max(shared, field('RssShmem') + field('RssFile'));
  }
  return own + shared;
}

function childrenOf(pid: number): number[] {
  const own = textOf(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean);
  return own.map(Number).flatMap((child) => [child, ...childrenOf(child)]);
}

/** What has ended holds nothing. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
