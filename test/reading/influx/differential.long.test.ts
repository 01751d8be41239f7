import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Both, fillBoth } from './both.ts';
import { hasInfluxd } from './influxd.ts';
import { drawPoints } from './points.ts';
import { statement } from './statements.ts';

/** Another one each day; what failed is found again by it. */
const seed = Math.floor(Date.now() / 86_400_000);
let both: Both | undefined;

describe.skipIf(!hasInfluxd)(`statements on many points (seed ${seed})`, () => {
  beforeAll(async () => {
    both = await fillBoth(drawPoints(100_000, 3_600, seed));
  });
  afterAll(async () => both?.stop());

  it('have the same answers', async () => {
    for (const one of fc.sample(statement, { numRuns: 500, seed })) {
      const answers = await both?.answer(one);
      expect.soft(answers?.ours, one).toEqual(answers?.influxdb);
    }
  });
});
