import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstThatRuns, installedServers } from './redis-server.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

function program(path: string, script: string): string {
  const whole = join(dir, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, `#!/bin/sh\n${script}\n`);
  chmodSync(whole, 0o755);
  return whole;
}

const says = (version: string) => `echo 'Redis server v=${version} sha=00000000:0 bits=64'`;
const onPath = () => [join(dir, 'one'), '', join(dir, 'two')].join(':');
const commands = (directories: string[] = []) =>
  installedServers(onPath(), directories).map(({ command }) => command);

it('servers on the PATH come first, Redis before Valkey, then those in the usual directories', () => {
  expect(commands()).toEqual([]);
  const elsewhere = program('sbin/redis-server', says('7.2.4'));
  const valkey = program('one/valkey-server', says('8.1.1'));
  const redis = program('two/redis-server', says('7.0.15'));
  expect(commands([join(dir, 'sbin'), join(dir, 'two')])).toEqual([redis, valkey, elsewhere]);
});

it('a link to what is not there is no server', () => {
  mkdirSync(join(dir, 'one'));
  symlinkSync('redis-check-rdb', join(dir, 'one/redis-server'));
  expect(commands()).toEqual([]);
});

it('the first that runs and is not too old is taken, and of the others it is told why not', () => {
  const lacking = program('one/redis-server', 'echo "cannot open libjemalloc.so.2" >&2; exit 127');
  const old = program('two/redis-server', says('5.0.14'));
  const other = program('one/valkey-server', 'echo hello');
  const taken = program('two/valkey-server', says('8.1.1'));
  const tried: string[] = [];
  expect(firstThatRuns(installedServers(onPath(), []), tried)?.command).toBe(taken);
  expect(tried).toEqual([
    `${lacking}: cannot open libjemalloc.so.2`,
    `${old}: is version 5.0.14, and 7.0 is needed`,
    `${other}: --version ended with 0 and named no version`,
  ]);
});
