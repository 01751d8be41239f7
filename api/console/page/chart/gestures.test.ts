import { describe, expect, it } from 'vitest';
import { moved, zoomed } from './gestures.ts';

describe('a range that is zoomed or moved', () => {
  it('keeps the time under the pointer where it is', () => {
    expect(zoomed({ from: 0, to: 100 }, 0.5, 0.25)).toEqual({ from: 12.5, to: 62.5 });
    expect(zoomed({ from: 12.5, to: 62.5 }, 2, 0.25)).toEqual({ from: 0, to: 100 });
    expect(moved({ from: 0, to: 100 }, -0.25)).toEqual({ from: -25, to: 75 });
  });

  it('does not shrink to nothing', () => {
    const { from, to } = zoomed({ from: 10, to: 10.001 }, 1e-9, 0.5);
    expect(to - from).toBeCloseTo(0.01);
  });
});
