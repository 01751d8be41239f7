import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSeries } from '../../infra/local/demo/series.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { packs } from '../support/messages/series.ts';
import { system } from '../support/system.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

/** Of each: as many as fill several messages and several pages of a reader. */
const pointsMax = 2_500;
const allSeries = readSeries().map(({ points, ...series }) => ({
  ...series,
  points: points.slice(0, pointsMax),
}));

describe('a real sensor series', () => {
  it.each(allSeries)('$name comes back point by point', async (series) => {
    const thing = await fleet.thing();
    for (const pack of packs(series, 500)) {
      expect(await fleet.publish(thing.key, pack)).toMatchObject({ status: 202 });
    }
    await eventually(async () => (await fleet.stored(thing.id)) === series.points.length);
    const read = (await fleet.readSenml(thing.id)).map(({ time, value }) => ({ time, value }));
    const sent = series.points.map(({ seconds, value }) => ({ time: seconds, value }));
    // Several points of a series may share a time; between them there is no order.
    const inOrder = (a: { time: number; value?: number | undefined }, b: typeof a) =>
      a.time - b.time || (a.value ?? 0) - (b.value ?? 0);
    expect(read.toSorted(inOrder)).toEqual(sent.toSorted(inOrder));
  });
});
