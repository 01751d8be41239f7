import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents } from './server-sent-events.ts';

/** The events of a stream that arrives in pieces of this many bytes. */
async function eventsOf(text: string, size: number) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return all(readEvents(chunks()));
}

/** All that comes of it. */
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('server-sent events', () => {
  it('are parsed from any chunks, with any line endings', async () => {
    const lines = [
      ': sign of life',
      'retry: 250',
      'id: 1',
      'data: {"ü":',
      'data:1}',
      '',
      'data',
      '',
      'id: 2',
      'data: x',
      '',
      ': still here',
      'id: 3',
      '',
      'data: cut',
    ];
    const property = fc.asyncProperty(
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.integer({ min: 1, max: 64 }),
      async (end, size) => {
        expect(await eventsOf(lines.map((line) => line + end).join(''), size)).toEqual([
          { kind: 'retry', waitMs: 250 },
          { kind: 'event', id: '1', data: '{"ü":\n1}' },
          { kind: 'event', id: '1', data: '' },
          { kind: 'event', id: '2', data: 'x' },
          { kind: 'position', id: '3' },
        ]);
      },
    );
    await fc.assert(property);
  });
});
