import { randomUUID } from 'node:crypto';
import type { Attack } from '../attacker.ts';

const atOnce = 1_000;

export const logins: Attack = {
  name: 'a thousand logins at once',
  prepare: async (attacker) => async () => {
    await Promise.all(
      Array.from({ length: atOnce }, () => {
        const email = `${randomUUID()}@example.com`;
        return attacker.api('POST', '/tokens', { email, password: 'not the password' }, '');
      }),
    );
  },
};
