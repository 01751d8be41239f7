import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heardBy, silentAt, silentBefore, type Span } from './hearing.ts';

const graceUs = 30;

describe('the time in which the platform can hear', () => {
  it.each([
    ['no edge is there', [], { fromUs: 0, toUs: 100 }, { kind: 'same' }],
    [
      'an edge goes on',
      [{ fromUs: 0, toUs: 120 }],
      { fromUs: 0, toUs: 100 },
      { kind: 'longer', toUs: 120 },
    ],
    [
      'one of two edges begins anew',
      [
        { fromUs: 0, toUs: 120 },
        { fromUs: 110, toUs: 130 },
      ],
      { fromUs: 0, toUs: 100 },
      { kind: 'longer', toUs: 120 },
    ],
    [
      'another edge lags',
      [
        { fromUs: 0, toUs: 120 },
        { fromUs: 0, toUs: 90 },
      ],
      { fromUs: 0, toUs: 100 },
      { kind: 'same' },
    ],
    [
      'the only edge has just begun',
      [{ fromUs: 105, toUs: 120 }],
      { fromUs: 0, toUs: 100 },
      { kind: 'same' },
    ],
    [
      'the only edge began a while ago',
      [{ fromUs: 105, toUs: 140 }],
      { fromUs: 0, toUs: 100 },
      { kind: 'begins', span: { fromUs: 135, toUs: 140 } },
    ],
    [
      'nothing was known before',
      [{ fromUs: 0, toUs: 140 }],
      undefined,
      { kind: 'begins', span: { fromUs: 30, toUs: 140 } },
    ],
  ])('%s', (_, edges, last, expected) => {
    expect(heardBy(edges, last, graceUs)).toEqual(expected);
  });
});

/** Spans with holes between them. */
const spans = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 20 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((lengths) => {
    const all: Span[] = [];
    let atUs = 0;
    for (const [hole, length] of lengths) {
      all.push({ fromUs: atUs + hole, toUs: atUs + hole + length });
      atUs += hole + length;
    }
    return all;
  });

const isHeard = (of: readonly Span[], atUs: number) =>
  of.some(({ fromUs, toUs }) => atUs >= fromUs && atUs < toUs);

/** Counted one by one. */
function silentFor(of: readonly Span[], heardUs: number, untilUs: number): number {
  let us = 0;
  for (let at = heardUs; at < untilUs; at++) if (isHeard(of, at)) us += 1;
  return us;
}

describe('the silence of a thing', () => {
  it('is that of the time in which it could be heard', () => {
    fc.assert(
      fc.property(
        spans,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 240 }),
        (all, forUs, heardUs) => {
          const endUs = all.at(-1)?.toUs ?? 0;
          const isSilent = silentFor(all, heardUs, endUs) >= forUs;
          const limitUs = silentBefore(all, forUs);
          expect(limitUs !== undefined && heardUs <= limitUs).toBe(isSilent);
          const atUs = silentAt(all, heardUs, forUs);
          expect(atUs <= endUs).toBe(isSilent);
          if (isSilent) expect(silentFor(all, heardUs, atUs)).toBe(forUs);
        },
      ),
    );
  });
});
