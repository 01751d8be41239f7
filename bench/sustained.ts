import { setTimeout as delay } from 'node:timers/promises';
import { atLeast, info, median, type Scenario } from './figures.ts';
import { seconds as ofRound } from './pace.ts';
import { acknowledgedMetric, caughtUp, pendingMetric, run, warmUpSeconds } from './running.ts';
import { metric } from './setup.ts';

/** A minute of packs at a rate above a million records a second: is all of it stored as it comes? */
export const sustained: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  const recordsPerSecond = 1_050_000;
  const seconds = ofRound(60);
  await run(bench, edge, 100, warmUpSeconds());
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
