import { join } from 'node:path';
import { costOf, type Cost } from '../../harness/cost.ts';
import { atMost, type Figure, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { cpuSeconds } from '../../../test/support/usage.ts';
import { type Scenario } from '../../harness/setup.ts';
import { calm } from '../../harness/load/calm.ts';
import { amount, rounds } from '../../harness/load/durations.ts';
import { createPublishers, pack, writeMessages } from '../../harness/requests.ts';
import {
  caughtUp,
  connections,
  publishByAll,
  roundSeconds,
  run,
  warmUpSeconds,
} from '../../harness/load/rounds.ts';
import type { BenchEdge } from '../../harness/setup.ts';
import { type Load, load } from '../../harness/load/wrk.ts';

const records = 10;
const thingsMax = () => Number(process.env['BENCH_THINGS'] ?? amount(100_000, 10_000));
const thingCounts = [1_000, 10_000, 100_000, 1_000_000];
const edgeCounts = [1, 2, 4];
const connectionCounts = [10, 100, 1_000, 10_000];

type Point = { at: number; load: Load; cost: Cost };

/** A curve of each: the name of the curve, a slash, and what grows. */
function curve(by: string, points: Point[]): Figure[] {
  return points.flatMap(({ at, load: { requestsPerSecond, p50Us, p99Us }, cost }) => [
    info(`S${records} by ${by} / ${at}`, requestsPerSecond, 'requests/s'),
    info(`ack p50 by ${by} / ${at}`, p50Us / 1_000, 'ms'),
    info(`ack p99 by ${by} / ${at}`, p99Us / 1_000, 'ms'),
    info(`CPU seconds per million records by ${by} / ${at}`, cost.cpuPerMillion, 's'),
    info(`CPU seconds per million records, edge, by ${by} / ${at}`, cost.edgeCpuPerMillion, 's'),
    info(`edge memory by ${by} / ${at}`, cost.edgePeakBytes / 1024 ** 2, 'MiB'),
  ]);
}

/** The cost of a record with more and more connections. */
export const growthOfConnections: Scenario = async (bench) => {
  const requestsPath = bench.requests(records);
  const points: Point[] = [];
  for (const count of connectionCounts) {
    const edge = await bench.startEdge();
    const loadFor = (seconds: number) =>
      load({ url: edge.url, requestsPath, connections: count, seconds });
    await loadFor(warmUpSeconds());
    await caughtUp(edge);
    const { result, cost } = await costOf(bench, [edge], () => loadFor(roundSeconds()));
    points.push({ at: count, load: result, cost });
    await edge.stop();
  }
  return [
    ...curve('connections', points),
    {
      ...info('CPU a record, most connections to fewest', cpuRatio(points), 'ratio'),
      note:
        'of few connections a commit carries few messages, and each pays for more of it; beyond some hundred ' +
        'the cores are full, and more connections only wait longer',
    },
  ];
};

/** The same with more and more things. */
export const growthOfThings: Scenario = async (bench) => {
  const store = await bench.system.pid('clickhouse');
  const points: Point[] = [];
  const credentials: string[] = [];
  for (const count of thingCounts.filter((one) => one <= thingsMax())) {
    const created = await createPublishers(bench.fleet, count - credentials.length);
    // One by one: so many are too many arguments for one call.
    for (const credential of created) credentials.push(credential);
    const path = join(bench.scratch, `requests of ${count}`);
    writeMessages(
      path,
      credentials,
      'application/senml+json',
      (random, publisher, second) => pack(random, publisher, records, second),
      // As many different messages of few things as of many: repeated ones would cost the store less.
      thingsMax() / count,
    );
    const edge = await bench.startEdge();
    const loadFor = (seconds: number) =>
      load({ url: edge.url, requestsPath: path, connections, seconds });
    await publishByAll(count, loadFor);
    await caughtUp(edge);
    // What the store merges of the first messages is not of the round.
    await calm(() => cpuSeconds(store));
    const { result, cost } = await costOf(bench, [edge], () => loadFor(roundSeconds()));
    points.push({ at: count, load: result, cost });
    await edge.stop();
  }
  return [
    ...curve('things', points),
    {
      ...atMost('CPU a record, most things to fewest', cpuRatio(points), 'ratio', 1.1),
      note:
        'an edge remembers a million keys; its memory holds, too, the journal of the things that were made just ' +
        'now, for twenty minutes',
    },
  ];
};

/** The ratio of the last point to the first. */
function cpuRatio(points: Point[]): number {
  const of = (point: Point | undefined) => point?.cost.cpuPerMillion ?? Number.NaN;
  return of(points.at(-1)) / of(points.at(0));
}

/** The same half load shared by more and more edges, in turns. */
export const growthOfEdges: Scenario = async (bench) => {
  const edges: BenchEdge[] = [];
  while (edges.length < Math.max(...edgeCounts)) edges.push(await bench.startEdge());
  const [first] = edges;
  if (first === undefined) throw new Error('there is no edge');
  for (const edge of edges) await run(bench, edge, records, warmUpSeconds());
  const full = await run(bench, first, records);
  for (const edge of edges) await caughtUp(edge);
  const perSecond = full.requestsPerSecond / 2;

  const share = async (count: number): Promise<Point> => {
    const among = edges.slice(0, count);
    const { result, cost } = await costOf(bench, among, () =>
      Promise.all(
        among.map((edge) => run(bench, edge, records, roundSeconds(), perSecond / count)),
      ),
    );
    const [one] = result;
    if (one === undefined) throw new Error('there was no load');
    const all = result.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
    return { at: count, load: { ...one, requestsPerSecond: all }, cost };
  };
  const points: Point[] = [];
  for (let round = 0; round < rounds(3); round++) {
    for (const count of edgeCounts) points.push(await share(count));
  }
  for (const edge of edges) await edge.stop();
  const of = (count: number) => points.filter(({ at }) => at === count);
  const cpu = (count: number) => median(of(count).map(({ cost }) => cost.cpuPerMillion));
  return [
    ...curve(
      'edges',
      edgeCounts.flatMap((count) => of(count).slice(-1)),
    ),
    atMost('CPU a record, two edges to one', cpu(2) / cpu(1), 'ratio', 1.1),
    {
      ...info('CPU a record, four edges to one', cpu(4) / cpu(1), 'ratio'),
      note: 'each edge commits and inserts for itself, less at a time; all share the same cores',
    },
  ];
};
