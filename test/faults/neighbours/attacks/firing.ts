import type { Attack } from '../attacker.ts';

const things = 1_000;
/** As many as a group may have. */
const rules = 100;

/** A hundred thousand pairs of rule and thing that fire with one message of each thing, and end with its next. */
export const firingRules: Attack = {
  name: 'a hundred thousand alarms that fire and end',
  async prepare(attacker) {
    const [first, ...others] = await attacker.things(attacker.scaled(things));
    if (first === undefined) throw new Error('no thing was made');
    for (let at = 0; at < attacker.scaled(rules); at++) {
      const conditions = [{ name: 'a', when: '>', value: at / rules }];
      const { status } = await attacker.api('POST', `/groups/${first.groupId}/rules`, {
        name: `rule ${at}`,
        conditions,
        severity: 'warning',
      });
      if (status !== 201) attacker.wrong(`rule ${at} was refused: ${status}`);
    }
    let wave = 0;
    return async () => {
      wave += 1;
      const body = [{ n: 'a', v: wave % 2 === 0 ? -1 : 2 }];
      await Promise.all([first, ...others].map(({ key }) => attacker.edge(`Thing ${key}`, body)));
    };
  },
};
