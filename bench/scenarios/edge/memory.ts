import { atMost, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { rounds, seconds } from '../../harness/load/durations.ts';
import { caughtUp, run } from '../../harness/load/rounds.ts';

/** The edge's memory at full load. */
export const memory: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  const samples: number[] = [];
  for (let at = 0; at < rounds(30); at++) {
    await run(bench, edge, at % 2 === 0 ? 10 : 100, seconds(10));
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
