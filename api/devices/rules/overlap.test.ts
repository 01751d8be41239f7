import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judge } from '../../../infra/runtime/alarms/conditions.ts';
import type { ClearCondition } from '../../../schemas/resources/rule.ts';
import { canBothHold } from './overlap.ts';

/** Numbers of conditions, and those between and beyond them. */
const numbers = [0, 1, 2];
const grid = [-1, 0, 0.5, 1, 1.5, 2, 3];

const number = fc.constantFrom(...numbers);
const ofNumbers: fc.Arbitrary<ClearCondition> = fc.oneof(
  fc.record({
    when: fc.constantFrom('>' as const, '>=' as const, '<' as const, '<=' as const),
    value: number,
  }),
  fc.record({ when: fc.constantFrom('==' as const, '!=' as const), value: number }),
  fc
    .record({ when: fc.constantFrom('between' as const, 'outside' as const), a: number, b: number })
    .map(({ when, a, b }) => ({ when, low: Math.min(a, b), high: Math.max(a, b) })),
);
const equality = fc.constantFrom('==' as const, '!=' as const);

const holds = (condition: ClearCondition, value: number | string | boolean) =>
  judge(condition, value)?.breach === true;

it.each<[string, fc.Arbitrary<ClearCondition>, readonly (number | string | boolean)[]]>([
  ['numbers', ofNumbers, grid],
  ['texts', fc.record({ when: equality, value: fc.constantFrom('a', 'b') }), ['a', 'b', 'c']],
  ['booleans', fc.record({ when: equality, value: fc.boolean() }), [true, false]],
])('two conditions of %s can both hold if there is a value for both', (_, condition, values) => {
  fc.assert(
    fc.property(condition, condition, (one, other) => {
      const both = values.some((value) => holds(one, value) && holds(other, value));
      expect(canBothHold(one, other)).toBe(both);
    }),
    { numRuns: 1_000 },
  );
});
