import { execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Contestant } from './contestant.ts';
import { loadPacks, placeholderSecond, publishers } from './points.ts';

export const connections = 64;

const Summary = Type.Object({
  requests: Type.Integer(),
  microseconds: Type.Integer(),
  p50Us: Type.Integer(),
  p99Us: Type.Integer(),
  /** Answered, but not with a success. */
  refused: Type.Integer(),
  errors: Type.Integer(),
});

/** What a load gave; latencies from the load generator's side. */
export type Load = Static<typeof Summary>;

/** Writes all requests of a load as they go over the wire, but for their second. */
export function prepareRequests(path: string, contestant: Contestant, pointsEach: number): void {
  const { host } = new URL(contestant.url);
  const file = openSync(path, 'w');
  for (const pack of loadPacks(pointsEach)) {
    const { headers, body } = contestant.format(pack);
    const head = Object.entries({ Host: host, ...headers, 'Content-Length': body.length })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const request = `POST ${contestant.path} HTTP/1.1\r\n${head}\r\n${body}`;
    writeSync(file, `${request.length}\n${request}`);
  }
  closeSync(file);
}

/** Sends the prepared requests for so long, their times from this second on: one more when each publisher had its turn. */
export async function load(options: {
  url: string;
  requestsPath: string;
  seconds: number;
  firstSecond: number;
}): Promise<Load> {
  const { url, requestsPath, seconds, firstSecond } = options;
  const script = join(import.meta.dirname, 'load.lua');
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url];
  const numbers = [placeholderSecond, firstSecond, publishers].map(String);
  const { stdout } = await promisify(execFile)('wrk', [...args, '--', requestsPath, ...numbers]);
  return Value.Parse(Summary, JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
}
