import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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

/** The same of those that send over a stream. The package is no part of every Python. */
const pythons = ['python3', '/usr/bin/python3'].filter(
  (python) => spawnSync(python, ['-c', 'import websockets']).status === 0,
);
const streaming: Record<string, [string, ...string[]]> = {
  JavaScript: [process.execPath, join(devices, 'javascript/stream.mjs')],
  ...(pythons[0] === undefined ? {} : { Python: [pythons[0], join(devices, 'python/stream.py')] }),
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

describe.concurrent.each(Object.keys(streaming))('a device with a stream in %s', (name) => {
  /** Runs an example with these lines; how it ended. */
  async function stream(key: string, lines: readonly string[]) {
    const [command = '', ...args] = streaming[name] ?? [];
    const env = {
      PATH: process.env['PATH'],
      MILLRACE_EDGE: system().ingestUrl.replace('localhost', '127.0.0.1'),
      MILLRACE_KEY: key,
    };
    const child = spawn(command, args, { env });
    const [out, error] = [text(child.stdout), text(child.stderr)];
    child.stdin.on('error', () => undefined).end(lines.join('\n'));
    const [code] = await once(child, 'close');
    return { code, out: (await out).trim(), error: await error };
  }

  it('sends more than a window, and tells what is refused', async () => {
    const [thing] = await createThings(as, estate.profileId, [
      { name: `${name} stream`, type: 'sensor' },
    ]);
    const lines = Array.from(
      { length: 5_000 },
      // One of them is no SenML.
      (_, second) =>
        `[{"n":"number","t":${1_700_000_000 + second},"v":${second === 2_500 ? '"x"' : second}}]`,
    );
    const { code, out, error } = await stream(thing?.key ?? '', lines);
    expect([code, out]).toEqual([0, 'acknowledged']);
    expect(error).toMatch(/^refused: 400 malformed entity specification: record 0: .*"v":"x"/);
    const path = `/reader/senml?publisher=${thing?.id}&limit=1`;
    await eventually(async () => {
      expect(at(await call('GET', path, { as }), 'total')).toBe(lines.length - 1);
    });
  });

  it('ends when its key is unknown', async () => {
    const { code, out } = await stream('no key of a thing', ['[{"n":"a","v":1}]']);
    expect([code === 0, out]).toEqual([false, '']);
  });
});
