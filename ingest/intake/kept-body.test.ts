import { describe, expect, it } from 'vitest';
import { holdsLastChunk, KeptBody } from './kept-body.ts';

const limits = { bodyBytesMax: 64, bufferedBytesMax: 96 };

describe('a body that is kept', () => {
  it('is its pieces one after the other', () => {
    const body = new KeptBody(limits);
    for (const piece of ['', 'ab', 'c', 'd'.repeat(40)]) {
      expect(body.add(Buffer.from(piece))).toBe(true);
    }
    expect(body.bytes.toString()).toBe(`abc${'d'.repeat(40)}`);
    body.drop();
    expect(body.length).toBe(0);
  });

  it('takes no more room together with others than all may, and gives it back', () => {
    const bodies = [new KeptBody(limits), new KeptBody(limits)];
    const piece = Buffer.alloc(64);
    expect(bodies.map((body) => body.add(piece))).toEqual([true, false]);
    bodies[0]?.drop();
    expect(bodies[1]?.add(piece)).toBe(true);
    bodies[1]?.drop();
  });
});

it.each([
  ['{"a":1}', false],
  ['[1]\n', false],
  ['x\r\n0\r\n\r\n', true],
  ['x\r\n000;extension=1\r\nTrailer: 1\r\n\r\n', true],
  ['x\r\n10\r\n\r\n', false],
])('content %j ends like a body in chunks: %s', (content, expected) => {
  expect(holdsLastChunk(Buffer.from(content))).toBe(expected);
});
