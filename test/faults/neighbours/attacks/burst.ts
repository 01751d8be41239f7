import type { Attack } from '../attacker.ts';

const most = 1_000;
const paths = ['/orgs', '/groups', '/things', '/profiles', '/reader/senml?limit=10', '/keys'];

export const burst: Attack = {
  name: 'many requests of one user at once',
  prepare: async (attacker) => async () => {
    await Promise.all(
      Array.from({ length: attacker.scaled(most) }, (_, i) =>
        attacker.api('GET', paths[i % paths.length] ?? '/orgs'),
      ),
    );
  },
};
