import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atLeast, atMost, type Figure, info } from '../../harness/figures.ts';
import { median, percentile } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { seconds } from '../../harness/load/durations.ts';
import { pack, writeMessages } from '../../harness/requests.ts';
import {
  acknowledgedMetric,
  caughtUp,
  connections,
  warmUpSeconds,
} from '../../harness/load/rounds.ts';
import { type Bench, type BenchEdge, metric } from '../../harness/setup.ts';
import { type Load, load } from '../../harness/load/wrk.ts';

const records = 100;
/** Of each publisher, so that repeated messages are far apart. */
const messages = 40;
/** The load of a system below its limit, as a share of what it stores at full speed. */
const share = 0.7;

/** A minute of packs at a rate above a million records a second: is all of it stored as it comes? */
export const sustained: Scenario = (bench) =>
  withEdge(bench, async (loadFor, edge) => {
    const run = await watched(bench, edge, () => loadFor(seconds(60), 1_050_000));
    return [
      info('sustained acknowledged', run.acknowledgedPerSecond, 'records/s'),
      atLeast('sustained stored', run.storedPerSecond, 'records/s', 1_000_000),
      info('backlog, median', median(run.backlogs), 'records'),
      info('backlog, most', Math.max(...run.backlogs), 'records'),
      complete('stored less acknowledged', run),
    ];
  });

/** Ten minutes at a rate that it can keep: is what is acknowledged stored within seconds? */
export const steady: Scenario = (bench) =>
  withEdge(bench, async (loadFor, edge) => {
    const full = await watched(bench, edge, () => loadFor(seconds(10), 0));
    const perSecond = share * full.caughtUpPerSecond;
    const run = await watched(bench, edge, () => loadFor(seconds(600), perSecond));
    const backlogs = run.backlogs.map((backlog) => backlog / run.acknowledgedPerSecond);
    return [
      info('stored at full speed, to the end of its backlog', full.caughtUpPerSecond, 'records/s'),
      info('steadily acknowledged', run.acknowledgedPerSecond, 'records/s'),
      atLeast(
        'steadily stored to acknowledged',
        run.storedPerSecond / run.acknowledgedPerSecond,
        'ratio',
        0.99,
      ),
      info('steady backlog, median', median(backlogs), 's'),
      info('steady backlog, p99', percentile(backlogs, 0.99), 's'),
      atMost('steady backlog, most', Math.max(...backlogs), 's', 3),
      complete('steadily stored less acknowledged', run),
    ];
  });

type LoadFor = (forSeconds: number, recordsPerSecond: number) => Promise<Load>;

async function withEdge(
  bench: Bench,
  measure: (loadFor: LoadFor, edge: BenchEdge) => Promise<Figure[]>,
): Promise<Figure[]> {
  const requestsPath = join(bench.scratch, 'requests of many turns');
  const write = (random: () => number, publisher: number, second: number) =>
    pack(random, publisher, records, second);
  writeMessages(requestsPath, bench.credentials, 'application/senml+json', write, messages);
  const edge = await bench.startEdge();
  const loadFor: LoadFor = (forSeconds, recordsPerSecond) =>
    load({
      url: edge.url,
      requestsPath,
      connections,
      seconds: forSeconds,
      perSecond: recordsPerSecond / records,
    });
  try {
    await loadFor(warmUpSeconds(), 0);
    await caughtUp(edge);
    return await measure(loadFor, edge);
  } finally {
    await edge.stop();
  }
}

/** Records: what was acknowledged and stored under a load, and how far apart they were, each second. */
type Watched = {
  acknowledgedPerSecond: number;
  storedPerSecond: number;
  /** Including the time for the backlog at the end. */
  caughtUpPerSecond: number;
  backlogs: number[];
  acknowledged: number;
  stored: number;
};

async function watched(
  bench: Bench,
  edge: BenchEdge,
  underLoad: () => Promise<Load>,
): Promise<Watched> {
  const acknowledgedNow = () => metric(edge.url, acknowledgedMetric);
  const before = { stored: await bench.storedRecords(), acknowledged: await acknowledgedNow() };
  const backlogs: number[] = [];
  let loading = true;
  const watch = (async () => {
    while (loading) {
      await delay(1_000);
      // Records that are stored between the two requests do not count as backlog; it is a moment.
      const acknowledged = (await acknowledgedNow()) - before.acknowledged;
      backlogs.push(acknowledged - ((await bench.storedRecords()) - before.stored));
    }
  })();
  const { microseconds } = await underLoad();
  const elapsed = microseconds / 1e6;
  const endedAt = performance.now();
  const storedAtEnd = (await bench.storedRecords()) - before.stored;
  await caughtUp(edge);
  const untilCaughtUp = elapsed + (performance.now() - endedAt) / 1_000;
  loading = false;
  await watch;
  const acknowledged = (await acknowledgedNow()) - before.acknowledged;
  const stored = (await bench.storedRecords()) - before.stored;
  return {
    acknowledgedPerSecond: acknowledged / elapsed,
    storedPerSecond: storedAtEnd / elapsed,
    caughtUpPerSecond: stored / untilCaughtUp,
    backlogs,
    acknowledged,
    stored,
  };
}

function complete(name: string, { acknowledged, stored }: Watched): Figure {
  const value = stored - acknowledged;
  return { ...info(name, value, 'records'), goal: '0', reached: value === 0 };
}
