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
  /** CPU of the generator itself while the load ran, where it knows it. */
  cpuMs: Type.Optional(Type.Integer()),
  /** How late it was itself with a message that was due, where it knows that. It is part of the latencies. */
  lateP99Us: Type.Optional(Type.Integer()),
});

/** The result of a load run; latencies in microseconds, as the load generator sees them. The rate is of 202s. */
export type Load = Static<typeof LoadSummary> & { requestsPerSecond: number };

/** @throws with one line on how to install wrk, if it is missing. */
export function requireWrk(): void {
  try {
    execFileSync('which', ['wrk']);
  } catch {
    throw new Error('the benchmarks need wrk: apt-get install wrk');
  }
}

/** Loads `url` with the prepared requests, as fast as they are answered or `perSecond` of them. */
export function load(options: {
  url: string;
  requestsPath: string;
  connections: number;
  seconds: number;
  perSecond?: number;
}): Promise<Load> {
  const { requestsPath, perSecond = 0, ...target } = options;
  const script = join(import.meta.dirname, 'load.lua');
  return runScript(script, target, [requestsPath, String(perSecond)]);
}

/** Runs wrk with a script that prints a summary as its last line. */
export async function runScript(
  script: string,
  { url, connections, seconds }: { url: string; connections: number; seconds: number },
  scriptArgs: string[],
): Promise<Load> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script];
  const { stdout } = await promisify(execFile)('wrk', [...args, url, '--', ...scriptArgs]);
  const line = stdout.trim().split('\n').at(-1) ?? '';
  const summary = Value.Parse(LoadSummary, JSON.parse(line));
  const taken = summary.requests - summary.refused;
  return { ...summary, requestsPerSecond: taken / (summary.microseconds / 1e6) };
}
