import { describe, expect, it } from 'vitest';
import { BodyRoom, KeptBody } from './kept-body.ts';

const limits = { bodyBytesMax: 64, bufferedBytesMax: 96 };

describe('a body that is kept', () => {
  it('is its pieces one after the other', () => {
    const body = new KeptBody(new BodyRoom(limits));
    for (const piece of ['', 'ab', 'c', 'd'.repeat(40)]) {
      expect(body.add(Buffer.from(piece))).toBe(true);
    }
    expect(body.bytes.toString()).toBe(`abc${'d'.repeat(40)}`);
    body.drop();
    expect(body.length).toBe(0);
  });

  it('takes no more room together with others than all may, and gives it back', () => {
    const room = new BodyRoom(limits);
    const bodies = [new KeptBody(room), new KeptBody(room)];
    const piece = Buffer.alloc(64);
    expect(bodies.map((body) => body.add(piece))).toEqual([true, false]);
    bodies[0]?.drop();
    expect(bodies[1]?.add(piece)).toBe(true);
    bodies[1]?.drop();
  });
});
