import { expect, it } from 'vitest';
import { packetBytesUnlimited } from './packets.ts';

it('a packet has a byte of type, four bytes of length, and as much as these can tell', () => {
  expect(packetBytesUnlimited).toBe(1 + 4 + (128 ** 4 - 1));
});
