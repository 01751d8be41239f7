import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { NotOkStates } from './not-ok.ts';

it('keeps numbers of changes beyond 32 bits', () => {
  const states = new NotOkStates();
  const one = {
    state: { kind: 'firing', sinceUs: 1_800_000_000_000_000 },
    sequence: 2 ** 32 + 5,
    alarmId: randomUUID(),
    episode: 7,
    savedAtS: 12,
  } as const;
  states.set(3, one);
  expect(states.get(3)).toEqual(one);
});
