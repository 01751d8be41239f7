import { expect, it } from 'vitest';
import { sentenceOf } from './sentence.ts';

it('a rule reads as one would say it', () => {
  const warm = { name: 'temperature', when: '>', value: 8 } as const;
  expect(sentenceOf({ conditions: [warm] })).toBe('temperature > 8');
  expect(sentenceOf({ conditions: [{ ...warm, clear: { when: '<', value: 6 } }], for: 300 })).toBe(
    'temperature > 8 for 5 min, clears < 6',
  );
  expect(
    sentenceOf({
      conditions: [
        { ...warm, clear: { when: '<', value: 6 } },
        { path: 'door.open', when: '==', value: true, subtopic: 'north' },
      ],
      match: 'any',
      for: 90,
      clear_for: 60,
    }),
  ).toBe(
    'temperature > 8 (clears < 6) or door.open (north) = true, for 1 min 30 s, over after 1 min',
  );
  expect(sentenceOf({ conditions: [{ name: 'pH', when: 'outside', low: 6.5, high: 8 }] })).toBe(
    'pH outside 6.5 to 8',
  );
  expect(sentenceOf({ conditions: [{ name: '', when: '<' }] })).toBe('… < …');
  expect(sentenceOf({ conditions: [{ when: 'silent' }], for: 600 })).toBe(
    'nothing heard for 10 min',
  );
});
