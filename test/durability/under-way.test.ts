import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('a batch that was being sent when the edge and the store were killed is stored later, once', async () => {
  const thing = await fleet.thing();
  const numbered = sendNumbered(fleet, thing, connections);
  await eventually(() => numbered.acknowledged.size > 100, 30_000);
  // It takes in what is sent, and looks at none of it.
  await system().kill('clickhouse', 'SIGSTOP');
  const before = numbered.acknowledged.size;
  await eventually(() => numbered.acknowledged.size > before + 2_000, 30_000);
  await system().kill('ingest', 'SIGKILL');
  await system().kill('clickhouse', 'SIGKILL');
  await numbered.stop();
  expect(await judge(fleet, thing, numbered, 60_000)).toEqual(nothingWrong);
});
