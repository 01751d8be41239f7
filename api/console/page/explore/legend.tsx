import { LineMark, type Line, type Pointed } from '../chart/chart.tsx';
import { isInHole, lastOf, type Statistics, valueAt } from '../chart/values.ts';
import { written } from '../chart/written.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Button } from '../ui/button.tsx';
import { exactIn } from '../ui/time.tsx';
import { isolated, toggled } from './visibility.ts';
import { textOf, type View } from './view.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

type LegendProps = {
  view: View;
  times: readonly number[];
  /** The lines of the series, and after them those of an earlier time. */
  lines: readonly Line[];
  /** True for each of them that can't be read. */
  missing: readonly boolean[];
  /** Statistics of each of them. */
  told: readonly Statistics[];
  at: { readonly value: Pointed | undefined };
  change: (changed: Partial<View>, how?: 'replace') => void;
};

const texts = exploreTexts.legend;

/** The series with their values under the pointer, or their last ones, the time of these, and statistics of what is seen. */
export function Legend({
  view,
  times,
  lines,
  missing,
  told,
  at: { value: at },
  change,
}: LegendProps) {
  const own = lines.slice(0, view.series.length);
  const remove = (i: number) => change({ series: view.series.filter((_, other) => other !== i) });
  return (
    <div class="legend-table scroll" tabIndex={0} role="region" aria-label={texts.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.series}</th>
            <th scope="col" class="number">
              {at === undefined ? texts.last : texts.here}
            </th>
            {statistics.map((name) => (
              <th key={name} scope="col" class="number" title={texts.ofSeen}>
                {texts[name]}
              </th>
            ))}
            <td class="moment" colSpan={2}>
              {at === undefined ? view.timeZone : momentOf(times, own, at, view.timeZone)}
            </td>
          </tr>
        </thead>
        <tbody>
          {own.map((line, i) => (
            <Row
              key={textOf(view.series[i] ?? { format: 'senml', thing: '', name: '' })}
              line={line}
              place={i}
              told={writtenOf(told[i] ?? {})}
              value={
                missing[i] === true
                  ? exploreTexts.notDrawn
                  : written(at === undefined ? lastOf(line) : valueAt(line, at))
              }
              toggle={() => change({ series: toggled(view.series, i) }, 'replace')}
              isolate={() => change({ series: isolated(view.series, i) }, 'replace')}
              remove={() => remove(i)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const statistics = ['min', 'mean', 'max', 'count'] as const;

const writtenOf = (of: Statistics) =>
  statistics.map((name) => (of[name] === undefined ? '' : written(of[name])));

/** Its name hides it, and twice or with Alt all others. */
function Row(props: {
  line: Line;
  place: number;
  told: readonly string[];
  value: string;
  toggle: () => void;
  isolate: () => void;
  remove: () => void;
}) {
  const { line, place, toggle, isolate } = props;
  const isHidden = line.isHidden === true;
  return (
    <tr data-hidden={isHidden}>
      <th scope="row">
        <button
          type="button"
          class="legend-name"
          aria-pressed={!isHidden}
          title={texts.hint(line.label)}
          onClick={(event) => (event.altKey ? isolate() : toggle())}
          onDblClick={(event) => !event.altKey && isolate()}
        >
          <LineMark line={place} />
          <bdi class="cut">{line.label}</bdi>
        </button>
      </th>
      <td class="number now">
        <b>{props.value}</b>
        {line.unit !== '' && <span class="muted">{unitText(line.unit)}</span>}
      </td>
      {props.told.map((text, i) => (
        <td key={statistics[i]} class="number muted">
          {text}
        </td>
      ))}
      <td class="tools" colSpan={2}>
        <Button
          kind="quiet"
          icon="close"
          label={exploreTexts.remove(line.label)}
          onClick={props.remove}
        />
      </td>
    </tr>
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
