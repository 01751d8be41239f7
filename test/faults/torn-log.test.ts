import { expect, it } from 'vitest';
import { lastPlaces, leaveLog, wrongAt } from '../durability/torn.ts';
import { dice } from '../support/malformed/mutate.ts';

const seed = Number(process.env['FAULTS_SEED'] ?? 1);
const kinds = ['cut', 'flip', 'zeros', 'garbage'] as const;
/** Every byte; what follows a tear matters less than where it is. */
const every = { cut: 1, flip: 1, zeros: 8, garbage: 64 };

it.each(kinds)(
  `a log damaged anywhere in its last 64 KiB (%s) gives back exactly its whole frames (FAULTS_SEED=${seed})`,
  async (kind) => {
    const random = dice(seed);
    const left = await leaveLog(random);
    const step = every[kind];
    const places = lastPlaces(left).filter((at) => at % step === 0);
    const startedAt = performance.now();
    const wrong = await wrongAt(left, kind, places, random);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const part = `torn log, ${kind}`;
    process.stdout.write(
      `${JSON.stringify({ part, seed, places: places.length, wrong: wrong.length, seconds })}\n`,
    );
    expect(wrong).toEqual([]);
  },
);
