import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonStreamReader } from './json-stream.ts';

/** A text in chunks that end at these places. */
async function* chunksOf(text: string, ends: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  const sorted = [...new Set(ends)].filter((end) => end < bytes.length).toSorted((a, b) => a - b);
  for (const [at, end] of [...sorted, bytes.length].entries()) {
    yield bytes.subarray(sorted[at - 1] ?? 0, end);
  }
}

describe('an object', () => {
  it('ends at its own brace, wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(fc.nat(200)),
        async (value, ends) => {
          const text = JSON.stringify(value);
          const reader = new JsonStreamReader(chunksOf(` ${text} ,`, ends));
          expect((await reader.object())?.toString()).toBe(text);
          expect(await reader.skip(',')).toBe(true);
          expect(await reader.next()).toBeUndefined();
        },
      ),
    );
  });

  it('is read at once where all of it is here', async () => {
    const reader = new JsonStreamReader(chunksOf('{"a":"}"}{"b":', [9]));
    expect(reader.wholeObject()).toBeUndefined();
    await reader.next();
    expect(reader.wholeObject()?.toString()).toBe('{"a":"}"}');
    await reader.next();
    expect(reader.wholeObject()).toBeUndefined();
    await expect(reader.object()).rejects.toThrow('cut off');
  });
});

describe('a token', () => {
  it('is taken only if it is the one expected', async () => {
    const reader = new JsonStreamReader(chunksOf('\n [1', []));
    expect(await reader.skip('{')).toBe(false);
    await reader.expect('[');
    await expect(reader.expect(']')).rejects.toThrow('where a ] is due there is none');
  });

  it('that is a name has at most 64 bytes', async () => {
    const names = new JsonStreamReader(chunksOf('"json_messages"', [4]));
    expect(await names.name()).toBe('json_messages');
    const long = new JsonStreamReader(chunksOf(`"${'x'.repeat(65)}"`, []));
    await expect(long.name()).rejects.toThrow('no list of messages');
  });
});
