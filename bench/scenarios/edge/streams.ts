import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { atLeast, type Figure } from '../../harness/figures.ts';
import type { Scenario } from '../../harness/setup.ts';
import {
  caughtUp,
  connections,
  roundSeconds,
  run,
  usualRounds,
  warmUpSeconds,
} from '../../harness/load/rounds.ts';
import { streamLoad } from '../../harness/load/stream-load.ts';
import type { Load } from '../../harness/load/wrk.ts';

/** Messages a frame, and how many times HTTP's rate they should reach. */
const frames: readonly [perFrame: number, floor: number][] = [
  [1, 5],
  [16, 5],
  [256, 10],
];

/** Messages of one record over streams, beside the same messages by HTTP in the same run: rounds in turns. */
export const streams: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  const requestsPath = bench.requests(1);
  const ways = new Map<string, (seconds: number) => Promise<Load>>([
    ['HTTP S1', (seconds) => run(bench, edge, 1, seconds)],
    ...frames.map(([perFrame]): [string, (seconds: number) => Promise<Load>] => [
      `stream S1, ${perFrame} a frame`,
      (seconds) => streamLoad({ url: edge.url, requestsPath, connections, perFrame, seconds }),
    ]),
  ]);
  const rounds = new Map<string, Round[]>();
  for (const send of ways.values()) await send(warmUpSeconds());
  await caughtUp(edge);
  for (let at = 0; at < usualRounds(); at++) {
    for (const [name, send] of ways) {
      const round = await costOf(bench, [edge], () => send(roundSeconds()));
      rounds.set(name, [...(rounds.get(name) ?? []), round]);
    }
  }
  await edge.stop();
  const medians = new Map([...rounds].map(([name, all]) => [name, medianRound(all)]));
  const rate = (name: string) => medians.get(name)?.result.requestsPerSecond ?? Number.NaN;
  const figures: Figure[] = [...medians].flatMap(([name, round]) => loadFigures(name, round, 1));
  for (const [perFrame, floor] of frames) {
    const ratio = rate(`stream S1, ${perFrame} a frame`) / rate('HTTP S1');
    figures.push(atLeast(`stream S1, ${perFrame} a frame, to HTTP`, ratio, 'ratio', floor));
  }
  return figures;
};
