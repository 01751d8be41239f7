import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attacker.ts';
import { textOfBytes } from './made.ts';

const things = 20;
const webhooksEach = 50;
const messageBytes = 900_000;
const pauseMs = 1_000;

export const unknownHosts: Attack = {
  name: 'webhooks to a thousand unknown hosts',
  async prepare(attacker) {
    const made = await attacker.things(things);
    for (const { id } of made) {
      const webhooks = Array.from({ length: webhooksEach }, (_, i) => ({
        name: `webhook ${i}`,
        url: `https://${randomUUID()}.invalid/`,
      }));
      await attacker.api('POST', `/things/${id}/webhooks`, webhooks);
    }
    const message = JSON.stringify([{ n: 'a', vs: textOfBytes(messageBytes) }]);
    return async () => {
      for (const { key } of made) await attacker.edge(`Thing ${key}`, message);
      await delay(pauseMs);
    };
  },
};
