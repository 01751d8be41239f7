import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { BenchProcess } from '../processes.ts';
import { type Load, LoadSummary } from './wrk.ts';

const Summary = Type.Object({
  ...LoadSummary.properties,
  lateP99Us: Type.Integer(),
  lateP999Us: Type.Integer(),
});

type DeviceLoad = {
  /** The file of prepared messages: a line for each device. */
  path: string;
  /** The second that stands in them. */
  second: number;
  /** Of all devices; 0: each sends again once it is answered. */
  perSecond: number;
  seconds: number;
};

/** Lets devices publish over HTTP, each over its own connection; the generator is a process of its own, as wrk is. */
export async function deviceLoad(
  edge: BenchProcess,
  { path, second, perSecond, seconds }: DeviceLoad,
): Promise<Load & { lateP99Us: number; lateP999Us: number }> {
  const script = join(import.meta.dirname, 'generator.ts');
  const args = [script, path, String(second), String(perSecond), String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, BENCH_TARGET: new URL(edge.url).host },
  });
  const summary = Value.Parse(Summary, JSON.parse(stdout));
  return { ...summary, requestsPerSecond: summary.requests / (summary.microseconds / 1e6) };
}
