import { expect, it } from 'vitest';
import { leastRedis } from './versions.ts';

it.each([
  ['6.2.14', false],
  ['7.0.0', true],
  ['7.0.15', true],
  ['8.2', true],
  ['10.1.0-rc1', true],
  ['', false],
])('Redis %s is new enough: %s', (version, isMet) => {
  expect(leastRedis.isMetBy(version)).toBe(isMet);
});
