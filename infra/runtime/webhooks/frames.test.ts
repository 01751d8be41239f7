import { describe, expect, it } from 'vitest';
import {
  type BundledMessage,
  compressFrames,
  decompressFrames,
  frameLayout,
  frameOf,
  hasSubtopic,
  noThing,
  readFrames,
} from './frames.ts';

const message: Omit<BundledMessage, 'subtopic'> = {
  contentType: 'application/senml+json',
  protocol: 'http',
  receivedMs: 1_700_000_000_123,
  requestId: '',
  thingId: '01933b2e-7c1c-7e07-9a3f-5b8f6f0f6c11',
  payload: Buffer.from('[{"n":"a","v":1}]'),
};

/** The same frame with a subtopic, as an edge writes it. */
function withSubtopic(frame: Buffer, subtopic: string): Buffer {
  const text = Buffer.from(subtopic);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(text.length);
  const head = Buffer.from(frame.subarray(0, frameLayout.end));
  head[frameLayout.type] = (head[frameLayout.type] ?? 0) + hasSubtopic;
  return Buffer.concat([head, length, text, frame.subarray(frameLayout.end)]);
}

describe('frames', () => {
  it('are read as they were written, side by side', () => {
    const frames = [
      frameOf(message),
      frameOf({ ...message, requestId: 'request-1', contentType: 'application/json' }),
      withSubtopic(frameOf({ ...message, protocol: 'ws', requestId: 'request-2' }), 'größe'),
    ];
    const source = Buffer.concat(frames);
    const read = readFrames(source);
    expect(read.map(({ start, bytes }) => source.toString('utf8', start, start + bytes))).toEqual(
      Array.from({ length: 3 }, () => message.payload.toString()),
    );
    const { receivedMs } = message;
    expect(read).toMatchObject([
      { at: 0, contentType: 'application/senml+json', receivedMs, subtopic: '', requestId: '' },
      {
        contentType: 'application/json',
        protocol: 'http',
        receivedMs,
        subtopic: '',
        requestId: 'request-1',
      },
      { protocol: 'ws', subtopic: 'größe', requestId: 'request-2' },
    ]);
    expect(read[1]?.at).toBe(frames[0]?.length);
  });

  it('hold the thing as RowBinary does, and zeros for none', () => {
    const thingOf = (thingId: string) =>
      frameOf({ ...message, thingId }).toString('hex', frameLayout.thing, frameLayout.end);
    expect(thingOf(message.thingId)).toBe('077e1c7c2e3b9301116c0f6f8f5b3f9a');
    expect(thingOf(noThing)).toBe('0'.repeat(32));
  });

  it('come out of compression as they were', () => {
    const frames = frameOf(message);
    expect(decompressFrames(compressFrames(frames))).toEqual(frames);
  });
});
