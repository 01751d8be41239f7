import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAbout } from '../../runtime/process/about.ts';
import { type Health, health } from '../../runtime/observability/health.ts';
import { untilHealthy } from './healthy.ts';

let server: Server;
let port: number;
let answers: Health[];
let asked: number;

/** Gives one answer after the other, and the last one for ever. */
beforeEach(async () => {
  asked = 0;
  server = createServer((_, response) => {
    response.end(JSON.stringify(answers[Math.min(asked, answers.length - 1)]));
    asked += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const body = (status: 'pass' | 'warn' | 'fail') =>
  health(readAbout('', {}), { part: { status } }).body;

async function told(warnedMsMax: number): Promise<string[]> {
  const all: string[] = [];
  await untilHealthy(port, (answer) => all.push(answer), warnedMsMax);
  return all;
}

describe('waiting for a process', () => {
  it('ends when every check passes, and reports those that did not before', async () => {
    answers = [body('fail'), body('fail'), body('warn'), body('pass')];
    expect(await told(60_000)).toEqual([
      JSON.stringify(body('fail')),
      JSON.stringify(body('warn')),
    ]);
    expect(asked).toBe(4);
  });

  it('ends when a check has only warned for long: the process does its job', async () => {
    answers = [body('warn'), body('fail'), body('warn')];
    expect(await told(250)).toHaveLength(3);
    expect(asked).toBeGreaterThan(4);
  });
});
