import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findRedisServer } from './redis.ts';
import { ensureRedisServer } from './redis-package.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

function program(name: string): string {
  const path = join(dir, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

it('a server on the PATH is taken, Redis before Valkey', () => {
  expect(findRedisServer(`/nowhere:${dir}`)).toBeUndefined();
  const valkey = program('valkey-server');
  expect(findRedisServer(`/nowhere:${dir}`)?.command).toBe(valkey);
  const redis = program('redis-server');
  expect(findRedisServer(`/nowhere:${dir}`)?.command).toBe(redis);
});

it('without one and without apt, one line says how to get it', async () => {
  const none = ensureRedisServer({ PATH: dir }, () => Promise.resolve(), join(dir, 'unpacked'));
  await expect(none).rejects.toThrow(/^REDIS_URL: not set, and neither .* or set REDIS_URL$/);
});

it('where apt fails, the line says so as well', async () => {
  program('apt-get');
  const failing = () => Promise.reject(new Error('no network'));
  const none = ensureRedisServer({ PATH: dir }, failing, join(dir, 'unpacked'));
  await expect(none).rejects.toThrow(/set REDIS_URL \(apt: Error: no network\)$/);
});
