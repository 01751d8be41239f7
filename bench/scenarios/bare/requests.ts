import { atLeast, type Figure, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { ratio } from '../../harness/load/rounds.ts';
import type { Bench } from '../../harness/setup.ts';

/** Acknowledged requests beside a handler on the same server that only drains the body. */
export const againstBare: Scenario = (bench) => syncedToBare(bench, [1, 2, 10]);

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

/** The cost of the sync: the same edge with and without it. */
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
