import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attacker.ts';

const firstYear = 2_000;
const years = 101;
const pauseMs = 100;

export const century: Attack = {
  name: 'times over a century',
  async prepare(attacker) {
    const { key } = await attacker.fleet.thing();
    let nth = 0;
    return async () => {
      nth += 1;
      const message = Array.from({ length: years }, (_, year) => ({
        n: 'a',
        v: nth,
        t: Date.UTC(firstYear + year, 5, 1) / 1_000,
      }));
      await attacker.edge(`Thing ${key}`, message);
      await delay(pauseMs);
    };
  },
};
