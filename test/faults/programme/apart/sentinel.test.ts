import { type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../../../infra/runtime/process/logger.ts';
import { openQueue, openQueueWorker } from '../../../../infra/runtime/stores/queue.ts';
import { openQueueRedis, openRedis } from '../../../../infra/runtime/stores/redis.ts';
import { eventually } from '../../../support/eventually.ts';
import { report } from '../report.ts';
import { Network } from './network.ts';

/** Two Redis and a Sentinel, each on a host of its own, and this process, which uses the queues. Needs root. */

const master = 'queues';
const goesOnMsMax = 120_000;
const network = new Network();
const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
const children: ChildProcess[] = [];
const log = createLog('test', 'fatal');
let url: string;

beforeAll(() => {
  const first = start('first', []);
  start('second', ['--replicaof', first, '6379']);
  const file = join(directory, 'sentinel.conf');
  writeFileSync(
    file,
    `port 26379
protected-mode no
sentinel monitor ${master} ${first} 6379 1
sentinel down-after-milliseconds ${master} 2000
sentinel failover-timeout ${master} 10000
`,
  );
  const sentinel = network.add('sentinel');
  children.push(network.run('sentinel', 'redis-server', [file, '--sentinel'], {}));
  url = `redis+sentinel://${sentinel}:26379/${master}`;
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  network.close();
  rmSync(directory, { recursive: true });
});

/** A Redis on a host of this name; gives the address. */
function start(name: string, more: string[]): string {
  const address = network.add(name);
  const dir = join(directory, name);
  mkdirSync(dir);
  const own = ['--dir', dir, '--protected-mode', 'no', '--appendonly', 'yes'];
  children.push(network.run(name, 'redis-server', [...own, '--loglevel', 'warning', ...more], {}));
  return address;
}

it('a Redis that is gone without a word: commands and queues go on with the one that Sentinel has instead', async () => {
  const redis = openRedis(url, log, 1_000);
  const queueRedis = openQueueRedis(url);
  const done: string[] = [];
  const queue = openQueue('test', redis);
  const work = async ({ name }: { name: string }) => void done.push(name);
  const options = { concurrency: 1, lockDuration: 30_000, maxStalledCount: 1 };
  const worker = openQueueWorker('test', queueRedis, work, options, log);
  const goesOn = async (name: string) => {
    await eventually(() => queue.add(name, {}, { jobId: `job-${name}` }), goesOnMsMax);
    await eventually(() => done.includes(name), goesOnMsMax);
  };
  await goesOn('before');
  // Else the second one would begin with nothing.
  await eventually(async () => (await redis.info('replication')).includes('state=online'));
  network.cut('first');
  const cutAt = performance.now();
  await goesOn('after');
  report('a lost Redis', { goesOnAfterSeconds: Math.round((performance.now() - cutAt) / 1_000) });
  expect(done).toEqual(['before', 'after']);
  await worker.close();
  await queue.close();
  redis.disconnect();
  queueRedis.disconnect();
});
