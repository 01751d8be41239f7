import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Load, runScript } from '../harness/load/wrk.ts';
import type { Contestant } from './contestants/contestant.ts';
import { loadPacks, placeholderSecond, publishers } from './points.ts';

/** Writes all requests of a load as they are sent, except for their second. */
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

/** Sends the prepared requests for so long. Their second begins here and advances after each turn of all publishers. */
export function load(options: {
  url: string;
  requestsPath: string;
  connections: number;
  seconds: number;
  firstSecond: number;
}): Promise<Load> {
  const { requestsPath, firstSecond, ...target } = options;
  const script = join(import.meta.dirname, 'load.lua');
  const numbers = [placeholderSecond, firstSecond, publishers].map(String);
  return runScript(script, target, [requestsPath, ...numbers]);
}
