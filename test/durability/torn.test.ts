import { expect, it } from 'vitest';
import { dice } from '../support/malformed/mutate.ts';
import { lastPlaces, leaveLog, wrongAt } from './torn.ts';

const seed = 20_261_122;
/** `npm run test:faults` tears it at each byte. */
const sampleEvery = 997;
const kinds = ['cut', 'zeros', 'garbage', 'flip'] as const;

it.each(kinds)(
  'a log damaged in its last 64 KiB (%s) gives back exactly its whole frames',
  async (kind) => {
    const random = dice(seed);
    const left = await leaveLog(random);
    const places = lastPlaces(left).filter((at) => at % sampleEvery === 0);
    expect(await wrongAt(left, kind, places, random)).toEqual([]);
  },
);
