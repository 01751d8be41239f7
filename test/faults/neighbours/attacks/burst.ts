import type { Attack } from '../attacker.ts';

const atOnce = 1_000;
const paths = ['/orgs', '/groups', '/things', '/profiles', '/reader/senml?limit=10', '/keys'];

export const burst: Attack = {
  name: 'a thousand requests of one user at once',
  prepare: async (attacker) => async () => {
    await Promise.all(
      Array.from({ length: atOnce }, (_, i) =>
        attacker.api('GET', paths[i % paths.length] ?? '/orgs'),
      ),
    );
  },
};
