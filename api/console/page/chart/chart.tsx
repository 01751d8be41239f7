import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../theme.ts';
import { chartTexts } from '../texts/chart.ts';
import { barPaths } from './bars.ts';
import { colourNumber, lineColour, lineDash } from './colours.ts';
import { shadeEpisodes, tellEpisodes } from './episodes.ts';
import { Gestures } from './gestures.ts';
import { type Hole, holesAtNulls, lonePoints } from './holes.ts';
import { drawLanes, lanePixels } from './lanes.ts';
import type { ChartProps, Style } from './props.ts';
import { axisOf, scaleFor, timeAxis } from './scales.ts';
import {
  type DrawnLine,
  drawnLines,
  heightOf,
  lanesOf,
  scaleOf,
  sidePixels,
  topPixels,
} from './shape.ts';
import { drawThresholds, Handles, type Threshold } from './thresholds.ts';

export type { Limit, Line, Pointed } from './props.ts';

/** The mark of a line in a legend, in the colour that the chart gives it, and with its dashes. */
export function LineMark({ line }: { line: number }) {
  const dash = lineDash(line);
  return (
    <svg class="mark" viewBox="0 0 12 12" aria-hidden="true" data-line={colourNumber(line)}>
      {dash.length === 0 ? (
        <rect width="12" height="12" rx="3" />
      ) : (
        <path d="M0 6h12" stroke-dasharray={dash.map((pixels) => pixels / 2).join(' ')} />
      )}
    </svg>
  );
}

/** From so many on, a line alone is plainer. */
const pointsShownMax = 40;
const pointPixels = 5;
const dragPixelsMin = 8;
/** Narrower holes are not shaded: their lines are broken in any case. */
const shadedPixelsMin = 3;
const shade = 0.1;
const paleness = 0.45;

/**
 * Lines over time, each unit with an axis of its own, and lanes of states below them.
 *
 * It is a part for any page: it takes series with their values, a range and options, tells by callbacks where the pointer
 * is and which range was chosen, and reads nothing itself.
 */
export function Chart(props: ChartProps) {
  const parts = useDrawing(props);
  const isMoved = props.onRange !== undefined;
  const moving = isMoved
    ? ({ role: 'application', tabIndex: 0, 'aria-label': chartTexts.keys } as const)
    : {};
  return (
    <div class="charted" ref={parts.whole} {...moving}>
      <div ref={parts.host} class="chart" role="img" aria-label={props.label} />
      <div ref={parts.over} class="handles" />
      <div ref={parts.tip} class="episode-tip" hidden />
      <p ref={parts.told} class="hidden" aria-live="polite" />
    </div>
  );
}

/** A change that uPlot can't make in place needs a new chart; new data and a new range do not. */
function shapeOf({ lines, timeZone, style, isLog, axisEnds }: ChartProps): string {
  const kinds = lines.map(({ unit, bands, isHidden, paleOf }) => [unit, !bands, isHidden, paleOf]);
  return JSON.stringify([kinds, timeZone, theme.value, style, isLog, axisEnds]);
}

/** Draws a chart into its parts, and again as it changes. */
function useDrawing(props: ChartProps) {
  const whole = useRef<HTMLDivElement>(null);
  const told = useRef<HTMLParagraphElement>(null);
  const gestures = useRef<Gestures | undefined>(undefined);
  const host = useRef<HTMLDivElement>(null);
  const over = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { lines, times, range, episodes, limits } = props;
  const height = heightOf(props);
  const shape = shapeOf(props);
  // Before the page is painted: a new chart that came after it would end a drag that began meanwhile.
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null || over.current === null || tip.current === null) return undefined;
    if (whole.current === null || told.current === null) return undefined;
    const moves = new Gestures(whole.current, told.current, () => ({
      chart: chart.current,
      props: latest.current,
    }));
    gestures.current = moves;
    const handles = new Handles(over.current, () => ({
      chart: chart.current,
      thresholds: thresholdsOf(latest.current),
    }));
    const beside = { handles, moves, tip: tip.current };
    const draw = () => {
      chart.current?.destroy();
      const options = optionsOf(latest, element.clientWidth, beside);
      chart.current = new uPlot(options, dataOf(latest.current), element);
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
      moves.destroy();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [shape, height]);
  useLayoutEffect(() => gestures.current?.forget(), [range.from, range.to]);
  useLayoutEffect(() => {
    chart.current?.setData(dataOf(latest.current));
  }, [times, lines, range.from, range.to, episodes, limits]);
  return { whole, told, host, over, tip };
}

function thresholdsOf({ lines, limits = [] }: ChartProps): Threshold[] {
  return limits.map(({ line, value, isEnd = false, label, text, onMove }) => ({
    key: label,
    scale: scaleOf(lines[line]?.unit ?? ''),
    value,
    isEnd,
    label,
    text,
    ...(onMove === undefined ? {} : { onMove }),
  }));
}

/** The parts of a chart that are no canvas. */
type Beside = { handles: Handles; moves: Gestures; tip: HTMLElement };

function dataOf({ times, lines, style, isLog = false }: ChartProps): uPlot.AlignedData {
  // Bars are as wide as the steps between values: a time of another line is none.
  const none = style === 'bars' ? undefined : null;
  const isDrawn = (value: unknown) => typeof value === 'number' && (!isLog || value > 0);
  const numbers = drawnLines(lines).map(({ values }) =>
    values.map((value) => (typeof value === 'number' && isDrawn(value) ? value : none)),
  );
  return [[...times], ...numbers];
}

type Latest = { readonly current: ChartProps };

function optionsOf(latest: Latest, width: number, { handles, moves, tip }: Beside): uPlot.Options {
  const { lines, timeZone, isSmall = false } = latest.current;
  const drawn = drawnLines(lines);
  const units = [...new Set(drawn.map(({ unit }) => unit))];
  const { start, end } = sidePixels(units.length, isSmall);
  return {
    width,
    height: heightOf(latest.current),
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
    padding: [topPixels, end, 0, start],
    cursor: cursorOf(latest, moves),
    scales: {
      x: { range: () => [moves.range.from, moves.range.to] },
      ...Object.fromEntries(units.map((unit) => [scaleOf(unit), scaleFor(unit, latest, handles)])),
    },
    axes: [timeAxis(latest.current), ...units.map((unit, i) => axisOf(unit, i, latest))],
    series: [{}, ...drawn.map((line, i) => seriesOf(line, latest, i, drawn.length))],
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

function cursorOf({ current }: Latest, moves: Gestures): uPlot.Cursor {
  const isMoved = current.onRange !== undefined;
  return {
    drag: { x: isMoved, y: false, setScale: false },
    points: { size: 7 },
    bind: {
      mousedown: (_chart, _target, handle) => (event) => {
        if (!isMoved || !event.shiftKey || event.button !== 0) return handle(event);
        event.preventDefault();
        moves.startMove(event);
        return null;
      },
      // It would show all times that there are points of.
      dblclick: () => null,
    },
  };
}

const { stepped } = uPlot.paths;

/** How a style draws; a line is what uPlot does unasked. `count` lines are drawn, this one at `place`. */
function pathsOf(style: Style, place: number, count: number): Pick<uPlot.Series, 'paths'> {
  if (style === 'steps' && stepped !== undefined) return { paths: stepped({ align: 1 }) };
  if (style === 'bars') return { paths: barPaths(place, count) };
  return style === 'points' ? { paths: () => null } : {};
}

function seriesOf(
  { unit, at, place, paleOf }: DrawnLine,
  latest: Latest,
  drawnAt: number,
  count: number,
): uPlot.Series {
  const stroke = lineColour(place);
  const { style = 'line' } = latest.current;
  const holes = () => holesOf(latest.current, at);
  return {
    scale: scaleOf(unit),
    stroke,
    width: 1.5,
    dash: [...lineDash(place)],
    ...(paleOf === undefined ? {} : { alpha: paleness }),
    ...pathsOf(style, drawnAt, count),
    ...(style === 'bars' ? { fill: stroke, width: 0 } : {}),
    gaps: (chart) =>
      holes().map(([from, to]): [number, number] => [
        Math.round(chart.valToPos(from, 'x', true)),
        Math.round(chart.valToPos(to, 'x', true)),
      ]),
    points: {
      show: () =>
        style === 'points' || (style !== 'bars' && latest.current.times.length < pointsShownMax),
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
  for (const { holes = [], place, paleOf } of drawnLines(lines)) {
    if (paleOf !== undefined) continue;
    ctx.fillStyle = lineColour(place);
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
