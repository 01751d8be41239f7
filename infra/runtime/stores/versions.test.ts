import { expect, it } from 'vitest';
import { leastClickhouse, leastPostgres, leastRedis } from './versions.ts';

it.each([
  ['Redis', leastRedis, '6.2.14', false],
  ['Redis', leastRedis, '7.0.0', true],
  ['Redis', leastRedis, '7.0.15', true],
  ['Redis', leastRedis, '10.1.0-rc1', true],
  ['Redis', leastRedis, '', false],
  ['PostgreSQL', leastPostgres, '14.19 (Debian 14.19-1)', false],
  ['PostgreSQL', leastPostgres, '15.14', true],
  ['PostgreSQL', leastPostgres, '19beta1', true],
  ['ClickHouse', leastClickhouse, '25.8.1.5101', false],
  ['ClickHouse', leastClickhouse, '26.3.20.1', false],
  ['ClickHouse', leastClickhouse, '26.7.2.1', true],
  ['ClickHouse', leastClickhouse, '27.1.1.1', true],
])('%s, at least %s: %s is new enough: %s', (_, least, version, isMet) => {
  expect(least.isMetBy(version)).toBe(isMet);
});
