import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

const json = { contentType: 'application/json' };

async function sendAndRead(config: object, body: unknown, count = 1) {
  const thing = await fleet.thing(config);
  expect(await fleet.publish(thing.key, body, json)).toMatchObject({ status: 202 });
  await eventually(async () => (await fleet.stored(thing.id, 'json')) === count);
  return (await fleet.readJson(thing.id)).map(({ created, payload }) => ({ created, payload }));
}

describe('JSON messages', () => {
  it('an object is read as it was sent', async () => {
    const payload = { name: 'wheel', value: 1.5, nested: { list: [1, 'zwei', null, true] } };
    expect(await sendAndRead({}, payload)).toMatchObject([{ payload }]);
  });

  it('a list becomes a record each', async () => {
    const list = [{ value: 1 }, { value: 2 }];
    const read = await sendAndRead({}, list, 2);
    expect(read.map(({ payload }) => payload)).toEqual(expect.arrayContaining(list));
  });

  it('a list whose every element has a name and a value is SenML, unless the profile says JSON', async () => {
    const senml = [{ n: 'a', v: 1 }];
    const thing = await fleet.thing();
    await fleet.publish(thing.key, senml, json);
    await eventually(async () => (await fleet.stored(thing.id)) === 1);
    const read = await sendAndRead({ content_type: 'application/json' }, senml);
    expect(read).toMatchObject([{ payload: { n: 'a', v: 1 } }]);
  });

  it('the transformer takes the part, the time and the fields of the profile', async () => {
    const config = {
      content_type: 'application/json',
      transformer: {
        data_field: 'body.data',
        time_field: 'at',
        time_format: '2006-01-02 15:04:05',
        time_location: 'Europe/Belgrade',
        data_filters: ['level', 'pump.speed'],
      },
    };
    const body = {
      body: { data: { at: '2026-07-01 12:00:00', level: 3, pump: { speed: 7, on: true }, x: 1 } },
    };
    expect(await sendAndRead(config, body)).toEqual([
      {
        created: Date.UTC(2026, 6, 1, 10) * 1e6,
        payload: { level: 3, 'pump.speed': 7 },
      },
    ]);
  });

  it('a missing part or an unreadable time is 400, a missing time is the time of receipt', async () => {
    const thing = await fleet.thing({
      content_type: 'application/json',
      transformer: { data_field: 'data', time_field: 'at', time_format: 'unix' },
    });
    const status = async (body: unknown) => (await fleet.publish(thing.key, body, json)).status;
    expect(await status({ other: 1 })).toBe(400);
    expect(await status({ data: { at: 'yesterday' } })).toBe(400);
    const before = Date.now() * 1e6;
    expect(await status({ data: { v: 1 } })).toBe(202);
    await eventually(async () => (await fleet.stored(thing.id, 'json')) === 1);
    const [record] = await fleet.readJson(thing.id);
    expect(record?.created).toBeGreaterThanOrEqual(before - 1e6);
  });

  it('a profile that does not write acknowledges, checks, and stores nothing', async () => {
    const thing = await fleet.thing({ write: false });
    expect(await fleet.publish(thing.key, [{ n: 'a', v: 1 }])).toMatchObject({ status: 202 });
    expect(await fleet.publish(thing.key, [{ n: 'a' }])).toMatchObject({ status: 400 });
    const other = await fleet.thing();
    await fleet.publish(other.key, [{ n: 'a', v: 1 }]);
    await eventually(async () => (await fleet.stored(other.id)) === 1);
    expect(await fleet.stored(thing.id)).toBe(0);
  });
});
