import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** What a load generator prints. */
export const LoadSummary = Type.Object({
  requests: Type.Integer(),
  microseconds: Type.Integer(),
  p50Us: Type.Integer(),
  p99Us: Type.Integer(),
  p999Us: Type.Integer(),
  refused: Type.Integer(),
  errors: Type.Integer(),
});

/** What a load run gave; latencies in microseconds, from the load generator's side. The rate is of what was taken. */
export type Load = Static<typeof LoadSummary> & { requestsPerSecond: number };

/** @throws with one line on how to get wrk where there is none. */
export function requireWrk(): void {
  try {
    execFileSync('which', ['wrk']);
  } catch {
    throw new Error('the benchmarks need wrk: apt-get install wrk');
  }
}

/** Loads `url` with the prepared requests, as fast as they are answered or `perSecond` of them. */
export async function load(options: {
  url: string;
  requestsPath: string;
  connections: number;
  seconds: number;
  perSecond?: number;
}): Promise<Load> {
  const { url, requestsPath, connections, seconds, perSecond = 0 } = options;
  const script = join(import.meta.dirname, 'load.lua');
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script];
  const { stdout } = await promisify(execFile)('wrk', [
    ...args,
    url,
    '--',
    requestsPath,
    String(perSecond),
  ]);
  const line = stdout.trim().split('\n').at(-1) ?? '';
  const summary = Value.Parse(LoadSummary, JSON.parse(line));
  const taken = summary.requests - summary.refused;
  return { ...summary, requestsPerSecond: taken / (summary.microseconds / 1e6) };
}
