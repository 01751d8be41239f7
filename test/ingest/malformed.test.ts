import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fleet } from '../fleet.ts';
import { floodEdge } from '../malformed/edge.ts';
import { system } from '../system.ts';

const seed = 20_261_122;
const bodies = 5_000;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

it('thousands of malformed bodies get no answer that blames the edge, and a good one is taken', async () => {
  const { wrong } = await floodEdge(fleet, seed, bodies);
  expect(wrong).toEqual([]);
  const thing = await fleet.thing();
  expect(await fleet.publish(thing.key, [{ n: 'a', v: 1 }])).toMatchObject({ status: 202 });
});
