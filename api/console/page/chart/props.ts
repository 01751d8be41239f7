import type { Band } from './lanes.ts';
import type { Episode } from './episodes.ts';
import type { Hole } from './holes.ts';

/** A line: its values stand under the times of the chart. */
export type Line = {
  label: string;
  unit: string;
  values: readonly (number | string | boolean | null | undefined)[];
  /** Spans in which the line is broken and the chart shaded. Without them the line is broken at nulls. */
  holes?: readonly Hole[];
  /** Spans of texts and booleans, which are drawn as a lane of bands. */
  bands?: readonly Band[];
  /** It keeps its place and its colour, and is not drawn. */
  isHidden?: boolean;
  /** It is drawn pale, in the colour of the line at this place: the same at another time. */
  paleOf?: number;
};

/** How numbers are drawn. */
export const styles = ['line', 'steps', 'bars', 'points'] as const;
export type Style = (typeof styles)[number];

/** The ends of an axis that were chosen by hand; the chart finds those that were not. */
export type AxisEnds = { from?: number; to?: number };

/** A value that a line is compared with; who may move it gets told where to. */
export type Limit = {
  line: number;
  value: number;
  /** Where something is over, beside where it begins. */
  isEnd?: boolean;
  label: string;
  /** Stands on the chart beside it. */
  text?: string;
  onMove?: (value: number) => void;
};

/** The place under the pointer: its time, in seconds, and the nearest place in `times`. */
export type Pointed = { time: number; at: number };

/** Series and options: all that a chart is given. It knows nothing of the page that it stands on. */
export type ChartProps = {
  /** Says in words what the chart shows. */
  label: string;
  /** Seconds, ascending. */
  times: readonly number[];
  lines: readonly Line[];
  /** The ends of the time axis, in seconds. */
  range: { from: number; to: number };
  timeZone: string;
  /** In a tile: values with their unit, and times without their day. */
  isSmall?: boolean;
  /** Values from 0 on. */
  fromZero?: boolean;
  /** Default `line`. */
  style?: Style;
  /** Each step up is ten times as much. What is not above 0 is left out. */
  isLog?: boolean;
  /** The ends of axes by hand, by their units. */
  axisEnds?: Readonly<Record<string, AxisEnds>>;
  /** Spans that are shaded, and told under the pointer. */
  episodes?: readonly Episode[];
  /** Values that lines are compared with. */
  limits?: readonly Limit[];
  /** The height of the lines, in pixels. Lanes come below them. */
  height: number;
  /**
   * A range was chosen in the chart. With it, dragging and the wheel zoom, and dragging with Shift moves. The chart is then
   * reached by Tab, and takes the keys + - ← → and 0; comma and full stop read values out.
   */
  onRange?: (from: number, to: number) => void;
  /** A double click, or 0: back to the range before all zooming. */
  onReset?: () => void;
  onPoint?: (pointed: Pointed | undefined) => void;
  onWidth?: (pixels: number) => void;
};
