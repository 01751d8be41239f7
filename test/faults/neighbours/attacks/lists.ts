import { randomUUID } from 'node:crypto';
import type { Attack } from '../attacker.ts';
import { textOfBytes } from './made.ts';

const atOnce = 8;
const count = 400;
const perRequestBytes = 7_000_000;
const sizes = [1_000_000, 65_000, 60_000, 30_000];

export const largeLists: Attack = {
  name: 'lists of the largest things',
  async prepare(attacker) {
    const { profileId } = await attacker.fleet.thing();
    const orgs: unknown = (await attacker.fleet.call('GET', '/orgs?limit=1')).body;
    const orgId = String(Reflect.get(Object(Reflect.get(Object(orgs), 'orgs')[0]), 'id'));
    const metadata = (bytes: number) => ({ padding: textOfBytes(bytes) });
    const groups = (bytes: number, many: number) =>
      Array.from({ length: many }, () => ({ name: randomUUID(), metadata: metadata(bytes) }));
    const things = (bytes: number, many: number) =>
      groups(bytes, many).map((one) => ({ ...one, type: 'sensor' }));
    const groupsPath = `/orgs/${orgId}/groups`;
    const thingsPath = `/profiles/${profileId}/things`;
    const size = await attacker.largest(sizes, async (bytes) => {
      return (await attacker.api('POST', groupsPath, groups(bytes, 1))).status;
    });
    const many = Math.min(100, Math.floor(perRequestBytes / size));
    for (let made = 0; made < attacker.scaled(count); made += many) {
      await attacker.api('POST', groupsPath, groups(size, many));
      await attacker.api('POST', thingsPath, things(size, many));
    }
    const lists = ['/groups?limit=200', `${groupsPath}?limit=200`, '/things?limit=200'];
    return async () => {
      await Promise.all(
        Array.from({ length: atOnce }, (_, i) =>
          attacker.api('GET', lists[i % lists.length] ?? '/things'),
        ),
      );
    };
  },
};
