import type uPlot from 'uplot';
import { afterEach, expect, it, vi } from 'vitest';
import { shadeEpisodes } from './episodes.ts';

vi.mock('./colours.ts', () => ({ colour: (name: string) => name }));
afterEach(() => vi.restoreAllMocks());

/** The shapes that an episode fills on a canvas, each with its colour and how opaque it is. */
function drawn(from: number, to: number | undefined) {
  const fills: unknown[] = [];
  const corners: number[][] = [];
  const ctx = {
    fillStyle: '',
    globalAlpha: 1,
    save: () => undefined,
    restore: () => undefined,
    beginPath: () => corners.splice(0),
    moveTo: (...at: number[]) => corners.push(at),
    lineTo: (...at: number[]) => corners.push(at),
    fill: () => fills.push([ctx.fillStyle, ctx.globalAlpha, 'flag', [...corners]]),
    fillRect: (...at: number[]) => fills.push([ctx.fillStyle, ctx.globalAlpha, ...at]),
  };
  const bbox = { left: 10, top: 20, width: 100, height: 50 };
  const chart: unknown = { ctx, bbox, valToPos: (time: number) => time };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of a chart that is used here
  shadeEpisodes(chart as uPlot, [{ from, to, tone: 'note', title: '' }], 1);
  return fills;
}

it('a moment is an opaque line with a flag above the plot, and a time is shaded', () => {
  expect(drawn(60, 60)).toEqual([
    ['--note', 1, 60, 13, 1.5, 57],
    [
      '--note',
      1,
      'flag',
      [
        [60, 13],
        [69, 16.5],
        [60, 20],
      ],
    ],
  ]);
  expect(drawn(60, 80)).toEqual([
    ['--note', 0.12, 60, 20, 20, 50],
    ['--note', 1, 60, 20, 20, 4],
  ]);
  expect(drawn(300, 300)).toEqual([]);
});
