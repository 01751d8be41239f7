import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../test/eventually.ts';
import {
  atLeast,
  atMost,
  info,
  median,
  percentile,
  type Figure,
  type Scenario,
} from './figures.ts';
import { management } from './management.ts';
import { peers } from './peers/peers.ts';
import { reading } from './reading.ts';
import type { BenchProcess } from './processes.ts';
import { type Bench, type BenchEdge, metric } from './setup.ts';
import { webhookDeliveries } from './webhooks.ts';
import { webhookSink } from './webhook-sink.ts';
import { type Load, load } from './wrk.ts';

const connections = 64;
const warmUpSeconds = 2;
const roundSeconds = 5;
const rounds = 3;

const acknowledgedMetric = 'millrace_acknowledged_records_total';
const pendingMetric = 'millrace_sink_pending_bytes';

async function run(
  bench: Bench,
  server: BenchProcess,
  records: number,
  seconds = roundSeconds,
  perSecond = 0,
): Promise<Load> {
  const requestsPath = bench.requests(records);
  return load({ url: server.url, requestsPath, connections, seconds, perSecond });
}

/** Waits until the edge's sinks have passed everything in its log. */
async function caughtUp(edge: BenchEdge): Promise<void> {
  await eventually(async () => (await metric(edge.url, pendingMetric)) === 0, 300_000);
}

/** Rounds in turn, A B A B: the ratio of the medians stands though the machine's speed wanders. */
async function ratio(bench: Bench, one: BenchProcess, other: BenchProcess, records: number) {
  await run(bench, one, records, warmUpSeconds);
  await run(bench, other, records, warmUpSeconds);
  const rates: { one: number[]; other: number[] } = { one: [], other: [] };
  for (let round = 0; round < rounds; round++) {
    rates.one.push((await run(bench, one, records)).requestsPerSecond);
    rates.other.push((await run(bench, other, records)).requestsPerSecond);
  }
  const [of, to] = [median(rates.one), median(rates.other)];
  return { of, to, ratio: of / to };
}

/** Acknowledged requests beside a handler on the same server that only drains the body. */
const againstBare: Scenario = async (bench) => {
  const figures: Figure[] = [];
  const edge = await bench.startEdge();
  const bare = await bench.startBare();
  for (const records of [1, 2, 10]) {
    const { of, to, ratio: share } = await ratio(bench, edge, bare, records);
    figures.push(
      info(`S${records} acknowledged`, of, 'requests/s'),
      info(`S${records} bare`, to, 'requests/s'),
      records === 1
        ? info('S1 to bare', share, 'ratio')
        : atLeast(`S${records} to bare`, share, 'ratio', 0.45),
    );
  }
  await bare.stop();
  await edge.stop();
  return figures;
};

/** What the promise costs: the same edge with and without the sync. */
const syncedAgainstUnsynced: Scenario = async (bench) => {
  const figures: Figure[] = [];
  const synced = await bench.startEdge();
  const unsynced = await bench.startEdge({ synced: false });
  for (const records of [1, 10]) {
    const { ratio: share } = await ratio(bench, synced, unsynced, records);
    figures.push(atLeast(`S${records} sync on to off`, share, 'ratio', 0.85));
  }
  await unsynced.stop();
  await synced.stop();
  return figures;
};

/** Packs of 100 as fast as they are acknowledged, with the store taking what it can meanwhile. */
const packs: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  await run(bench, edge, 100, warmUpSeconds);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    rates.push((await run(bench, edge, 100)).requestsPerSecond * 100);
  }
  await caughtUp(edge);
  await edge.stop();
  return [atLeast('S100 acknowledged', median(rates), 'records/s', 1_500_000)];
};

/** A minute of packs at a rate above a million records a second: is all of it stored as it comes? */
const sustained: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  const recordsPerSecond = 1_050_000;
  const seconds = 60;
  await run(bench, edge, 100, warmUpSeconds);
  await caughtUp(edge);
  const storedBefore = await bench.storedRecords();
  const acknowledgedBefore = await metric(edge.url, acknowledgedMetric);

  const backlog: number[] = [];
  let loading = true;
  const watch = (async () => {
    while (loading) {
      await delay(1_000);
      backlog.push(await metric(edge.url, pendingMetric));
    }
  })();
  const loaded = await run(bench, edge, 100, seconds, recordsPerSecond / 100);
  const storedAtEnd = (await bench.storedRecords()) - storedBefore;
  loading = false;
  await watch;
  await caughtUp(edge);
  const acknowledged = (await metric(edge.url, acknowledgedMetric)) - acknowledgedBefore;
  const stored = (await bench.storedRecords()) - storedBefore;
  await edge.stop();

  const third = Math.floor(backlog.length / 3);
  const mib = (bytes: number) => bytes / 1024 ** 2;
  return [
    info('sustained acknowledged', loaded.requestsPerSecond * 100, 'records/s'),
    atLeast('sustained stored', storedAtEnd / seconds, 'records/s', 1_000_000),
    info('backlog, first third', mib(median(backlog.slice(0, third))), 'MiB'),
    info('backlog, last third', mib(median(backlog.slice(-third))), 'MiB'),
    {
      ...info('stored less acknowledged', stored - acknowledged, 'records'),
      goal: '0',
      reached: stored === acknowledged,
    },
  ];
};

/** At half of what it can take: how long an ack takes, and how soon a message can be read. */
const halfLoad: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  await run(bench, edge, 10, warmUpSeconds);
  const full = await run(bench, edge, 10);
  await caughtUp(edge);
  const seconds = 20;
  const loading = run(bench, edge, 10, seconds, full.requestsPerSecond / 2);
  const readableMs: number[] = [];
  const probe = await bench.fleet.thing();
  const deadline = performance.now() + (seconds - 2) * 1_000;
  while (performance.now() < deadline) {
    const expected = readableMs.length + 1;
    const message = [{ n: 'probe', v: expected }];
    await bench.fleet.publish(probe.key, message, { ingestUrl: edge.url });
    const acknowledgedAt = performance.now();
    await eventually(async () => (await bench.fleet.stored(probe.id)) === expected, 20_000);
    readableMs.push(performance.now() - acknowledgedAt);
  }
  const half = await loading;
  await caughtUp(edge);
  await edge.stop();
  return [
    info('half load', half.requestsPerSecond, 'requests/s'),
    info('ack p50 at half load', half.p50Us / 1_000, 'ms'),
    atMost('ack p99 at half load', half.p99Us / 1_000, 'ms', 25),
    info('readable after, p50', median(readableMs), 'ms'),
    atMost('readable after, p99', percentile(readableMs, 0.99), 'ms', 1_000),
  ];
};

/** kill -9 with a gigabyte of log that the store has not taken: how soon are messages taken again? */
const recovery: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  await bench.system.kill('clickhouse', 'SIGSTOP');
  try {
    while ((await metric(edge.url, 'millrace_log_bytes')) < 1024 ** 3) {
      await run(bench, edge, 100, 2);
    }
    await edge.stop('SIGKILL');
    const killedAt = performance.now();
    const again = await bench.startEdge({ dataDir: edge.dataDir });
    const [credential = ''] = bench.credentials;
    const { status } = await bench.fleet.publish(credential, [{ n: 'a', v: 1 }], {
      ingestUrl: again.url,
    });
    const seconds = (performance.now() - killedAt) / 1_000;
    await bench.system.kill('clickhouse', 'SIGCONT');
    const startedAt = performance.now();
    await eventually(async () => (await metric(again.url, pendingMetric)) > 0, 60_000);
    const pending = await metric(again.url, pendingMetric);
    await caughtUp(again);
    const replay = pending / 1024 ** 2 / ((performance.now() - startedAt) / 1_000);
    await again.stop();
    return [
      atMost('accepting after kill -9 with 1 GiB of log', seconds, 's', 2),
      { ...info('first answer after it', status, 'status'), goal: '202', reached: status === 202 },
      info('replay', replay, 'MiB/s of log'),
    ];
  } finally {
    await bench.system.kill('clickhouse', 'SIGCONT');
  }
};

/** The edge's memory at full load. */
const memory: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  const samples: number[] = [];
  const minutes = 5;
  for (let at = 0; at < minutes * 6; at++) {
    await run(bench, edge, at % 2 === 0 ? 10 : 100, 10);
    samples.push(edge.residentBytes() / 1024 ** 2);
  }
  await caughtUp(edge);
  await edge.stop();
  const half = Math.floor(samples.length / 2);
  return [
    atMost('edge memory, most', Math.max(...samples), 'MiB', 512),
    info('edge memory, first half', median(samples.slice(0, half)), 'MiB'),
    info('edge memory, second half', median(samples.slice(half)), 'MiB'),
  ];
};

export const scenarios: Record<string, Scenario> = {
  againstBare,
  syncedAgainstUnsynced,
  packs,
  sustained,
  halfLoad,
  recovery,
  memory,
  management,
  reading,
  webhookSink,
  webhookDeliveries,
  peers,
};
