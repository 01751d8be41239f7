import { syncMs } from '../bare/sync.ts';
import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { atLeast, type Figure, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { caughtUp, run, usualRounds, warmUpSeconds } from '../../harness/load/rounds.ts';

const sizes = [1, 10, 100, 1_000];

/** SenML packs of each size, as fast as they are acknowledged, while the store keeps up as it can. */
export const packs: Scenario = async (bench) => {
  const figures: Figure[] = [];
  const edge = await bench.startEdge();
  for (const records of sizes) {
    await run(bench, edge, records, warmUpSeconds());
    await caughtUp(edge);
    const rounds: Round[] = [];
    for (let at = 0; at < usualRounds(); at++) {
      rounds.push(await costOf(bench, [edge], () => run(bench, edge, records)));
    }
    const round = medianRound(rounds);
    figures.push(...loadFigures(`S${records}`, round, records));
    if (records === 100) {
      const rate = round.result.requestsPerSecond * records;
      figures.push(atLeast('S100 at full speed', rate, 'records/s', 1_500_000));
    }
  }
  figures.push(info('one 64 KiB O_DSYNC write, p50', syncMs(edge.dataDir), 'ms'));
  await edge.stop();
  return figures;
};
