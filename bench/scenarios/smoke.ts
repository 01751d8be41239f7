import type { Figure } from '../harness/figures.ts';
import type { Scenario } from '../harness/setup.ts';
import { syncedToBare, syncedToUnsynced } from './bare/requests.ts';
import { scanning } from './edge/micro.ts';
import { storing } from './store/storing.ts';

/** The four most important limits, in under a minute: on a busy machine they are a hint, not a result. */
export const smoke: Scenario = async (bench) => {
  const named = (limit: string, figures: Figure[]) =>
    figures.map((figure) => ({ ...figure, name: `${limit} ${figure.name}` }));
  return [
    ...named('L1', await syncedToBare(bench, [10])),
    ...named('L2', await scanning()),
    ...named('L3', await syncedToUnsynced(bench, [10])),
    ...named('L5', await storing(bench)),
  ];
};
