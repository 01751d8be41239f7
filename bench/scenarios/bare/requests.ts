import { atLeast, type Figure, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { ratio } from '../../harness/load/rounds.ts';
import type { Bench } from '../../harness/setup.ts';

/** Acknowledged requests beside a handler on the same server that only drains the body. */
export const againstBare: Scenario = async (bench) => [
  ...(await syncedToBare(bench, [1, 2, 10])),
  ...(await answeredToBare(bench)),
];

/** What the edge's reading of requests and its 202 cost, without what the 202 promises. */
async function answeredToBare(bench: Bench): Promise<Figure[]> {
  const answering = await bench.startAnswering();
  const bare = await bench.startBare();
  const { ratio: share } = await ratio(bench, answering, bare, 10);
  await bare.stop();
  await answering.stop();
  return [info('S10 answered and not kept, to bare', share, 'ratio')];
}

export async function syncedToBare(bench: Bench, sizes: number[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  const edge = await bench.startEdge();
  const bare = await bench.startBare();
  for (const records of sizes) {
    const { of, to, ratio: share } = await ratio(bench, edge, bare, records);
    figures.push(
      info(`S${records} acknowledged`, of, 'requests/s'),
      info(`S${records} bare`, to, 'requests/s'),
      records === 1
        ? info('S1 to bare', share, 'ratio')
        : atLeast(`S${records} to bare`, share, 'ratio', records === 10 ? 0.5 : 0.45),
    );
  }
  await bare.stop();
  await edge.stop();
  return figures;
}

/** What the promise costs: the same edge with and without the sync. */
export const syncedAgainstUnsynced: Scenario = (bench) => syncedToUnsynced(bench, [1, 10]);

export async function syncedToUnsynced(bench: Bench, sizes: number[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  const synced = await bench.startEdge();
  const unsynced = await bench.startEdge({ synced: false });
  for (const records of sizes) {
    const { ratio: share } = await ratio(bench, synced, unsynced, records);
    figures.push(atLeast(`S${records} sync on to off`, share, 'ratio', 0.85));
  }
  await unsynced.stop();
  await synced.stop();
  return figures;
}
