import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { system } from '../support/system.ts';

const messages = 20;
/** So many reads take longer than a deletion that waits for nobody. */
const reads = 20;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

/**
 * Publishes as much of `late` as of `kept` and stops the edge, until some of what it acknowledged is caught in
 * its log. Gives how much of each there is.
 */
async function catchInLog(thing: Thing): Promise<number> {
  let acknowledged = 0;
  await eventually(async () => {
    const packs = Array.from({ length: messages }, (_, v) => [{ n: v % 2 ? 'late' : 'kept', v }]);
    await Promise.all(
      packs.map(async (pack) => {
        expect(await fleet.publish(thing.key, pack)).toMatchObject({ status: 202 });
        acknowledged += 1;
      }),
    );
    await system().kill('ingest', 'SIGSTOP');
    if ((await fleet.stored(thing.id)) < acknowledged) return true;
    await system().kill('ingest', 'SIGCONT');
    return false;
  }, 30_000);
  return acknowledged / 2;
}

it('a deletion includes messages that were acknowledged before it and not stored yet', async () => {
  const [thing, other] = [await fleet.thing(), await fleet.thing()];
  const each = await catchInLog(thing);
  const deletion = fleet.call('DELETE', `/reader/senml/${thing.id}?name=late`);
  let first: string;
  try {
    const reading = async () => {
      for (let at = 0; at < reads; at++) await fleet.stored(other.id);
      return 'the reads';
    };
    first = await Promise.race([deletion.then(() => 'the deletion'), reading()]);
  } finally {
    await system().kill('ingest', 'SIGCONT');
  }
  expect(first).toBe('the reads');
  expect((await deletion).status).toBe(204);
  // What stands after it in the log is stored after it.
  expect(await fleet.publish(other.key, [{ n: 'after', v: 1 }])).toMatchObject({ status: 202 });
  await eventually(async () => expect(await fleet.stored(other.id)).toBe(1), 30_000);
  expect(await fleet.stored(thing.id)).toBe(each);
  const late = await fleet.page('senml', { publisher: thing.id, name: 'late' });
  expect(late.total).toBe(0);
});
