import { randomUUID } from 'node:crypto';
import { inParallel } from '../../../support/api/parallel.ts';
import type { Attack } from '../attacker.ts';

const guesses = 10_000;
/** Enough to spend what one address may guess in a minute, at the edge and at the API. */
const guessesMin = 5_000;
const atOnce = 50;

export const keyGuesses: Attack = {
  name: '10,000 guesses of keys',
  async prepare(attacker) {
    const series = `SN-${randomUUID().slice(0, 8)}-`;
    const count = Math.max(guessesMin, attacker.scaled(guesses));
    const rightOne = count - 1;
    const serial = (nth: number) => `${series}${String(nth).padStart(5, '0')}`;
    await attacker.fleet.thing({}, serial(rightOne));
    const message = [{ n: 'a', v: 1 }];
    const ways: ((nth: number) => Promise<{ status: number }>)[] = [
      (nth) => attacker.edge(`External ${serial(nth)}`, message),
      () => attacker.edge(`Thing ${randomUUID()}`, message),
      (nth) => attacker.api('POST', '/identify', { key: serial(nth), type: 'external' }, ''),
      () => attacker.api('POST', '/identify', { key: randomUUID(), type: 'internal' }, ''),
      () => attacker.api('GET', '/reader/senml?limit=1', undefined, `Thing ${randomUUID()}`),
    ];
    return async () => {
      const numbers = Array.from({ length: count }, (_, nth) => nth);
      await inParallel(atOnce, numbers, async (nth) => {
        // The right one is tried in both ways that know external keys.
        const some = nth === rightOne ? [ways[0], ways[2]] : [ways[nth % ways.length]];
        for (const way of some) {
          const answer = await way?.(nth);
          if (answer !== undefined && answer.status >= 200 && answer.status < 300) {
            attacker.wrong(`guess ${nth} found a key`);
          }
        }
      });
    };
  },
};
