import { eventually } from '../../../test/support/eventually.ts';
import { atMost, info } from '../../harness/figures.ts';
import { median, percentile } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { seconds as ofRound } from '../../harness/load/durations.ts';
import { caughtUp, run, warmUpSeconds } from '../../harness/load/rounds.ts';
import { syncMs } from '../bare/sync.ts';

/** At half load: the latency of acks, and the time until a message can be read. */
export const halfLoad: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  await run(bench, edge, 10, warmUpSeconds());
  const full = await run(bench, edge, 10);
  await caughtUp(edge);
  const seconds = ofRound(20);
  const loading = run(bench, edge, 10, seconds, full.requestsPerSecond / 2);
  const readableMs: number[] = [];
  const probe = await bench.fleet.thing();
  const deadline = performance.now() + Math.max(1, seconds - 2) * 1_000;
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
  const sync = syncMs(edge.dataDir);
  return [
    info('half load', half.requestsPerSecond, 'requests/s'),
    info('ack p50 at half load', half.p50Us / 1_000, 'ms'),
    atMost('ack p99 at half load', half.p99Us / 1_000, 'ms', 25),
    info('one 64 KiB O_DSYNC write, p50', sync, 'ms'),
    atMost('ack p99 at half load to one sync', half.p99Us / 1_000 / sync, 'ratio', 10),
    info('readable after, p50', median(readableMs), 'ms'),
    atMost('readable after, p99', percentile(readableMs, 0.99), 'ms', 1_000),
  ];
};
