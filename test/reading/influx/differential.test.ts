import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Both, fillBoth } from './both.ts';
import { hasInfluxd } from './influxd.ts';
import { drawPoints } from './points.ts';
import { statement } from './statements.ts';

/** The same on more: differential.long.test.ts. */
const seed = 7;
let both: Both | undefined;

describe.skipIf(!hasInfluxd)('statements that InfluxDB and Millrace both answer', () => {
  beforeAll(async () => {
    both = await fillBoth(drawPoints(2_000, 3_600, seed));
  });
  afterAll(async () => both?.stop());

  it('have the same answers', async () => {
    const statements = fc.sample(statement, { numRuns: 30, seed });
    for (const one of statements) {
      const answers = await both?.answer(one);
      expect.soft(answers?.ours, one).toEqual(answers?.influxdb);
    }
  });
});
