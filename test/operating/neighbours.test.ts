import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { attacks } from '../faults/neighbours/attacks.ts';
import { Neighbour } from '../faults/neighbours/neighbour.ts';
import {
  besiege,
  type Medians,
  quietMedians,
  type Siege,
  tableOf,
} from '../faults/neighbours/siege.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

/** A tenth of each attack, for a moment; `npm run test:faults` has them whole, and holds the times too. */
const scale = 0.1;
const seconds = 2;
const quietSeconds = 2;
const arriveMsMax = 60_000;
const msMax = 4 * arriveMsMax;

let system: OwnSystem;
let neighbour: Neighbour;
let quiet: Medians;
let failed = false;
const sieges: Siege[] = [];

beforeAll(async () => {
  system = await startSystem();
  neighbour = await Neighbour.open(system);
  quiet = await quietMedians(neighbour, quietSeconds);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  process.stdout.write(`${tableOf(sieges)}\n`);
  await system.stop(failed);
});

describe('a tenant beside a hostile one', () => {
  it.each(attacks)(
    'is answered rightly during: $name',
    async ({ name: attack }) => {
      const siege = await besiege(system, neighbour, quiet, {
        attack,
        scale,
        seconds,
        webhooksMsMax: arriveMsMax,
      });
      sieges.push(siege);
      expect(siege).toMatchObject({
        neighbourWrong: [],
        tally: { wrong: [] },
        webhooksMissing: 0,
        restarted: [],
      });
    },
    msMax,
  );

  it('and what it was acknowledged is stored once', async () => {
    const { acknowledged, stored } = await neighbour.leave(arriveMsMax);
    expect(stored).toBe(acknowledged);
  });
});
