import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Value } from 'typebox/value';
import { type Load, LoadSummary } from './wrk.ts';

/** Sends the prepared messages over streams, `perFrame` a frame, as fast as they are acknowledged. */
export async function streamLoad(options: {
  url: string;
  requestsPath: string;
  connections: number;
  perFrame: number;
  seconds: number;
}): Promise<Load> {
  const { url, requestsPath, connections, perFrame, seconds } = options;
  const script = join(import.meta.dirname, 'stream-generator.ts');
  const args = [script, requestsPath, ...[connections, perFrame, seconds].map(String)];
  const env = { ...process.env, BENCH_TARGET: new URL(url).host };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const summary = Value.Parse(LoadSummary, JSON.parse(stdout));
  return { ...summary, requestsPerSecond: summary.requests / (summary.microseconds / 1e6) };
}
