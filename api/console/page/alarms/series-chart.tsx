import { useSignal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { Chart, type Limit, LineMark, type Pointed } from '../chart/chart.tsx';
import type { Episode } from '../chart/episodes.ts';
import { written } from '../chart/written.ts';
import { linesOf } from '../explore/shown.ts';
import { usePoints } from '../explore/use-points.ts';
import type { Range, Series } from '../explore/view.ts';
import { ownTimeZone } from '../time-zone.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { stateTexts } from '../texts/state.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Failed } from '../ui/states.tsx';
import { unitText } from '../../../../schemas/messages/units.ts';

const chartPixels = 260;
const noLimits: readonly Limit[] = [];

/** Series of one thing over a range, with what is shaded, and values that they are compared with. */
export function SeriesChart({
  series,
  range,
  episodes,
  limits = noLimits,
  height = chartPixels,
}: {
  series: readonly Series[];
  range: Range;
  episodes: readonly Episode[];
  limits?: readonly Limit[];
  height?: number;
}) {
  const [pixels, setPixels] = useState(0);
  const at = useSignal<Pointed | undefined>(undefined);
  const view = {
    series,
    range,
    aggregate: 'none',
    gaps: 'null',
    timeZone: ownTimeZone,
    isLive: false,
  } as const;
  const { all, ends, failure, isLoading, again } = usePoints(view, pixels);
  const names = series.map(({ name }) => name);
  const told = names.join('|');
  const { times, lines } = useMemo(
    () => linesOf(all, names, view, ends.to / 1_000),
    [all, told, ends.to],
  );
  if (failure !== undefined) return <Failed failure={failure} again={again} isAsking={isLoading} />;
  return (
    <div class={isLoading ? 'drawing stale' : 'drawing'}>
      <ul class="legend">
        {lines.map((line, i) => (
          <li key={line.label}>
            <LineMark line={i} />
            <bdi class="cut" title={line.label}>
              {line.label}
            </bdi>
            <Told values={line.values} at={at} />
            {line.unit !== '' && <span class="muted">{unitText(line.unit)}</span>}
          </li>
        ))}
      </ul>
      <Chart
        label={alarmsTexts.chartOf(names.join(', '))}
        times={times}
        lines={lines}
        range={{ from: ends.from / 1_000, to: ends.to / 1_000 }}
        timeZone={ownTimeZone}
        episodes={episodes}
        limits={limits}
        height={height}
        onWidth={setPixels}
        onPoint={(point) => {
          at.value = point;
        }}
      />
      {times.length === 0 && (
        <p class={isLoading ? 'nothing loading' : 'nothing'} role="status">
          {isLoading ? stateTexts.loading : exploreTexts.nothing}
        </p>
      )}
    </div>
  );
}

/** The value under the pointer, or the last one. */
function Told(props: {
  values: readonly (number | string | boolean | null | undefined)[];
  at: { readonly value: Pointed | undefined };
}) {
  const { values, at } = props;
  const shown = at.value === undefined ? values : values.slice(0, at.value.at + 1);
  return (
    <b class="number">
      {written(shown.findLast((value) => value !== null && value !== undefined))}
    </b>
  );
}
