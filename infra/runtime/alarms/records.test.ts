import { expect, it } from 'vitest';
import { recordsQueries } from './records.ts';

it.each([
  [1_500, 1_501, '1500000', '1501999'],
  // Of devices without a clock.
  [0, 0, '0', '999'],
  [-5, -4, '-5000', '-3001'],
])('records of %d to %d µs are asked for in nanoseconds', (fromUs, toUs, from, to) => {
  const range = { thingId: '00000000-0000-0000-0000-000000000001', fromUs, toUs };
  const [query] = recordsQueries([{ name: 'a', when: '>', value: 1 }], range, 10);
  expect(Object.values(query?.bound ?? {})).toEqual(expect.arrayContaining([from, to]));
});
