import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadLocalSecrets } from './local-secrets.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
});

afterEach(() => rmSync(dataDir, { recursive: true }));

it('secrets are made once, all different, and only their owner can read them', () => {
  const secrets = loadLocalSecrets(dataDir);
  expect(new Set(Object.values(secrets)).size).toBe(Object.keys(secrets).length);
  expect(loadLocalSecrets(dataDir)).toEqual(secrets);
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
});

it('a damaged file is reported and not changed', () => {
  const path = join(dataDir, 'secrets.json');
  writeFileSync(path, '{"jwtSecret":');
  expect(() => loadLocalSecrets(dataDir)).toThrow(/DATA_DIR: .*secrets\.json is damaged/);
  expect(readFileSync(path, 'utf8')).toBe('{"jwtSecret":');
});
