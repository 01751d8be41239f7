import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { type Figure } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { caughtUp, roundSeconds, usualRounds, warmUpSeconds } from '../../harness/load/rounds.ts';
import { load } from '../../harness/load/wrk.ts';

const records = 10;

/** The same load over a thousand and ten thousand connections, none of them ever idle. */
export const connectionsHeld: Scenario = async (bench) => {
  const figures: Figure[] = [];
  for (const connections of [1_000, 10_000]) {
    // An edge of its own, so that its memory is that of so many connections.
    const edge = await bench.startEdge();
    const requestsPath = bench.requests(records);
    const run = (seconds: number) => load({ url: edge.url, requestsPath, connections, seconds });
    await run(warmUpSeconds());
    await caughtUp(edge);
    const rounds: Round[] = [];
    for (let at = 0; at < usualRounds(); at++) {
      rounds.push(await costOf(bench, [edge], () => run(roundSeconds())));
    }
    await edge.stop();
    figures.push(...loadFigures(`${connections} connections, S10`, medianRound(rounds), records));
  }
  return figures;
};
