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
import { atLeast, type Figure, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { rounds as ofRun, seconds } from '../../harness/load/durations.ts';
import { type Bench, type BenchEdge, metric } from '../../harness/setup.ts';
import { load } from '../../harness/load/wrk.ts';

const connections = 64;
const rounds = ofRun(3);
const ackSeconds = seconds(5);
/** What waits in the log before the sink may go on. */
const backlogSeconds = seconds(3);
const backlogPerSecond = 12_000;
const jobsPerAdd = 500;

const jobsMetric = 'millrace_webhook_sink_copies_total';
const pendingMetric = 'millrace_sink_pending_bytes';

type Parts = { bench: Bench; edge: BenchEdge; redis: Redis; pool: Pool };

/** Deliveries per second from the log to the queue, beside plain addBulk; and what webhooks cost the devices. */
export const webhookSink: Scenario = async (bench) => {
  // No worker takes jobs, so that only adding them is measured.
  await bench.system.kill('workers', 'SIGSTOP');
  const redis = new Redis(bench.system.redisUrl, { maxRetriesPerRequest: null });
  const pool = new Pool({ connectionString: bench.system.databaseUrl, max: 1 });
  const edge = await bench.startEdge({
    settings: {
      WEBHOOK_QUEUE_MAX: '100000000',
      WEBHOOK_COPIES_PER_ORG_MAX: '100000000',
      WEBHOOK_BYTES_PER_ORG_MAX: '100000000000',
    },
  });
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
    redis.disconnect();
    await pool.end();
    await bench.system.kill('workers', 'SIGCONT');
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

async function backlogDone({ edge, redis }: Parts): Promise<void> {
  await eventually(async () => (await metric(edge.url, pendingMetric)) === 0, 300_000);
  const queue = new Queue(webhookQueue, { connection: redis });
  await queue.obliterate({ force: true });
  await queue.close();
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

/** A backlog in the log, queued by the sink alone; then addBulk alone, a job for each delivery. */
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
    atLeast(`enqueued by the sink, ${each}`, sink, 'copies/s', 20_000),
    info(`bare addBulk of a job for each copy, ${each}`, bare, 'jobs/s'),
    atLeast(`enqueued to bare, ${each}`, sink / bare, 'ratio', 0.8),
  ];
}

async function drainBacklog({ bench, edge, redis }: Parts) {
  await run(bench, edge, 1, 100);
  await eventually(async () => (await metric(edge.url, pendingMetric)) === 0, 60_000);
  const before = await metric(edge.url, jobsMetric);
  // Only while Redis is away messages wait in the log.
  await bench.system.kill('redis', 'SIGSTOP');
  await run(bench, edge, backlogSeconds, backlogPerSecond);
  const held = await metric(edge.url, jobsMetric);
  await bench.system.kill('redis', 'SIGCONT');
  const seen: { at: number; jobs: number }[] = [];
  await eventually(async () => {
    const jobs = await metric(edge.url, jobsMetric);
    if (jobs > (seen.at(-1)?.jobs ?? held)) seen.push({ at: performance.now(), jobs });
    return jobs > before && (await metric(edge.url, pendingMetric)) === 0;
  }, 120_000);
  const queue = new Queue<WebhookJob>(webhookQueue, { connection: redis });
  const jobs = await queue.getJobs(['waiting'], 0, 199);
  await queue.close();
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined || first === last || jobs.length === 0) {
    throw new Error(
      `the sink was not held back: ${held - before} jobs were queued before it was let go`,
    );
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
  await queue.obliterate({ force: true });
  await queue.close();
  return rate;
}

function idOf({ bundle, messages: [message] }: WebhookJob): string {
  const { offset = 0, webhook_ids: ids = [] } = message ?? {};
  return webhookJobId(webhookMessageId({ ...bundle, offset }), ids[0] ?? '');
}
