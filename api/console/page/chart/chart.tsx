import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../theme.ts';
import { shortNumberWriter } from '../ui/number.ts';
import { colour, colourNumber, lineColour } from './colours.ts';
import { type Episode, shadeEpisodes, tellEpisodes } from './episodes.ts';
import { type Hole, holesAtNulls, lonePoints } from './holes.ts';
import { type Band, drawLanes, type Lane, lanePixels } from './lanes.ts';
import { drawThresholds, Handles, type Threshold } from './thresholds.ts';

/** A line: its values stand under the times of the chart. */
export type Line = {
  label: string;
  unit: string;
  values: readonly (number | string | boolean | null | undefined)[];
  /** Spans in which the line is broken and the chart shaded. Without them the line is broken at nulls. */
  holes?: readonly Hole[];
  /** Spans of texts and booleans, which are drawn as a lane of bands. */
  bands?: readonly Band[];
};

/** A value that a line is compared with; who may move it gets told where to. */
export type Limit = {
  line: number;
  value: number;
  /** Where something is over, beside where it begins. */
  isEnd?: boolean;
  label: string;
  onMove?: (value: number) => void;
};

/** The place under the pointer: its time, in seconds, and the nearest place in `times`. */
export type Pointed = { time: number; at: number };

type ChartProps = {
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
  /** Spans that are shaded, and told under the pointer. */
  episodes?: readonly Episode[];
  /** Values that lines are compared with. */
  limits?: readonly Limit[];
  /** The height of the lines, in pixels. Lanes come below them. */
  height: number;
  /** A range was dragged over. */
  onRange?: (from: number, to: number) => void;
  onPoint?: (pointed: Pointed | undefined) => void;
  onWidth?: (pixels: number) => void;
};

/** The mark of a line in a legend, in the colour that the chart gives it. */
export function LineMark({ line }: { line: number }) {
  return (
    <svg class="mark" viewBox="0 0 12 12" aria-hidden="true" data-line={colourNumber(line)}>
      <rect width="12" height="12" rx="3" />
    </svg>
  );
}
const font = '12px system-ui, sans-serif';
/** From so many on, a line alone is plainer. */
const pointsShownMax = 40;
const pointPixels = 5;
const axisPixels = 56;
const topPixels = 12;
const timeAxisPixels = 50;
/** Between two times of the axis: a day with its year has room. */
const timePixels = 84;
const dragPixelsMin = 8;
/** Narrower holes are not shaded: their lines are broken in any case. */
const shadedPixelsMin = 3;
const shade = 0.1;

/** The lines that have numbers, each with its place in the legend, which gives it its colour. */
const drawnLines = (lines: readonly Line[]) =>
  lines.flatMap((line, at) => (line.bands === undefined ? [{ ...line, at }] : []));

const lanesOf = (lines: readonly Line[]): Lane[] =>
  lines.flatMap(({ label, bands }, line) => (bands === undefined ? [] : [{ label, line, bands }]));

/** Without a line only the lanes and the time need room. */
function heightOf({ lines, height }: ChartProps): number {
  const lanes = lanesOf(lines).length * lanePixels;
  const isBare = lanes > 0 && drawnLines(lines).length === 0;
  return lanes + (isBare ? topPixels + timeAxisPixels : height);
}

/** Lines over time, each unit with an axis of its own, and lanes of states below them. */
export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const over = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { label, lines, timeZone, times, range, episodes, limits } = props;
  const height = heightOf(props);
  // A change that uPlot can't make in place needs a new chart; new data and a new range do not.
  const kinds = lines.map(({ unit, bands }) => [unit, bands !== undefined]);
  const shape = JSON.stringify([kinds, timeZone, theme.value]);
  // Before the page is painted: a new chart that came after it would end a drag that began meanwhile.
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null || over.current === null || tip.current === null) return undefined;
    const handles = new Handles(over.current, () => ({
      chart: chart.current,
      thresholds: thresholdsOf(latest.current),
    }));
    const beside = { handles, tip: tip.current };
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(
        optionsOf(latest, element.clientWidth, beside),
        dataOf(latest.current),
        element,
      );
      handles.place();
    };
    draw();
    const watcher = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width === 0 || width === chart.current?.width) return;
      chart.current?.setSize({ width, height: heightOf(latest.current) });
      latest.current.onWidth?.(width);
    });
    watcher.observe(element);
    latest.current.onWidth?.(element.clientWidth);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      dark.removeEventListener('change', draw);
      watcher.disconnect();
      handles.destroy();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [shape, height]);
  useLayoutEffect(() => {
    chart.current?.setData(dataOf(latest.current));
  }, [times, lines, range.from, range.to, episodes, limits]);
  return (
    <div class="charted">
      <div ref={host} class="chart" role="img" aria-label={label} />
      <div ref={over} class="handles" />
      <div ref={tip} class="episode-tip" hidden />
    </div>
  );
}

function thresholdsOf({ lines, limits = [] }: ChartProps): Threshold[] {
  return limits.map(({ line, value, isEnd = false, label, onMove }) => ({
    key: label,
    scale: scaleOf(lines[line]?.unit ?? ''),
    value,
    isEnd,
    label,
    ...(onMove === undefined ? {} : { onMove }),
  }));
}

/** The parts of a chart that are no canvas. */
type Beside = { handles: Handles; tip: HTMLElement };

function dataOf({ times, lines }: ChartProps): uPlot.AlignedData {
  const numbers = drawnLines(lines).map(({ values }) =>
    values.map((value) => (typeof value === 'number' ? value : null)),
  );
  return [[...times], ...numbers];
}

type Latest = { readonly current: ChartProps };

function optionsOf(latest: Latest, width: number, { handles, tip }: Beside): uPlot.Options {
  const { lines, isSmall = false, timeZone } = latest.current;
  const drawn = drawnLines(lines);
  const units = [...new Set(drawn.map(({ unit }) => unit))];
  const height = heightOf(latest.current);
  return {
    width,
    height,
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
    padding: [topPixels, units.length > 1 ? 0 : 16, 0, 0],
    cursor: {
      drag: { x: latest.current.onRange !== undefined, y: false, setScale: false },
      points: { size: 7 },
    },
    scales: {
      x: { range: () => [latest.current.range.from, latest.current.range.to] },
      ...Object.fromEntries(
        units.map((unit) => [scaleOf(unit), { range: rangeOf(latest, unit, handles) }]),
      ),
    },
    axes: [
      axis({
        scale: 'x',
        ...(isSmall ? smallTimes : { values: timeTexts, space: timePixels, size: timeAxisPixels }),
      }),
      ...units.map((unit, i) => axisOf(unit, i, latest)),
    ],
    series: [{}, ...drawn.map((line) => seriesOf(line, latest))],
    hooks: {
      drawClear: [
        (chart) => shadeEpisodes(chart, latest.current.episodes ?? [], devicePixelRatio),
        (chart) => shadeHoles(chart, latest.current),
      ],
      draw: [
        (chart) => drawLanes(chart, lanesOf(latest.current.lines), devicePixelRatio),
        (chart) => drawThresholds(chart, thresholdsOf(latest.current), devicePixelRatio),
        () => handles.place(),
        (chart) => tellEpisodes(chart, tip, latest.current.episodes ?? []),
      ],
      setSelect: [(chart) => tellRange(chart, latest.current)],
      setCursor: [
        (chart) => {
          tellEpisodes(chart, tip, latest.current.episodes ?? []);
          const { idx, left = -1 } = chart.cursor;
          const isOver = left >= 0 && typeof idx === 'number';
          latest.current.onPoint?.(
            isOver ? { time: chart.posToVal(left, 'x'), at: idx } : undefined,
          );
        },
      ],
    },
  };
}

function seriesOf({ unit, at }: Line & { at: number }, latest: Latest): uPlot.Series {
  const stroke = lineColour(at);
  const holes = () => holesOf(latest.current, at);
  return {
    scale: scaleOf(unit),
    stroke,
    width: 1.5,
    gaps: (chart) =>
      holes().map(([from, to]): [number, number] => [
        Math.round(chart.valToPos(from, 'x', true)),
        Math.round(chart.valToPos(to, 'x', true)),
      ]),
    points: {
      show: () => latest.current.times.length < pointsShownMax,
      // A line does not reach them: without a mark nobody would see that they are there.
      filter: (_chart, _series, isShown) => {
        if (isShown) return null;
        const { times, lines } = latest.current;
        return lonePoints(times, lines[at]?.values ?? [], holes());
      },
      size: pointPixels,
      fill: stroke,
    },
  };
}

function holesOf({ lines, times }: ChartProps, at: number): readonly Hole[] {
  const line = lines[at];
  return line === undefined ? [] : (line.holes ?? holesAtNulls(times, line.values));
}

/** Shades what is known to be a hole: a line that ends and begins again may have left the chart. */
function shadeHoles(chart: uPlot, { lines }: ChartProps): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.globalAlpha = shade;
  for (const { holes = [], at } of drawnLines(lines)) {
    ctx.fillStyle = lineColour(at);
    for (const [from, to] of holes) {
      const left = Math.max(chart.valToPos(from, 'x', true), bbox.left);
      const right = Math.min(chart.valToPos(to, 'x', true), bbox.left + bbox.width);
      const height = bbox.height - lanesOf(lines).length * lanePixels * devicePixelRatio;
      if (right - left >= shadedPixelsMin * devicePixelRatio) {
        ctx.fillRect(left, bbox.top, right - left, height);
      }
    }
  }
  ctx.restore();
}

function tellRange(chart: uPlot, { onRange }: ChartProps): void {
  const { left, width } = chart.select;
  if (width < dragPixelsMin || onRange === undefined) return;
  const [from, to] = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onRange(from, to);
}

/** Room for the largest value and, where all are 0, for an axis; below the values that of the lanes. */
function rangeOf(latest: Latest, unit: string, handles: Handles): uPlot.Range.Function {
  const { fromZero = false, lines, height } = latest.current;
  const lanes = lanesOf(lines).length * lanePixels;
  const plot = height - topPixels - timeAxisPixels;
  return (chart, measuredLeast, measuredMost, scale) => {
    const held = chart.scales[scale];
    if (handles.isHeld && held?.min !== undefined && held.max !== undefined) {
      return [held.min, held.max];
    }
    const [least, most] = withLimits(latest.current, unit, measuredLeast, measuredMost);
    // uPlot tells null where there is no value.
    if (typeof least !== 'number' || typeof most !== 'number') return [least, most];
    if (fromZero) return [0, (most || 1) * 1.1];
    const [low, high] = uPlot.rangeNum(least, most, 0.1, true);
    return [(low ?? least) - ((high ?? most) - (low ?? least)) * (lanes / plot), high];
  };
}

/** The ends of the values together with what they are compared with. */
function withLimits(
  { lines, limits = [] }: ChartProps,
  unit: string,
  least: number | null,
  most: number | null,
): [number | null, number | null] {
  const values = limits.flatMap(({ line, value }) => (lines[line]?.unit === unit ? [value] : []));
  if (values.length === 0) return [least, most];
  return [
    Math.min(...values, least ?? values[0] ?? 0),
    Math.max(...values, most ?? values[0] ?? 0),
  ];
}

/** Leaves out what of an axis would stand beside the lanes. */
const aboveLanes =
  (scale: string, { current: { lines, height } }: Latest) =>
  (chart: uPlot, splits: number[]): (number | null)[] => {
    const lanes = lanesOf(lines).length * lanePixels;
    const { min = 0, max = 0 } = chart.scales[scale] ?? {};
    const share = lanes / (lanes + height - topPixels - timeAxisPixels);
    const low = (min ?? 0) + ((max ?? 0) - (min ?? 0)) * share;
    return lanes === 0 ? splits : splits.map((value) => (value < low ? null : value));
  };

const scaleOf = (unit: string) => `y ${unit}`;

/** The first unit has its axis at the start, the others at the end. */
function axisOf(unit: string, i: number, latest: Latest): uPlot.Axis {
  const scale = scaleOf(unit);
  const filter = aboveLanes(scale, latest);
  return axis({
    scale,
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its names are gone at run time
    side: i === 0 ? 3 : 1,
    size: axisPixels,
    filter,
    ticks: { filter },
    grid: { show: i === 0, filter },
    ...(latest.current.isSmall === true
      ? { values: (_chart, splits) => splits.map((value) => shortNumber(value, unit)) }
      : {
          values: (_chart, splits) => splits.map((value) => shortNumber(value)),
          ...(unit === '' ? {} : { label: unit, labelSize: 16, labelFont: font }),
        }),
  });
}

function axis(of: uPlot.Axis): uPlot.Axis {
  const rule = { stroke: colour('--rule'), width: 1 };
  return {
    stroke: colour('--muted'),
    font,
    ...of,
    ticks: { ...rule, size: 4, ...of.ticks },
    grid: { ...rule, ...of.grid },
  };
}

/** From which distance of ticks on they are written how; where the day or the year changes, that too. */
const timeTexts: uPlot.Axis.Values = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [
    0.001,
    ':{ss}.{fff}',
    '\n{D} {MMM} {YYYY} {HH}:{mm}',
    null,
    '\n{D} {MMM} {HH}:{mm}',
    null,
    '\n{HH}:{mm}',
    null,
    1,
  ],
];

const smallTimes: Pick<uPlot.Axis, 'values' | 'size' | 'space'> = {
  values: [
    [86_400, '{D} {MMM}', null, null, null, null, null, null, 1],
    [60, '{HH}:{mm}', null, null, null, null, null, null, 1],
  ],
  size: 28,
  space: 64,
};

const writeShort = shortNumberWriter(5);

const shortNumber = (value: number | null, unit = '') =>
  value === null ? '' : writeShort(value) + unit;
