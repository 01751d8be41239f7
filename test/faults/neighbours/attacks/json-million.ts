import { randomUUID } from 'node:crypto';
import type { Attack } from '../attacker.ts';

const strangersAtOnce = 4;
const mebibyte = 1_024 * 1_024;

/** A list of zeros, of just under so many bytes. */
const items = (bytes: number) => Buffer.from(`[${'0,'.repeat(bytes / 2 - 2)}0]`);

export const jsonMillion: Attack = {
  name: 'JSON of a million items',
  async prepare(attacker) {
    const open = items(mebibyte);
    const batch = items(8 * mebibyte);
    const { profileId } = await attacker.fleet.thing();
    return async () => {
      await Promise.all([
        ...Array.from({ length: strangersAtOnce }, () => attacker.api('POST', '/tokens', open, '')),
        // Where they may create things, and where there is nothing.
        ...[profileId, randomUUID()].map((id) =>
          attacker.api('POST', `/profiles/${id}/things`, batch),
        ),
      ]);
    };
  },
};
