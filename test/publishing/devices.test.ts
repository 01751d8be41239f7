import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../support/api/http.ts';
import { createEstate, createThings, type Estate, loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';

const run = promisify(execFile);
const devices = join(import.meta.dirname, '../../ingest/devices');
const stubs = join(import.meta.dirname, 'arduino');
const built = mkdtempSync(join(tmpdir(), 'millrace-devices-'));
const arduino = join(built, 'arduino');

/** The documented examples, and how each is run. Go is no part of every machine. */
const examples: Record<string, [string, ...string[]]> = {
  Python: ['python3', join(devices, 'python/device.py')],
  JavaScript: [process.execPath, join(devices, 'javascript/device.mjs')],
  curl: ['sh', join(devices, 'curl/device.sh')],
  Arduino: [arduino],
  ...(spawnSync('go', ['version']).status === 0
    ? { Go: [join(built, 'go')] satisfies [string] }
    : {}),
};

let as: string;
let estate: Estate;

beforeAll(async () => {
  as = await loginAdmin();
  estate = await createEstate(as);
  const sources = ['-I', stubs, '-I', join(devices, 'arduino'), join(stubs, 'main.cpp')];
  execFileSync('g++', ['-std=c++11', '-Wall', '-Wextra', '-Werror', ...sources, '-o', arduino]);
  if ('Go' in examples) {
    const env = { ...process.env, GO111MODULE: 'off', GOCACHE: join(built, 'cache') };
    execFileSync('go', ['build', '-o', join(built, 'go'), join(devices, 'go/device.go')], { env });
  }
});

afterAll(() => rmSync(built, { recursive: true }));

/** Runs an example against an edge; what it printed. */
async function send(name: string, edge: string, key: string): Promise<string> {
  const [command = '', ...args] = examples[name] ?? [];
  const { hostname, port } = new URL(edge);
  const env = {
    PATH: process.env['PATH'],
    MILLRACE_EDGE: edge,
    MILLRACE_HOST: hostname === 'localhost' ? '127.0.0.1' : hostname,
    MILLRACE_PORT: port,
    MILLRACE_KEY: key,
  };
  const { stdout } = await run(command, args, { env });
  return stdout.trim();
}

/** An edge that is busy for the first two requests, and how often it was asked. */
async function busyEdge(status: number): Promise<{ server: Server; url: string; asked: number[] }> {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      asked.push(performance.now());
      const isBusy = asked.length < 3;
      response.writeHead(isBusy ? status : 202, isBusy ? { 'retry-after': '1' } : {}).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { server, url: `http://127.0.0.1:${port}`, asked };
}

// They wait, as they are asked to.
describe.concurrent.each(Object.keys(examples))('a device in %s', (name) => {
  it('sends a message that reads back', async () => {
    const [thing] = await createThings(as, estate.profileId, [{ name, type: 'sensor' }]);
    const path = `/reader/senml?publisher=${thing?.id}&name=temperature`;
    expect(await send(name, system().ingestUrl, thing?.key ?? '')).toBe('202');
    await eventually(async () => at(await call('GET', path, { as }), 'total') === 1);
  });

  it('waits as long as Retry-After says, and reports what is refused for good', async () => {
    const { server, url, asked } = await busyEdge(name.length % 2 === 0 ? 429 : 503);
    const [sent, refused] = await Promise.allSettled([
      send(name, url, 'key'),
      send(name, system().ingestUrl, 'no key of a thing'),
    ]);
    server.close();
    expect(sent).toMatchObject({ value: '202' });
    expect(asked).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = asked;
    expect(Math.min(second - first, third - second)).toBeGreaterThan(950);
    expect(refused.status).toBe('rejected');
  });
});
