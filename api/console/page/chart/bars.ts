import type uPlot from 'uplot';

const pixelsMax = 40;
/** Of all bars of an interval, the share that they take of it. */
const share = 0.8;

type Bars = {
  /** Where the bar of each time begins, in seconds since 1970. */
  starts: number[];
  seconds: number;
};

/**
 * Where the bars of a line stand that shares its intervals with others: side by side around the time, none wider than
 * `most` seconds.
 */
export function barsBeside(
  times: readonly number[],
  values: ArrayLike<unknown>,
  { place, count, most }: { place: number; count: number; most: number },
): Bars {
  let step = Infinity;
  let before = -Infinity;
  for (const [at, time] of times.entries()) {
    // A time of another line.
    if (values[at] === undefined) continue;
    step = Math.min(step, time - before);
    before = time;
  }
  const seconds = Math.min((step * share) / count, most);
  return { starts: times.map((time) => time + (place - count / 2) * seconds), seconds };
}

/** Draws the bars of the line at `place` of `count`. uPlot's own stand in the middle of their interval, over each other. */
export function barPaths(place: number, count: number): uPlot.Series.PathBuilder {
  return (chart, line, first, last) => {
    const [times, values = []] = [chart.data[0], chart.data[line]];
    const most = chart.posToVal(pixelsMax, 'x') - chart.posToVal(0, 'x');
    const { starts, seconds } = barsBeside([...times], values, { place, count, most });
    const unit = chart.series[line]?.scale ?? 'y';
    const { min = 0, max = 0 } = chart.scales[unit] ?? {};
    const yOf = (value: number) => chart.valToPos(Math.min(Math.max(value, min), max), unit, true);
    // Of a logarithmic scale, whose least is above it, this is the foot.
    const foot = yOf(0);
    const path = new Path2D();
    for (let at = first; at <= last; at++) {
      const [value, start] = [values[at], starts[at]];
      if (typeof value !== 'number' || start === undefined) continue;
      const left = chart.valToPos(start, 'x', true);
      const width = chart.valToPos(start + seconds, 'x', true) - left;
      const top = yOf(value);
      path.rect(left, top, Math.max(1, width), foot - top);
    }
    return { fill: path, stroke: path };
  };
}
