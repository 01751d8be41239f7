import { setTimeout as delay } from 'node:timers/promises';
import type { Thing } from '../../../support/fleet.ts';
import type { Attack, Attacker } from '../attacker.ts';

const things = 1_000;
/** As many as a group may have. */
const rules = 100;
const recordsMax = 1_000;
const pauseMs = 100;

/** A hundred thousand pairs of rule and thing that fire with one message of each thing, and end with its next. */
export const firingRules: Attack = {
  name: 'a hundred thousand alarms that fire and end',
  async prepare(attacker) {
    const fleet = await openFleet(attacker, things);
    let wave = 0;
    return async () => {
      wave += 1;
      const body = [{ n: 'a', v: wave % 2 === 0 ? -1 : 2 }];
      await Promise.all(fleet.map(({ key }) => attacker.edge(`Thing ${key}`, body)));
    };
  },
};

/**
 * Each of their records has a time of its own, the newest first, and would be held against a hundred rules: up to ten million
 * values a second. The records themselves, 100,000 a second at most, are few enough for the store.
 */
export const longMessages: Attack = {
  name: 'messages of a thousand records under a hundred rules',
  async prepare(attacker) {
    const fleet = await openFleet(attacker, 10);
    return async () => {
      const body = Array.from({ length: attacker.scaled(recordsMax) }, (_, at) => ({
        n: 'a',
        t: -at,
        v: at % 2 === 0 ? -1 : 2,
      }));
      await Promise.all(fleet.map(({ key }) => attacker.edge(`Thing ${key}`, body)));
      await delay(pauseMs);
    };
  },
};

/** So many things of one group, which has as many rules as it may. */
async function openFleet(attacker: Attacker, count: number): Promise<readonly Thing[]> {
  const fleet = await attacker.things(attacker.scaled(count));
  const [first] = fleet;
  if (first === undefined) throw new Error('no thing was made');
  for (let at = 0; at < attacker.scaled(rules); at++) {
    const { status } = await attacker.api('POST', `/groups/${first.groupId}/rules`, {
      name: `rule ${at}`,
      conditions: [{ name: 'a', when: '>', value: at / rules }],
      severity: 'warning',
    });
    if (status !== 201) attacker.wrong(`rule ${at} was refused: ${status}`);
  }
  return fleet;
}
