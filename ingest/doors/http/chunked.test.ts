import { expect, it } from 'vitest';
import { holdsLastChunk } from './chunked.ts';

it.each([
  ['{"a":1}', false],
  ['[1]\n', false],
  ['x\r\n0\r\n\r\n', true],
  ['x\r\n000;extension=1\r\nTrailer: 1\r\n\r\n', true],
  ['x\r\n10\r\n\r\n', false],
])('content %j ends like a body in chunks: %s', (content, expected) => {
  expect(holdsLastChunk(Buffer.from(content))).toBe(expected);
});
