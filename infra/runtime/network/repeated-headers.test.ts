import { expect, it } from 'vitest';
import { repeatedHeader } from './repeated-headers.ts';

it.each([
  [['Host', 'a', 'Authorization', 'x', 'Accept', '*/*', 'accept', '*/*'], undefined],
  [['host', 'a', 'Host', 'a'], 'Host'],
  [['Host', 'a', 'authorization', 'x', 'AUTHORIZATION', 'x'], 'Authorization'],
  // A value is no name.
  [['Host', 'host', 'X-Name', 'host'], undefined],
])('of the headers %j, %s must not be there twice', (headers, repeated) => {
  expect(repeatedHeader(headers)).toBe(repeated);
});
