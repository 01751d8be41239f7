import { randomUUID } from 'node:crypto';
import type { Attack } from '../attacker.ts';
import { numbersOfBytes } from './made.ts';

const atOnce = 40;
const things = 72;
const sizes = [1_000_000, 64_000, 60_000, 30_000, 6_900];
const filterSizes = [60_000, 3_900, 1_000, 400];
const pattern = '%a_'.repeat(80);

export const searches: Attack = {
  name: 'searches heavy with patterns and containment',
  async prepare(attacker) {
    const { profileId } = await attacker.fleet.thing();
    const path = `/profiles/${profileId}/things`;
    const thing = (size: number) => [
      { name: randomUUID(), type: 'sensor', metadata: { list: numbersOfBytes(size) } },
    ];
    const size = await attacker.largest(sizes, async (bytes) => {
      return (await attacker.api('POST', path, thing(bytes))).status;
    });
    const count = size > 100_000 ? 5 : things;
    for (let at = 1; at < count; at++) await attacker.api('POST', path, thing(size));
    const search = (bytes: number) => ({
      metadata: { list: numbersOfBytes(bytes).map((number) => number + 1) },
    });
    const filter = await attacker.largest(filterSizes, async (bytes) => {
      return (await attacker.api('POST', '/profiles/search', search(bytes))).status;
    });
    const text = encodeURIComponent(JSON.stringify(search(filter).metadata));
    return async () => {
      await Promise.all(
        Array.from({ length: atOnce }, (_, i) => {
          if (i % 4 === 0) return attacker.api('GET', `/things?metadata=${text}`);
          if (i % 4 === 1) return attacker.api('POST', '/things/search', { name: pattern });
          return attacker.api('POST', '/things/search', search(filter));
        }),
      );
    };
  },
};
