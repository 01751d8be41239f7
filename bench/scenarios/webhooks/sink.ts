import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import {
  type WebhookJob,
  webhookJobId,
  webhookMessageId,
  webhookJobOptions,
  webhookQueue,
} from '../../../schemas/internal/webhook-job.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { niceness } from '../../../infra/local/supervisor/priority.ts';
import { atLeast, type Figure, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { rounds as ofRun, seconds } from '../../harness/load/durations.ts';
import { type Bench, type BenchEdge, metric } from '../../harness/setup.ts';
import { startProcess } from '../../harness/processes.ts';
import { load } from '../../harness/load/wrk.ts';

const connections = 64;
const rounds = ofRun(3);
const ackSeconds = seconds(5);
/** What waits in the log before the sink may go on. */
const backlogSeconds = seconds(3);
const backlogPerSecond = 12_000;
const jobsPerAdd = 500;

const pendingMetric = 'millrace_sink_pending_bytes';

type Parts = { bench: Bench; edge: BenchEdge; redis: Redis; pool: Pool };

/**
 * Deliveries per second from the log, by way of PostgreSQL, into the queue, beside plain addBulk; and what webhooks cost
 * the devices.
 */
export const webhookSink: Scenario = async (bench) => {
  const { system, secretKey } = bench;
  const redis = new Redis(system.redisUrl, { maxRetriesPerRequest: null });
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  // No worker takes jobs, so that only adding them is measured; and one that may add any number does.
  const queue = new Queue(webhookQueue, { connection: redis });
  await queue.pause();
  await system.kill('workers', 'SIGSTOP');
  const settings = {
    WORKERS_PORT: '0',
    WORKERS_HOST: '127.0.0.1',
    DATA_DIR: bench.scratch,
    DATABASE_URL: system.databaseUrl,
    REDIS_URL: system.redisUrl,
    CLICKHOUSE_URL: system.clickhouseUrl,
    SECRET_KEY: secretKey,
    WEBHOOK_QUEUE_MAX: '100000000',
    WEBHOOK_DELIVERIES_PER_ORG_MAX: '100000000',
  };
  const workers = await startProcess('workers/main.ts', settings, { nice: niceness.webhooks });
  const edge = await bench.startEdge({ settings: { WEBHOOK_BYTES_PER_ORG_MAX: '100000000000' } });
  const parts = { bench, edge, redis, pool };
  try {
    const figures = await acknowledgements(parts);
    for (const webhooks of [1, 3]) {
      await pool.query('DELETE FROM webhooks');
      await addWebhooks(parts, webhooks);
      figures.push(...(await enqueueing(parts, webhooks)));
    }
    return figures;
  } finally {
    await edge.stop();
    await workers.stop();
    await system.kill('workers', 'SIGCONT');
    await queue.resume();
    await queue.close();
    redis.disconnect();
    await pool.end();
  }
};

/** Gives every thing so many more of them. */
async function addWebhooks({ pool, bench, edge }: Parts, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO webhooks (id, thing_id, name, url)
     SELECT gen_random_uuid(), things.id, 'nobody', 'https://receiver.invalid/'
     FROM things, generate_series(1, $1)`,
    [count],
  );
  // Until the edge knows of them.
  await delay(1_000);
  await run(bench, edge, 1);
}

async function run(bench: Bench, edge: BenchEdge, forSeconds: number, perSecond = 0) {
  const requestsPath = bench.requests(10);
  return load({ url: edge.url, requestsPath, connections, seconds: forSeconds, perSecond });
}

async function backlogDone({ edge, redis, pool }: Parts): Promise<void> {
  await eventually(async () => {
    const { waiting } = await dueDeliveries(pool);
    return waiting === 0 && (await metric(edge.url, pendingMetric)) === 0;
  }, 300_000);
  const queue = new Queue(webhookQueue, { connection: redis });
  await pool.query('TRUNCATE webhook_jobs, webhook_bundles, webhook_orgs');
  await queue.drain();
  await queue.close();
}

/** How many deliveries are in the queue, and how many wait for it. */
async function dueDeliveries(pool: Pool): Promise<{ queued: number; waiting: number }> {
  const { rows } = await pool.query<{ queued: number; waiting: number }>(
    `SELECT coalesce(sum(deliveries) FILTER (WHERE queued_at IS NOT NULL), 0)::float8 AS queued,
            coalesce(sum(deliveries) FILTER (WHERE queued_at IS NULL), 0)::float8 AS waiting
     FROM webhook_jobs`,
  );
  return rows[0] ?? { queued: 0, waiting: 0 };
}

/** The same edge and things with webhooks and without, in turn. */
async function acknowledgements(parts: Parts): Promise<Figure[]> {
  const { bench, edge, pool } = parts;
  await run(bench, edge, 2);
  const rates: { without: number[]; on: number[] } = { without: [], on: [] };
  for (let round = 0; round < rounds; round++) {
    rates.without.push((await run(bench, edge, ackSeconds)).requestsPerSecond);
    await addWebhooks(parts, 1);
    await backlogDone(parts);
    rates.on.push((await run(bench, edge, ackSeconds)).requestsPerSecond);
    await pool.query('DELETE FROM webhooks');
    await backlogDone(parts);
    await delay(1_000);
  }
  const [without, on] = [median(rates.without), median(rates.on)];
  return [
    info('acknowledged without webhooks', without, 'requests/s'),
    info('acknowledged, each thing with one', on, 'requests/s'),
    atLeast('webhooks on to off', on / without, 'ratio', 0.75),
  ];
}

/** A backlog in the log, brought into the queue; then addBulk alone, a job for each delivery. */
async function enqueueing(parts: Parts, webhooks: number): Promise<Figure[]> {
  const rates: { sink: number[]; bare: number[] } = { sink: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    await backlogDone(parts);
    const { rate, sample } = await drainBacklog(parts);
    rates.sink.push(rate);
    await backlogDone(parts);
    rates.bare.push(await bareAddBulk(parts.redis, sample));
  }
  const [sink, bare] = [median(rates.sink), median(rates.bare)];
  const each = `${webhooks} each`;
  return [
    atLeast(`enqueued, ${each}`, sink, 'copies/s', 20_000),
    info(`bare addBulk of a job for each copy, ${each}`, bare, 'jobs/s'),
    atLeast(`enqueued to bare, ${each}`, sink / bare, 'ratio', 0.8),
  ];
}

async function drainBacklog({ bench, edge, redis, pool }: Parts) {
  await run(bench, edge, 1, 100);
  await eventually(async () => (await metric(edge.url, pendingMetric)) === 0, 60_000);
  await eventually(async () => (await dueDeliveries(pool)).waiting === 0, 60_000);
  // Only while PostgreSQL does not take them messages wait in the log.
  await pool.query('BEGIN; LOCK TABLE webhook_bundles IN SHARE MODE');
  await run(bench, edge, backlogSeconds, backlogPerSecond);
  await pool.query('COMMIT');
  const held = (await dueDeliveries(pool)).queued;
  const seen: { at: number; jobs: number }[] = [];
  await eventually(async () => {
    const isSent = (await metric(edge.url, pendingMetric)) === 0;
    const { queued: jobs, waiting } = await dueDeliveries(pool);
    if (jobs > (seen.at(-1)?.jobs ?? held)) seen.push({ at: performance.now(), jobs });
    return seen.length > 0 && waiting === 0 && isSent;
  }, 120_000);
  const queue = new Queue<WebhookJob>(webhookQueue, { connection: redis });
  const jobs = await queue.getJobs(['waiting'], 0, 199);
  await queue.close();
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined || first === last || jobs.length === 0) {
    throw new Error(`the sink was not held back: ${held} deliveries were queued at once`);
  }
  const rate = (last.jobs - first.jobs) / ((last.at - first.at) / 1_000);
  const sample = jobs.flatMap(({ data: { bundle, messages } }) =>
    messages.flatMap(({ offset, webhook_ids: ids }) =>
      ids.map(
        (id): WebhookJob => ({ bundle, bytes: 1_000, messages: [{ offset, webhook_ids: [id] }] }),
      ),
    ),
  );
  return { rate, sample: sample.slice(0, 10_000) };
}

async function bareAddBulk(redis: Redis, sample: WebhookJob[]): Promise<number> {
  const queue = new Queue<WebhookJob>(webhookQueue, { connection: redis });
  await queue.waitUntilReady();
  const total = sample.length * 5;
  const startedAt = performance.now();
  for (let at = 0; at < total; at += jobsPerAdd) {
    const from = at % sample.length;
    const turn = Math.floor(at / sample.length);
    await queue.addBulk(
      sample.slice(from, from + jobsPerAdd).map((data) => ({
        name: 'message',
        data,
        opts: {
          ...webhookJobOptions,
          jobId: `${idOf(data)}-${turn}`,
        },
      })),
    );
  }
  const rate = total / ((performance.now() - startedAt) / 1_000);
  await queue.drain();
  await queue.close();
  return rate;
}

function idOf({ bundle, messages: [message] }: WebhookJob): string {
  const { offset = 0, webhook_ids: ids = [] } = message ?? {};
  return webhookJobId(webhookMessageId({ ...bundle, offset }), ids[0] ?? '');
}
