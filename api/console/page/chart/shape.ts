import type { ChartProps, Line } from './props.ts';
import { type Lane, lanePixels } from './lanes.ts';

export const topPixels = 12;
export const timeAxisPixels = 50;
/** Half of the longest text of a time, which stands at an end where no axis of values is: `29 Nov 2026`, and on a small chart `29 Nov`. */
const halfTimePixels = { large: 38, small: 24 };

/** The room at the start and the end of a chart of so many units, so that the times at its ends are whole. */
export function sidePixels(units: number, isSmall: boolean): { start: number; end: number } {
  const room = halfTimePixels[isSmall ? 'small' : 'large'];
  return { start: units > 0 ? 0 : room, end: units > 1 ? 0 : room };
}

/** A line that is drawn: its place among all, and the place that gives it its colour. */
export type DrawnLine = Line & { at: number; place: number };

/** The lines that have numbers, each with its place in the legend, which gives it its colour. */
export const drawnLines = (lines: readonly Line[]): DrawnLine[] =>
  lines.flatMap((line, at) =>
    line.bands === undefined && line.isHidden !== true
      ? [{ ...line, at, place: line.paleOf ?? at }]
      : [],
  );

export const lanesOf = (lines: readonly Line[]): Lane[] =>
  lines.flatMap(({ label, bands, isHidden = false }, line) =>
    bands === undefined || isHidden ? [] : [{ label, line, bands }],
  );

/** Without a line only the lanes and the time need room. */
export function heightOf({ lines, height }: Pick<ChartProps, 'lines' | 'height'>): number {
  const lanes = lanesOf(lines).length * lanePixels;
  const isBare = lanes > 0 && drawnLines(lines).length === 0;
  return lanes + (isBare ? topPixels + timeAxisPixels : height);
}

export const scaleOf = (unit: string) => `y ${unit}`;
