import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fleet } from '../support/fleet.ts';
import { floodEdge } from '../support/malformed/edge.ts';
import { system } from '../support/system.ts';

const seed = 20_261_122;
const bodies = 5_000;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

it('thousands of malformed bodies get no 5xx, and a good one is accepted', async () => {
  const { wrong } = await floodEdge(fleet, seed, bodies);
  expect(wrong).toEqual([]);
  const thing = await fleet.thing();
  expect(await fleet.publish(thing.key, [{ n: 'a', v: 1 }])).toMatchObject({ status: 202 });
});
