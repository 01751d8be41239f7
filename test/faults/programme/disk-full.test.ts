import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readRun } from '../../../infra/local/installation/run-file.ts';
import { eventually } from '../../support/eventually.ts';
import { Fleet } from '../../support/fleet.ts';
import { type OwnSystem, startSystem } from '../../support/system.ts';
import { allKept, judgeLoad } from './judge.ts';
import { startLoad } from './load.ts';
import { report } from './report.ts';
import { settings } from './settings.ts';

const { fullMs, rate } = settings;
const msMax = fullMs + 40 * 60_000;
const mebibyte = 1_024 ** 2;
const diskBytes = 4_096 * mebibyte;
/** Left free when the rest is filled: room for no more than two segments of each edge's log. */
const leftBytes = 300 * mebibyte;
const fillerChars = 900_000;
const fillersAtOnce = 4;
const recoverMsMax = 60_000;
/** What PostgreSQL is given to write with each org: it needs new files for its log. */
const noiseBytes = 10_000;
/** The least that the log must leave: one such file. */
const leastFreeBytes = 16 * mebibyte;
const watched = ['postgres', 'redis', 'ingest-0', 'ingest-1', 'api', 'workers'];

let directory: string;
let mount: string;
let system: OwnSystem;
let failed = false;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  chmodSync(directory, 0o755);
  const image = join(directory, 'disk');
  mount = join(directory, 'mount');
  mkdirSync(mount);
  execFileSync('truncate', ['-s', String(diskBytes), image]);
  // None of it kept for root, who runs this.
  execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
  execFileSync('mount', ['-o', 'loop', image, mount]);
  const dataDir = join(mount, 'data');
  system = await startSystem({ dataDir, env: { INGEST_PROCESSES: '2' } });
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await system.stop(failed);
  execFileSync('umount', [mount]);
  rmSync(directory, { recursive: true });
});

const freeBytes = () => {
  const { bavail, bsize } = statfsSync(mount);
  return bavail * bsize;
};

const pids = () => {
  const children = readRun(system.dataDir)?.children ?? {};
  return Object.fromEntries(watched.map((name) => [name, children[name]?.pid]));
};

it(
  `while the disk is full for ${fullMs / 60_000} minutes devices get Retry-After, the databases run, and after it all goes on`,
  async () => {
    const load = await startLoad(system, rate);
    const fleet = await Fleet.login(system);
    const filler = await fleet.thing();
    const before = pids();
    const fillerBytes = freeBytes() - leftBytes;
    execFileSync('fallocate', ['-l', String(fillerBytes), join(mount, 'filler')]);
    // With the store away the log keeps all it takes.
    await system.kill('clickhouse', 'SIGSTOP');
    const message = JSON.stringify([{ n: 'filler', vs: 'x'.repeat(fillerChars) }]);
    const statuses: Record<string, number> = {};
    const wrong: string[] = [];
    let taken = 0;
    let leastFree = Number.POSITIVE_INFINITY;
    const until = performance.now() + fullMs;
    const fill = async () => {
      while (performance.now() < until) {
        const { status, retryAfter } = await fleet.publish(filler.key, message);
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 202) taken += 1;
        else if (status !== 503 || retryAfter === undefined) wrong.push(`edge ${status}`);
        leastFree = Math.min(leastFree, freeBytes());
        if (status !== 202) await delay(100);
      }
    };
    let written = 0;
    const write = async () => {
      while (performance.now() < until) {
        const { status } = await fleet.call('POST', '/orgs', {
          name: `org ${written}`,
          metadata: { noise: randomBytes(noiseBytes).toString('hex') },
        });
        if (status !== 201) wrong.push(`POST /orgs ${status}`);
        written += 1;
        await delay(200);
      }
    };
    let after: Record<string, number | undefined> = {};
    try {
      await Promise.all([...Array.from({ length: fillersAtOnce }, fill), write()]);
      after = pids();
    } finally {
      rmSync(join(mount, 'filler'));
      await system.kill('clickhouse', 'SIGCONT');
    }
    await eventually(async () => {
      return (await fleet.publish(filler.key, message)).status === 202;
    }, recoverMsMax);
    await load.stop();
    const { findings, figures } = await judgeLoad(system, load);
    await eventually(async () => (await fleet.stored(filler.id)) >= taken + 1, recoverMsMax);
    const fillersStored = await fleet.stored(filler.id);
    await fleet.close();
    await load.close();
    report('a full disk', {
      minutes: fullMs / 60_000,
      leastFreeMebibytes: Math.round(leastFree / mebibyte),
      fillers: statuses,
      orgsWritten: written,
      whileFullWrong: wrong,
      died: watched.filter((name) => before[name] !== after[name]),
      ...findings,
      ...figures,
    });
    expect(statuses['503'] ?? 0).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
    expect(leastFree).toBeGreaterThan(leastFreeBytes);
    expect(after).toEqual(before);
    expect(fillersStored).toBe(taken + 1);
    expect(findings).toEqual(allKept);
  },
  msMax,
);
