import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameMessages, lengthBytes, messageCost } from './frames.ts';

/** All messages of a frame, and whether it was cut off. */
function read(frame: Uint8Array, isBinary: boolean) {
  const messages = new FrameMessages();
  messages.begin(frame, isBinary);
  const found: string[] = [];
  let cost = 0;
  while (messages.next()) {
    found.push(Buffer.from(frame.subarray(messages.start, messages.end)).toString());
    cost += messages.cost - messageCost + lengthBytes;
  }
  return { found, cost, isCut: messages.isCut };
}

const text = (frame: string) => read(Buffer.from(frame), false).found;

describe('the messages of a frame', () => {
  it.each([
    ['', []],
    ['\n\r\n\n', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\r\nb\n\n c \n', ['a', 'b', ' c ']],
    ['\na\rb', ['a\rb']],
  ])('of text %j are its lines', (frame, lines) => {
    expect(text(frame)).toEqual(lines);
  });

  it('of a binary frame come after their lengths', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.nat(), (bodies, cut) => {
        const frame = Buffer.concat(
          bodies.flatMap((body) => {
            const length = Buffer.alloc(4);
            length.writeUInt32BE(Buffer.byteLength(body));
            return [length, Buffer.from(body)];
          }),
        );
        expect(read(frame, true)).toEqual({ found: bodies, cost: frame.length, isCut: false });
        const part = frame.subarray(0, cut % (frame.length + 1));
        const { found, cost, isCut } = read(part, true);
        expect(found).toEqual(bodies.slice(0, found.length));
        expect(isCut).toBe(cost < part.length);
      }),
    );
  });

  it('of which one is said to be longer than any frame are cut off', () => {
    expect(read(Buffer.of(255, 255, 255, 255, 1), true)).toMatchObject({ found: [], isCut: true });
    expect(read(Buffer.of(0, 0), true)).toMatchObject({ found: [], isCut: true });
  });
});
