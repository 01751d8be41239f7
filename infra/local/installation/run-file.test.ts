import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { readStartConfig } from './config.ts';
import { loadLocalSecrets } from './local-secrets.ts';
import { openRunFile, readRun } from './run-file.ts';

const addresses = {
  apiPort: 1,
  ingestPort: 2,
  workersPort: 3,
  mqttPort: 3,
  ingestOperatorPort: 4,
  databaseUrl: 'postgres://somewhere',
  redisUrl: 'redis://somewhere',
  clickhouseUrl: 'http://somewhere',
  enginePorts: { postgres: 5, redis: 6, clickhouse: 7 },
};

let dataDir: string;
let warnings: string[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  warnings = [];
});

afterEach(() => rmSync(dataDir, { recursive: true }));

const open = () => {
  const config = readStartConfig({ DATA_DIR: dataDir });
  return openRunFile(config, loadLocalSecrets(dataDir), addresses, (text) => warnings.push(text));
};

const childrenNoted = () => Object.keys(readRun(dataDir)?.children ?? {});

it('says what runs, and nothing once all has stopped', () => {
  const file = open();
  file.started('ingest', process.pid, null);
  file.started('api', process.pid, null);
  file.ended('api');
  expect(childrenNoted()).toEqual(['ingest']);
  file.remove();
  expect(readdirSync(dataDir)).toEqual(['secrets.json']);
});

it('a note that can’t be written is a warning, and is written once it can be', async () => {
  const file = open();
  // As on a full disk: the new file can't be made.
  const inTheWay = join(dataDir, 'run.json.new');
  mkdirSync(inTheWay);
  file.started('ingest', process.pid, null);
  file.started('api', process.pid, null);
  file.ended('api');
  expect(childrenNoted()).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(/run\.json can't be written: .*EISDIR/)]);
  rmdirSync(inTheWay);
  await eventually(() => expect(childrenNoted()).toEqual(['ingest']));
  file.remove();
});

it('a note that waits does not come back after the end', async () => {
  const file = open();
  const inTheWay = join(dataDir, 'run.json.new');
  mkdirSync(inTheWay);
  file.started('ingest', process.pid, null);
  file.remove();
  rmdirSync(inTheWay);
  const next = open();
  next.remove();
  expect(readdirSync(dataDir)).toEqual(['secrets.json']);
});
