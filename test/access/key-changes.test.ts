import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';

/** Each takes some ten milliseconds; `npm run test:faults` has ten thousand. */
const changesMax = process.env['LONG'] === undefined ? 150 : 10_000;
const changersMax = 8;
const devicesMax = 8;
/** What the system promises: how long an old key may still be taken after the answer to its change. */
const staleMsMax = 1_000;

const message = [{ n: 'a', v: 1 }];

type Device = { id: string; oldKey: string; newKey: string; address: string };
type Changed = Device & { answeredAt: number };

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

/** Each device has an address of its own: refused keys are counted by it. */
async function createDevices(): Promise<Device[]> {
  const { profileId } = await fleet.thing({ write: false });
  const made = await fleet.createThings(
    profileId,
    Array.from({ length: changesMax }, (_, i) => ({ name: `device ${i}`, type: 'sensor' })),
  );
  return made.map(({ id, key }, i) => ({
    id,
    oldKey: key,
    newKey: `new ${key}`,
    address: `10.0.${i >> 8}.${i & 255}`,
  }));
}

async function publish(device: Device, key: string): Promise<number> {
  const headers = { 'x-forwarded-for': device.address };
  return (await fleet.publish(`Thing ${key}`, message, { headers })).status;
}

/** As many at a time as `width` says. */
async function inParallel(width: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: width }, work));
}

it(`${changesMax} changed keys are each refused within a second, while devices publish with them`, async () => {
  const devices = await createDevices();
  const waiting = devices.values();
  const changed: Changed[] = [];
  const stale: { id: string; afterMs: number }[] = [];
  let changing = true;

  const tryOldKey = async (device: Changed): Promise<void> => {
    const afterMs = performance.now() - device.answeredAt;
    const status = await publish(device, device.oldKey);
    if (status === 202 && afterMs > staleMsMax) stale.push({ id: device.id, afterMs });
  };

  const change = inParallel(changersMax, async () => {
    for (const device of waiting) {
      expect(await publish(device, device.oldKey)).toBe(202);
      const { status } = await fleet.call('PUT', `/things/${device.id}`, { key: device.newKey });
      expect(status).toBe(200);
      changed.push({ ...device, answeredAt: performance.now() });
    }
  }).finally(() => {
    changing = false;
  });

  // Devices that know of nothing, publishing on with what was just changed.
  const traffic = inParallel(devicesMax, async () => {
    while (changing) {
      const device = changed.at(-1 - Math.floor(Math.random() * Math.min(changed.length, 500)));
      await (device === undefined ? delay(1) : tryOldKey(device));
    }
  });

  // Each of them once more as soon as its second is over.
  let probed = 0;
  const probes = inParallel(devicesMax, async () => {
    while (probed < devices.length && (changing || probed < changed.length)) {
      const device = changed[probed];
      if (device === undefined) {
        await delay(1);
        continue;
      }
      probed += 1;
      await delay(Math.max(0, device.answeredAt + staleMsMax + 1 - performance.now()));
      await tryOldKey(device);
    }
  });

  await Promise.all([change, traffic, probes]);
  expect(probed).toBe(changesMax);
  expect(stale).toEqual([]);

  for (const device of devices.filter((_, i) => i % 100 === 0)) {
    expect(await publish(device, device.newKey)).toBe(202);
  }
}, 300_000);
