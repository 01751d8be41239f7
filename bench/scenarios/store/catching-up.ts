import { setTimeout as delay } from 'node:timers/promises';
import { atMost, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { seconds } from '../../harness/load/durations.ts';
import {
  acknowledgedMetric,
  caughtUp,
  pendingMetric,
  run,
  warmUpSeconds,
} from '../../harness/load/rounds.ts';
import { metric } from '../../harness/setup.ts';

const records = 10;

/** ClickHouse is away for a while under half load, and comes back under it: what devices see, and how soon all is stored. */
export const catchingUp: Scenario = async (bench) => {
  const awaySeconds = seconds(20);
  const edge = await bench.startEdge();
  await run(bench, edge, records, warmUpSeconds());
  const full = await run(bench, edge, records);
  await caughtUp(edge);
  const storedBefore = await bench.storedRecords();
  const acknowledgedBefore = await metric(edge.url, acknowledgedMetric);

  const loading = run(bench, edge, records, 3 * awaySeconds, full.requestsPerSecond / 2);
  await bench.system.kill('clickhouse', 'SIGSTOP');
  await delay(awaySeconds * 1_000);
  const backlog = await metric(edge.url, pendingMetric);
  const startedAt = performance.now();
  await bench.system.kill('clickhouse', 'SIGCONT');
  const oneSecond = backlog / awaySeconds;
  let pending = backlog;
  while (pending > oneSecond) {
    await delay(50);
    pending = await metric(edge.url, pendingMetric);
  }
  const catchUpSeconds = (performance.now() - startedAt) / 1_000;
  const loaded = await loading;
  await caughtUp(edge);
  const stored = (await bench.storedRecords()) - storedBefore;
  const acknowledged = (await metric(edge.url, acknowledgedMetric)) - acknowledgedBefore;
  await edge.stop();
  return [
    info('acknowledged meanwhile', loaded.requestsPerSecond * records, 'records/s'),
    info('ack p50 meanwhile', loaded.p50Us / 1_000, 'ms'),
    info('ack p99 meanwhile', loaded.p99Us / 1_000, 'ms'),
    info('ack p99.9 meanwhile', loaded.p999Us / 1_000, 'ms'),
    atMost('refused or failed meanwhile', loaded.refused + loaded.errors, 'requests', 0),
    info('ClickHouse away', awaySeconds, 's'),
    info('until within a second of the newest', catchUpSeconds, 's'),
    info('backlog worked off', backlog / 1024 ** 2 / catchUpSeconds, 'MiB/s of log'),
    atMost('acknowledged and not stored', acknowledged - stored, 'records', 0),
  ];
};
