import { eventually } from '../../../test/support/eventually.ts';
import { atLeast, atMost, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { caughtUp, pendingMetric, run, storedMetric } from '../../harness/load/rounds.ts';
import { metric } from '../../harness/setup.ts';
import { bareInsert } from './storing.ts';

/** kill -9 with a gigabyte of log that is not stored: the time until messages are accepted again. */
export const recovery: Scenario = async (bench) => {
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
    const replaySeconds = (performance.now() - startedAt) / 1_000;
    const replayed = (await metric(again.url, storedMetric)) / replaySeconds;
    await again.stop();
    const bare = await bareInsert(bench, bench.requests(100));
    return [
      atMost('accepting after kill -9 with 1 GiB of log', seconds, 's', 2),
      { ...info('first answer after it', status, 'status'), goal: '202', reached: status === 202 },
      info('replay', pending / 1024 ** 2 / replaySeconds, 'MiB/s of log'),
      info('replay, records', replayed, 'records/s'),
      info('bare RowBinary insert, blocks of 100,000', bare, 'records/s'),
      atLeast('replay to bare insert', replayed / bare, 'ratio', 0.5),
    ];
  } finally {
    await bench.system.kill('clickhouse', 'SIGCONT');
  }
};
