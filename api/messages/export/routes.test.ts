import { expect, it } from 'vitest';
import { encodingOf } from './routes.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['*', undefined],
  ['gzip', 'gzip'],
  ['gzip, zstd', 'zstd'],
  ['ZSTD;q=0, gzip;q=0.1', 'gzip'],
  ['gzip;q=0.000', undefined],
  ['br', undefined],
])('Accept-Encoding: %s asks for %s', (header, encoding) => {
  expect(encodingOf(header)).toBe(encoding);
});
