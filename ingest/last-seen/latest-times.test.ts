import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gatewayAt, heardBytes, idBytes } from '../auth/known/heard-things.ts';
import { LatestTimes } from './latest-times.ts';

/** Few ids, so that some come again; they differ in one byte. */
const anyId = fc
  .tuple(fc.integer({ min: 0, max: idBytes - 1 }), fc.constantFrom(1, 128, 255))
  .map(([at, byte]) => Buffer.alloc(idBytes).fill(byte, at, at + 1));
const entry = fc.record({
  id: anyId,
  atMs: fc.integer({ min: 1, max: 2 ** 45 }),
  gateway: fc.oneof(fc.constant(Buffer.alloc(idBytes)), anyId),
});
type Entry = { id: Buffer; atMs: number; gateway: Buffer };
const report = fc.array(entry, { maxLength: 20 });

function bytesOf(entries: readonly Entry[]): Buffer {
  const bytes = Buffer.alloc(entries.length * heardBytes);
  for (const [place, { id, atMs, gateway }] of entries.entries()) {
    id.copy(bytes, place * heardBytes);
    bytes.writeDoubleLE(atMs, place * heardBytes + idBytes);
    gateway.copy(bytes, place * heardBytes + gatewayAt);
  }
  return bytes;
}

it('has each thing of all reports once, with its latest time and its gateway then', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 5 }), (reports) => {
      const latest = new LatestTimes();
      for (const entries of reports) latest.noteAll(bytesOf(entries));
      const expected = new Map<string, { atMs: number; gateway: string }>();
      for (const { id, atMs, gateway } of reports.flat()) {
        const hex = id.toString('hex');
        if (atMs <= (expected.get(hex)?.atMs ?? 0)) continue;
        expected.set(hex, { atMs, gateway: gateway.toString('hex') });
      }
      const all = Buffer.from(latest.all());
      expect(latest.isEmpty).toBe(expected.size === 0);
      expect(all).toHaveLength(expected.size * heardBytes);
      const found = new Map(
        Array.from({ length: expected.size }, (_, place) => {
          const at = place * heardBytes;
          const atMs = all.readDoubleLE(at + idBytes);
          const gateway = all.toString('hex', at + gatewayAt, at + heardBytes);
          return [all.toString('hex', at, at + idBytes), { atMs, gateway }];
        }),
      );
      expect(found).toEqual(expected);
    }),
  );
});
