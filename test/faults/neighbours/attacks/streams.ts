import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attacker.ts';

/** More than there are, so that some always wait for one that is given back. */
const things = 12;
const streamsEach = 10;
const pauseMs = 50;

export const liveStreams: Attack = {
  name: '100 live streams of one tenant',
  async prepare(attacker) {
    const made = await attacker.things(things);
    const before = attacker.answers;
    for (const { key } of made) {
      for (let at = 0; at < streamsEach; at++) {
        void attacker.hold('/reader/senml/live', `Thing ${key}`, 'reads all');
      }
    }
    await attacker.answered(things * streamsEach, before);
    return async () => {
      // Something to give to all of them.
      for (const { key } of made) {
        await attacker.edge(`Thing ${key}`, [{ n: 'a', v: 1 }]);
        await delay(pauseMs);
      }
    };
  },
};
