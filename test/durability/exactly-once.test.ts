import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { judge, sendNumbered } from '../support/messages/numbered.ts';
import { system } from '../support/system.ts';

const connections = 20;
const nothingWrong = { lost: [], twice: [], invented: [] };

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

describe('nothing lost, nothing twice', () => {
  it.each(['ingest', 'clickhouse', 'redis'])(
    'acknowledged records survive kill -9 of %s, again and again',
    { timeout: 180_000 },
    async (victim) => {
      const thing = await fleet.thing();
      const numbered = sendNumbered(fleet, thing, connections);
      for (let cycle = 0; cycle < 2; cycle++) {
        const before = numbered.acknowledged.size;
        await eventually(() => numbered.acknowledged.size > before + 200, 30_000);
        // A moment nobody chose: between the steps of the edge and the sinks.
        await delay(Math.random() * 400);
        await system().kill(victim, 'SIGKILL');
      }
      await numbered.stop();
      expect(await judge(fleet, thing, numbered, 60_000)).toEqual(nothingWrong);
      expect(numbered.acknowledged.size).toBeGreaterThan(400);
    },
  );

  it('known devices go on while the store is away, and all messages are stored after', async () => {
    const thing = await fleet.thing();
    const numbered = sendNumbered(fleet, thing, connections);
    await eventually(() => numbered.acknowledged.size > 100, 30_000);
    await system().kill('clickhouse', 'SIGSTOP');
    const before = numbered.acknowledged.size;
    await eventually(() => numbered.acknowledged.size > before + 2_000, 30_000);
    await system().kill('clickhouse', 'SIGCONT');
    await numbered.stop();
    expect(await judge(fleet, thing, numbered, 90_000)).toEqual(nothingWrong);
  });
});
