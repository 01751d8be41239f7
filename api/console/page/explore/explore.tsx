import { useSignal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { choose, linkTo, address } from '../router.ts';
import { exploreTexts } from '../texts/explore.ts';
import { stateTexts } from '../texts/state.ts';
import { Button } from '../ui/button.tsx';
import { Chart, type Line, type Pointed } from '../chart/chart.tsx';
import { copyText } from '../ui/copy.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Failed } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import { Controls } from './controls.tsx';
import { Legend } from './legend.tsx';
import { Picker } from './picker.tsx';
import { Notes } from './notes.tsx';
import type { Points } from './read-points.ts';
import { linesOf } from './shown.ts';
import { Take } from './take.tsx';
import { PointTable } from './table.tsx';
import { useEpisodes } from './use-episodes.ts';
import { useNames } from './use-names.ts';
import { usePoints } from './use-points.ts';
import { queryOf, type Range, readView, type View } from './view.ts';

/** Series of any things, over any range, on one chart. What it shows stands in the address. */
export default function Explore() {
  const view = readView(address.value.query);
  const [isPicking, setPicking] = useState(false);
  const change = (changed: Partial<View>) => choose(queryOf({ ...view, ...changed }));
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setPicking(true)}>
      {exploreTexts.add}
    </Button>
  );
  return (
    <>
      <PageHead title={exploreTexts.title}>
        {view.series.length > 0 && <ShareLink view={view} />}
        {view.series.length > 0 && add}
      </PageHead>
      {view.series.length === 0 ? (
        <Panel>
          <Empty title={exploreTexts.empty} text={exploreTexts.emptyText}>
            {add}
          </Empty>
        </Panel>
      ) : (
        <Picture view={view} change={change} />
      )}
      {isPicking && (
        <Picker
          chosen={view.series}
          onChoose={(series) => change({ series })}
          onClose={() => setPicking(false)}
        />
      )}
    </>
  );
}

const chartPixels = 380;

function Picture({ view, change }: { view: View; change: (changed: Partial<View>) => void }) {
  const [pixels, setPixels] = useState(0);
  // A signal: while the pointer moves only the legend is drawn again.
  const at = useSignal<Pointed | undefined>(undefined);
  const { all, ends, failure, isLoading, again } = usePoints(view, pixels);
  const names = useNames(view.series);
  const episodes = useEpisodes(view.series, view, ends);
  const { times, lines } = useLines(all, names, view, ends.to / 1_000);
  const setRange = (range: Range) =>
    change({ range, isLive: view.isLive && range.kind === 'last' });
  return (
    <div class="stack">
      <Panel flush>
        <Controls view={view} ends={ends} change={change} setRange={setRange} />
        <Legend
          view={view}
          times={times}
          lines={lines}
          missing={all.map((one) => one.failure !== undefined)}
          at={at}
          change={change}
        />
        {failure === undefined ? (
          <div class={isLoading && !view.isLive ? 'drawing stale' : 'drawing'}>
            <Chart
              label={exploreTexts.chart(names.join(', '))}
              times={times}
              lines={lines}
              range={{ from: ends.from / 1_000, to: ends.to / 1_000 }}
              timeZone={view.timeZone}
              episodes={episodes}
              height={chartPixels}
              onWidth={setPixels}
              onPoint={(point) => {
                at.value = point;
              }}
              onRange={(from, to) =>
                setRange({
                  kind: 'fixed',
                  from: Math.round(from * 1_000),
                  to: Math.round(to * 1_000),
                })
              }
            />
            {times.length === 0 && (
              <p class={isLoading ? 'nothing loading' : 'nothing'} role="status">
                {isLoading ? stateTexts.loading : nothingIn(all)}
              </p>
            )}
            <Notes all={all} lines={lines} view={view} alarms={episodes.length} />
          </div>
        ) : (
          <Failed failure={failure} again={again} />
        )}
      </Panel>
      {times.length > 0 && <PointTable times={times} lines={lines} timeZone={view.timeZone} />}
      <Take view={view} all={all} names={names} ends={ends} pixels={pixels} />
    </div>
  );
}

/** Why nothing is drawn: there is nothing, or it is nothing that can be drawn. */
function nothingIn(all: readonly Points[]): string {
  const { nothing, nothingToDraw, noneDrawn } = exploreTexts;
  if (all.length > 0 && all.every(({ failure }) => failure !== undefined)) return noneDrawn;
  return all.some(({ of = 0 }) => of > 0) ? nothingToDraw : nothing;
}

/** The lines of the chart. They stay the same objects until there are other points. */
function useLines(
  all: readonly Points[],
  names: readonly string[],
  view: View,
  until: number,
): { times: readonly number[]; lines: readonly Line[] } {
  const told = names.join('|');
  return useMemo(() => linesOf(all, names, view, until), [all, told]);
}

/** Copies a link that shows the same times to whoever opens it later. */
function ShareLink({ view }: { view: View }) {
  return (
    <Button
      icon="link"
      onClick={({ currentTarget }) => {
        if (!(currentTarget instanceof Element)) return;
        const { range } = view;
        const to = Date.now();
        const fixed: Range =
          range.kind === 'fixed' ? range : { kind: 'fixed', from: to - range.seconds * 1_000, to };
        const link = linkTo('/explore', queryOf({ ...view, range: fixed, isLive: false }));
        void copyText(new URL(link, location.href).href, currentTarget).then(() =>
          say(exploreTexts.linkCopied),
        );
      }}
    >
      {exploreTexts.link}
    </Button>
  );
}
