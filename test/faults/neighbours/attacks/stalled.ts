import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../../support/eventually.ts';
import type { ProfileConfig } from '../../../../schemas/resources/profile-config.ts';
import type { Attack, Attacker } from '../attacker.ts';
import { textOfBytes } from './made.ts';

const sockets = 10;
const waveMs = 500;
const storedMsMax = 60_000;
/** Rows and bytes enough that no socket's buffers hold the answer. */
const exportMessages = 30;
const exportRecords = 10_000;
const exportName = textOfBytes(200);
const pageMessages = 400;
const pageMessageBytes = 200_000;

/** Opens them once; a wave is a moment in which they stand. */
function stall(attacker: Attacker, path: string, key: string): () => Promise<void> {
  const manners = ['reads nothing', 'trickles'] as const;
  let held = false;
  return async () => {
    for (let i = 0; i < sockets && !held; i++) {
      void attacker.hold(path, `Thing ${key}`, manners[i % 2] ?? 'trickles');
    }
    held = true;
    await delay(waveMs);
  };
}

/** A thing with so many stored records of what `message` makes. */
async function filledThing(
  attacker: Attacker,
  format: 'senml' | 'json',
  messages: number,
  records: number,
  message: (nth: number) => unknown,
): Promise<string> {
  const config: ProfileConfig = format === 'json' ? { content_type: 'application/json' } : {};
  const thing = await attacker.fleet.thing(config);
  const contentType = format === 'json' ? 'application/json' : 'application/senml+json';
  for (let at = 0; at < messages; at++) {
    await eventually(async () => {
      const { status } = await attacker.edge(`Thing ${thing.key}`, message(at), contentType);
      return status === 202;
    });
  }
  const all = messages * records;
  await eventually(async () => {
    return (await attacker.fleet.stored(thing.id, format)) >= all;
  }, storedMsMax);
  return thing.key;
}

export const stalledExports: Attack = {
  name: 'ten stalled exports',
  async prepare(attacker) {
    const message = (nth: number) => [
      { bn: exportName, n: 'a', v: 0, t: 1_700_000_000 + nth * exportRecords },
      ...Array.from({ length: exportRecords - 1 }, (_, i) => ({
        n: 'a',
        v: i,
        t: 1_700_000_001 + nth * exportRecords + i,
      })),
    ];
    const messages = attacker.scaled(exportMessages);
    const key = await filledThing(attacker, 'senml', messages, exportRecords, message);
    return stall(attacker, '/reader/senml/export?convert=json', key);
  },
};

export const stalledPages: Attack = {
  name: 'ten stalled pages',
  async prepare(attacker) {
    const text = textOfBytes(pageMessageBytes);
    const messages = attacker.scaled(pageMessages);
    const key = await filledThing(attacker, 'json', messages, 1, (nth) => ({ nth, text }));
    return stall(attacker, '/reader/json?limit=1000', key);
  },
};
