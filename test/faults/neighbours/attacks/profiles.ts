import { randomUUID } from 'node:crypto';
import type { Attacker, Attack } from '../attacker.ts';
import { createdIds, textOfBytes } from './made.ts';

const profiles = 400;
const sharingOne = 300;
/** Bytes of a profile's config and of metadata; the first that is taken is used. */
const configSizes = [2_000_000, 60_000, 4_000, 3_900, 2_000, 0];
const metadataSizes = [2_000_000, 65_000, 60_000, 30_000];

async function createProfile(
  attacker: Attacker,
  groupId: string,
  config: number,
  metadata: number,
) {
  const profile = {
    name: randomUUID(),
    config: {
      content_type: 'application/senml+json',
      transformer: { data_filters: [textOfBytes(config)] },
    },
    metadata: { padding: textOfBytes(metadata) },
  };
  return attacker.api('POST', `/groups/${groupId}/profiles`, [profile]);
}

/** A message each, so that the edge remembers them. */
export const profilesAtLimits: Attack = {
  name: 'profiles and metadata at their limits',
  async prepare(attacker) {
    const { groupId } = await attacker.fleet.thing();
    const config = await attacker.largest(configSizes, async (size) => {
      return (await createProfile(attacker, groupId, size, 0)).status;
    });
    const metadata = await attacker.largest(metadataSizes, async (size) => {
      return (await createProfile(attacker, groupId, 0, size)).status;
    });
    const keys: string[] = [];
    for (let at = 0; at < attacker.scaled(profiles); at++) {
      const made = await createProfile(attacker, groupId, config, Math.min(metadata, 65_000));
      const [profileId] = createdIds(made.text, 'profiles');
      if (profileId === undefined) continue;
      // Many things that share one are looked up at once, too.
      const count = at === 0 ? attacker.scaled(sharingOne) : 1;
      const things = Array.from({ length: count }, () => ({ name: randomUUID(), type: 'sensor' }));
      const own = await attacker.fleet.createThings(profileId, things);
      keys.push(...own.map(({ key }) => key));
    }
    return async () => {
      await Promise.all(keys.map((key) => attacker.edge(`Thing ${key}`, [{ n: 'a', v: 1 }])));
    };
  },
};
