import { exploreTexts } from '../texts/explore.ts';
import { Button } from '../ui/button.tsx';
import { type Line, LineMark, type Pointed } from '../chart/chart.tsx';
import { numberWriter } from '../ui/number.ts';
import { exactIn } from '../ui/time.tsx';
import type { Value } from './leaves.ts';
import { textOf, type View } from './view.ts';

const writeNumber = numberWriter(6);

export function written(value: Value | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'number' ? writeNumber(value) : String(value);
}

type LegendProps = {
  view: View;
  times: readonly number[];
  lines: readonly Line[];
  /** True for each of them that can't be read. */
  missing: readonly boolean[];
  at: { readonly value: Pointed | undefined };
  change: (changed: Partial<View>) => void;
};

/** The series with their values under the pointer, or their last ones, and the time of these. */
export function Legend({ view, times, lines, missing, at: { value: at }, change }: LegendProps) {
  return (
    <ul class="legend">
      {lines.map((line, i) => (
        <li key={textOf(view.series[i] ?? { format: 'senml', thing: '', name: '' })}>
          <LineMark line={i} />
          <bdi class="cut" title={line.label}>
            {line.label}
          </bdi>
          {missing[i] === true ? (
            <span class="muted">{exploreTexts.notDrawn}</span>
          ) : (
            <b class={line.bands === undefined ? 'number' : 'cut'}>
              {written(at === undefined ? lastOf(line) : valueAt(line, at))}
            </b>
          )}
          {line.unit !== '' && <span class="muted">{line.unit}</span>}
          <Button
            kind="quiet"
            icon="close"
            label={exploreTexts.remove(line.label)}
            onClick={() => change({ series: view.series.filter((_, other) => other !== i) })}
          />
        </li>
      ))}
      <li class="muted moment">
        {at === undefined ? view.timeZone : momentOf(times, lines, at, view.timeZone)}
      </li>
    </ul>
  );
}

/** The time of the values that show; where none is, that under the pointer itself. */
function momentOf(
  times: readonly number[],
  lines: readonly Line[],
  at: Pointed,
  timeZone: string,
): string {
  const isTold = lines.some((line) => line.bands === undefined && !isInHole(line, at));
  const time = isTold ? (times[at.at] ?? at.time) : at.time;
  return `${exactIn(timeZone).format(time * 1_000)} ${timeZone}`;
}

const isInHole = ({ holes = [] }: Line, { time }: Pointed) =>
  holes.some(([from, to]) => from < time && time < to);

const isTold = (value: Value | null | undefined) => value !== null && value !== undefined;

const lastOf = ({ values }: Line) => values.findLast(isTold);

/** The value under the pointer: none in a hole, a state by its band, a number at the nearest place or before it. */
function valueAt(line: Line, at: Pointed): Value | null | undefined {
  if (line.bands !== undefined) {
    return line.bands.find(({ from, to }) => from <= at.time && at.time < to)?.value;
  }
  return isInHole(line, at) ? undefined : line.values.slice(0, at.at + 1).findLast(isTold);
}
