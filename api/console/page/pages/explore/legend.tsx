import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { type Line, LineMark } from '../../ui/chart/chart.tsx';
import { numberWriter } from '../../ui/number.ts';
import { textOf, type View } from './view.ts';

const write = numberWriter(6);

export const written = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : write(value);

/** The series with their values under the pointer, or their last ones. */
export function Legend(props: {
  view: View;
  lines: readonly Line[];
  at: { readonly value: number | undefined };
  change: (changed: Partial<View>) => void;
}) {
  const { view, lines, at, change } = props;
  return (
    <ul class="legend">
      {lines.map(({ label, unit, values }, i) => (
        <li key={textOf(view.series[i] ?? { format: 'senml', thing: '', name: '' })}>
          <LineMark line={i} />
          <bdi class="cut" title={label}>
            {label}
          </bdi>
          <b class="number">{written(valueAt(values, at.value))}</b>
          {unit !== '' && <span class="muted">{unit}</span>}
          <Button
            kind="quiet"
            icon="close"
            label={texts.explore.remove(label)}
            onClick={() => change({ series: view.series.filter((_, other) => other !== i) })}
          />
        </li>
      ))}
    </ul>
  );
}

/** The value at a place, or the nearest one before it. */
function valueAt(values: Line['values'], at: number | undefined): number | null | undefined {
  if (at !== undefined && typeof values[at] === 'number') return values[at];
  return values
    .slice(0, at === undefined ? undefined : at + 1)
    .findLast((one) => typeof one === 'number');
}
