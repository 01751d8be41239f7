import uPlot from 'uplot';
import { shortNumberWriter } from '../ui/number.ts';
import { colour, lineColour } from './colours.ts';
import { fontFamily } from './font.ts';
import { lanePixels } from './lanes.ts';
import type { ChartProps } from './props.ts';
import { drawnLines, lanesOf, scaleOf, timeAxisPixels, topPixels } from './shape.ts';
import type { Handles } from './thresholds.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

type Latest = { readonly current: ChartProps };

const font = `12px ${fontFamily}`;
const axisPixels = 56;
/** Between two times of the axis: a day with its year has room. */
const timePixels = 84;
/** Of a scale by powers of ten that spans more, only these are written. */
const decadesMax = 2;
/** The height of a text, with some air: nearer ones are left out. */
const textPixels = 16;

/** A value as a height: by powers of ten, or as it is. */
const heightBy = (isLog: boolean) => (isLog ? Math.log10 : (value: number) => value);
const valueBy = (isLog: boolean) => (isLog ? (height: number) => 10 ** height : heightBy(false));

/** The scale of a unit. */
export function scaleFor(unit: string, latest: Latest, handles: Handles): uPlot.Scale {
  const { isLog = false } = latest.current;
  return {
    range: rangeOf(latest, unit, handles),
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its names are gone at run time
    ...(isLog ? { distr: 3, log: 10 } : {}),
  };
}

/** Room for the largest value and, where all are 0, for an axis; below the values that of the lanes. */
function rangeOf(latest: Latest, unit: string, handles: Handles): uPlot.Range.Function {
  const { lines, height } = latest.current;
  const lanes = lanesOf(lines).length * lanePixels;
  const plot = height - topPixels - timeAxisPixels;
  return (chart, measuredLeast, measuredMost, scale) => {
    const held = chart.scales[scale];
    if (handles.isHeld && held?.min !== undefined && held.max !== undefined) {
      return [held.min, held.max];
    }
    const [least, most] = withLimits(latest.current, unit, measuredLeast, measuredMost);
    const ends = endsOf(latest.current, unit, least, most);
    // uPlot tells null where there is no value.
    if (ends === undefined) return [least, most];
    const { isLog = false, fromZero = false } = latest.current;
    if (fromZero) return ends;
    const [low, high] = [ends[0], ends[1]].map(heightBy(isLog));
    const below = ((high ?? 0) - (low ?? 0)) * (lanes / plot);
    return lanes === 0 ? ends : [valueBy(isLog)((low ?? 0) - below), ends[1]];
  };
}

/** The ends of a unit's values with some room; an end that was chosen by hand is taken as it is. */
function endsOf(
  { fromZero = false, isLog = false, axisEnds = {} }: ChartProps,
  unit: string,
  least: number | null,
  most: number | null,
): [number, number] | undefined {
  const { from, to } = axisEnds[unit] ?? {};
  const [low, high] = [least ?? from ?? to, most ?? to ?? from];
  if (typeof low !== 'number' || typeof high !== 'number') return undefined;
  if (isLog) {
    const chosen = from !== undefined && from > 0 ? from : low;
    const [down, up] = uPlot.rangeLog(Math.max(chosen, Number.MIN_VALUE), to ?? high, 10, false);
    return inOrder(from !== undefined && from > 0 ? from : (down ?? low), to ?? up ?? high, true);
  }
  if (fromZero) return [0, (high || 1) * 1.1];
  const [down, up] = uPlot.rangeNum(Math.min(low, high), Math.max(low, high), 0.1, true);
  return inOrder(from ?? down ?? low, to ?? up ?? high, false);
}

/** Of ends by hand, one may lie beyond all values. */
function inOrder(from: number, to: number, isLog: boolean): [number, number] {
  if (from < to) return [from, to];
  return isLog ? [from, from * 10] : [from, from + (Math.abs(from) || 1)];
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

/** Leaves out what of an axis would stand beside the lanes, or on one another. */
const readable =
  (scale: string, { current: { lines, height, isLog = false } }: Latest) =>
  (chart: uPlot, splits: number[]): (number | null)[] => {
    const lanes = lanesOf(lines).length * lanePixels;
    const { min, max } = chart.scales[scale] ?? {};
    const by = heightBy(isLog);
    const [low, high] = [by(min ?? 0), by(max ?? 0)];
    const first = low + (high - low) * (lanes / (lanes + height - topPixels - timeAxisPixels));
    const isPower = (value: number) => Math.abs(by(value) - Math.round(by(value))) < 1e-9;
    const isWide = isLog && high - low > decadesMax;
    const told = splits.filter(
      (value) => !(lanes > 0 && by(value) < first) && !(isWide && !isPower(value)),
    );
    const plot = lanes + height - topPixels - timeAxisPixels;
    const kept = isLog ? apart(told, (textPixels * (high - low)) / plot) : new Set(told);
    return splits.map((value) => (kept.has(value) ? value : null));
  };

/** In which order the values of a decade are chosen. */
const rounder = [1, 5, 2, 3, 7, 4, 6, 8, 9];

/** Those of a scale by powers of ten that have room, the rounder ones first: at least so far apart, in powers. */
export function apart(values: readonly number[], least: number): ReadonlySet<number> {
  const digitOf = (value: number) =>
    rounder.indexOf(Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9)));
  const kept = new Set<number>();
  for (const value of values.toSorted((a, b) => digitOf(a) - digitOf(b))) {
    const isFar = (other: number) => Math.abs(Math.log10(value / other)) >= least;
    if ([...kept].every(isFar)) kept.add(value);
  }
  return kept;
}

/** The axis of times. */
export function timeAxis({ isSmall = false }: ChartProps): uPlot.Axis {
  const times = { values: timeTexts, space: timePixels, size: timeAxisPixels };
  return axis({ scale: 'x', ...(isSmall ? smallTimes : times) });
}

/**
 * The axis of a unit, in the colour of its line if it has a single one. The first unit has its axis at the start, the
 * others at the end.
 */
export function axisOf(unit: string, i: number, latest: Latest): uPlot.Axis {
  const scale = scaleOf(unit);
  const filter = readable(scale, latest);
  const places = drawnLines(latest.current.lines).flatMap((line) =>
    line.unit === unit ? [line.place] : [],
  );
  const [place] = places;
  const isOfOne = place !== undefined && places.every((other) => other === place);
  const isSmall = latest.current.isSmall === true;
  return axis({
    scale,
    ...(isOfOne && !isSmall ? { stroke: lineColour(place) } : {}),
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its names are gone at run time
    side: i === 0 ? 3 : 1,
    size: axisPixels,
    filter,
    ticks: { filter },
    grid: { show: i === 0, filter },
    ...(isSmall
      ? { values: (_chart, splits) => splits.map((value) => shortNumber(value, unit)) }
      : {
          values: (_chart, splits) => splits.map((value) => shortNumber(value)),
          ...(unit === '' ? {} : { label: unitText(unit), labelSize: 16, labelFont: font }),
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
