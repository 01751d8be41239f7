import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { burst } from '../faults/neighbours/attacks/burst.ts';
import { jsonMillion } from '../faults/neighbours/attacks/json-million.ts';
import { Neighbour } from '../faults/neighbours/neighbour.ts';
import {
  besiege,
  type Medians,
  quietMedians,
  type Siege,
  tableOf,
} from '../faults/neighbours/siege.ts';
import { system } from '../support/system.ts';

/**
 * Two attacks on the API; `reading/shares` has one on the store. `npm run test:faults` has all of them, ten times as
 * large.
 */
const attacks = [jsonMillion, burst];
const scale = 0.1;
const seconds = 1;
const quietSeconds = 1;
const arriveMsMax = 60_000;
const msMax = 4 * arriveMsMax;

let neighbour: Neighbour;
let quiet: Medians;
const sieges: Siege[] = [];

beforeAll(async () => {
  neighbour = await Neighbour.open(system());
  quiet = await quietMedians(neighbour, quietSeconds);
});

afterAll(() => {
  process.stdout.write(`${tableOf(sieges)}\n`);
});

describe('a tenant beside a hostile one', () => {
  it.each(attacks)(
    'gets right responses during: $name',
    async ({ name: attack }) => {
      const siege = await besiege(system(), neighbour, quiet, {
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

  it('and its acknowledged messages are stored once', async () => {
    const { acknowledged, stored } = await neighbour.leave(arriveMsMax);
    expect(stored).toBe(acknowledged);
  });
});
