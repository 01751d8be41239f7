import fc from 'fast-check';
import { expect, it } from 'vitest';
import { heardBytes, idBytes } from '../auth/known/heard-things.ts';
import { LatestTimes } from './latest-times.ts';

/** Few ids, so that some come again; they differ in one byte. */
const entry = fc.record({
  id: fc
    .tuple(fc.integer({ min: 0, max: idBytes - 1 }), fc.constantFrom(1, 128, 255))
    .map(([at, byte]) => Buffer.alloc(idBytes).fill(byte, at, at + 1)),
  atMs: fc.integer({ min: 1, max: 2 ** 45 }),
});
const report = fc.array(entry, { maxLength: 20 });

function bytesOf(entries: readonly { id: Buffer; atMs: number }[]): Buffer {
  const bytes = Buffer.alloc(entries.length * heardBytes);
  for (const [place, { id, atMs }] of entries.entries()) {
    id.copy(bytes, place * heardBytes);
    bytes.writeDoubleLE(atMs, place * heardBytes + idBytes);
  }
  return bytes;
}

it('has each thing of all reports once, with its latest time', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 5 }), (reports) => {
      const latest = new LatestTimes();
      for (const entries of reports) latest.noteAll(bytesOf(entries));
      const expected = new Map<string, number>();
      for (const { id, atMs } of reports.flat()) {
        const hex = id.toString('hex');
        expected.set(hex, Math.max(atMs, expected.get(hex) ?? 0));
      }
      const all = Buffer.from(latest.all());
      expect(latest.isEmpty).toBe(expected.size === 0);
      expect(all).toHaveLength(expected.size * heardBytes);
      const found = new Map(
        Array.from({ length: expected.size }, (_, place) => {
          const at = place * heardBytes;
          return [all.toString('hex', at, at + idBytes), all.readDoubleLE(at + idBytes)];
        }),
      );
      expect(found).toEqual(expected);
    }),
  );
});
