import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../../theme.ts';
import { shortNumberWriter } from '../number.ts';

/** A line: its values stand under the times of the chart. */
export type Line = { label: string; unit: string; values: readonly (number | null | undefined)[] };

export type ChartProps = {
  /** What the chart shows, in words. */
  label: string;
  /** Seconds, ascending. */
  times: readonly number[];
  lines: readonly Line[];
  /** The ends of the time axis, in seconds. */
  range: { from: number; to: number };
  timeZone: string;
  /** Whether a line goes on over times without a value. */
  connect: boolean;
  /** In a tile: values with their unit, and times without their day. */
  isSmall?: boolean;
  /** Values from 0 on. */
  fromZero?: boolean;
  height: number;
  /** A range was dragged over. */
  onRange?: (from: number, to: number) => void;
  /** The place in `times` under the pointer. */
  onPoint?: (at: number | undefined) => void;
  onWidth?: (pixels: number) => void;
};

const lineColours = 8;

/** The mark of a line in a legend, in the colour that the chart gives it. */
export function LineMark({ line }: { line: number }) {
  return (
    <svg class="mark" viewBox="0 0 12 12" aria-hidden="true" data-line={(line % lineColours) + 1}>
      <rect width="12" height="12" rx="3" />
    </svg>
  );
}
const font = '12px system-ui, sans-serif';
/** From so many on, a line alone is plainer. */
const pointsShownMax = 40;
const axisPixels = 56;
/** Between two times of the axis: a day with its year has room. */
const timePixels = 84;
const dragPixelsMin = 8;

/** Lines over time. Each unit has an axis of its own. */
export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { label, lines, timeZone, connect, height, times, range } = props;
  // What uPlot can't change in place makes a new chart; data and range do not.
  const shape = JSON.stringify([lines.map(({ unit }) => unit), timeZone, connect, theme.value]);
  // Before the page is painted: a new chart that came after it would end a drag that began meanwhile.
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(
        optionsOf(latest, element.clientWidth),
        dataOf(latest.current),
        element,
      );
    };
    draw();
    const watcher = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width === 0 || width === chart.current?.width) return;
      chart.current?.setSize({ width, height: latest.current.height });
      latest.current.onWidth?.(width);
    });
    watcher.observe(element);
    latest.current.onWidth?.(element.clientWidth);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      dark.removeEventListener('change', draw);
      watcher.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [shape, height]);
  useLayoutEffect(() => {
    chart.current?.setData(dataOf(latest.current));
  }, [times, lines, range.from, range.to]);
  return <div ref={host} class="chart" role="img" aria-label={label} />;
}

function dataOf({ times, lines }: ChartProps): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}

type Latest = { readonly current: ChartProps };

function optionsOf(latest: Latest, width: number): uPlot.Options {
  const { lines, connect, isSmall = false, timeZone, height, times } = latest.current;
  const { fromZero = false } = latest.current;
  const units = [...new Set(lines.map(({ unit }) => unit))];
  return {
    width,
    height,
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
    padding: [12, units.length > 1 ? 0 : 16, 0, 0],
    cursor: {
      drag: { x: latest.current.onRange !== undefined, y: false, setScale: false },
      points: { size: 7 },
    },
    scales: {
      x: { range: () => [latest.current.range.from, latest.current.range.to] },
      ...Object.fromEntries(
        units.map((unit) => [scaleOf(unit), fromZero ? { range: rangeFromZero } : {}]),
      ),
    },
    axes: [
      axis({ scale: 'x', ...(isSmall ? smallTimes : { values: timeTexts, space: timePixels }) }),
      ...units.map((unit, i) => axisOf(unit, i, isSmall)),
    ],
    series: [
      {},
      ...lines.map(({ unit }, i) => ({
        scale: scaleOf(unit),
        stroke: colour(`--line-${(i % lineColours) + 1}`),
        width: 1.5,
        spanGaps: connect,
        points: { show: times.length < pointsShownMax, size: 5 },
      })),
    ],
    hooks: {
      setSelect: [(chart) => tellRange(chart, latest.current)],
      setCursor: [
        ({ cursor: { idx, left = -1 } }) =>
          latest.current.onPoint?.(left < 0 ? undefined : (idx ?? undefined)),
      ],
    },
  };
}

function tellRange(chart: uPlot, { onRange }: ChartProps): void {
  const { left, width } = chart.select;
  if (width < dragPixelsMin || onRange === undefined) return;
  const [from, to] = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onRange(from, to);
}

/** Room for the largest value, and for an axis where all are 0. */
const rangeFromZero: uPlot.Range.Function = (_chart, _least, most) => [0, (most || 1) * 1.1];

const scaleOf = (unit: string) => `y ${unit}`;

/** The first unit has its axis at the start, the others at the end. */
function axisOf(unit: string, i: number, isSmall: boolean): uPlot.Axis {
  return axis({
    scale: scaleOf(unit),
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its names are gone at run time
    side: i === 0 ? 3 : 1,
    size: axisPixels,
    grid: { show: i === 0 },
    ...(isSmall
      ? { values: (_chart, splits) => splits.map((value) => shortNumber(value) + unit) }
      : {
          values: (_chart, splits) => splits.map(shortNumber),
          ...(unit === '' ? {} : { label: unit, labelSize: 16, labelFont: font }),
        }),
  });
}

function axis(of: uPlot.Axis): uPlot.Axis {
  const rule = { stroke: colour('--rule'), width: 1 };
  return {
    stroke: colour('--muted'),
    font,
    ticks: { ...rule, size: 4 },
    ...of,
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

const shortNumber = (value: number | null) => (value === null ? '' : writeShort(value));

/** A colour of the style sheet as it is now. Canvases don't know `light-dark()`. */
function colour(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
