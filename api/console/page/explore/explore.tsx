import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { choose, address } from '../router.ts';
import { exploreTexts } from '../texts/explore.ts';
import { stateTexts } from '../texts/state.ts';
import { Button } from '../ui/button.tsx';
import { Chart, type Line, type Pointed } from '../chart/chart.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Failed } from '../ui/states.tsx';
import type { Annotation } from '../client/call.ts';
import { useMayIn } from '../roles.ts';
import { isFree } from '../ui/keys.ts';
import { AnnotationList, NewAnnotation } from './annotations.tsx';
import { Controls } from './controls.tsx';
import { Legend } from './legend.tsx';
import { Picker } from './picker.tsx';
import { Notes } from './notes.tsx';
import type { Points } from './read-points.ts';
import { Options } from './options.tsx';
import { endSteps } from '../progress.ts';
import { Proposal } from './proposal.tsx';
import { ShareLink } from './share-link.tsx';
import { linesWithBefore } from './shown.ts';
import { type Shown, TakeMenu } from './take-menu.tsx';
import { PointTable } from './table.tsx';
import { useAnnotations, useMarks } from './use-annotations.ts';
import { useEpisodes } from './use-episodes.ts';
import { useLimits } from './use-limits.ts';
import { type KnownThing, useNames } from './use-names.ts';
import { usePoints } from './use-points.ts';
import { useStatistics } from './use-statistics.ts';
import { fixedRange, queryOf, type Range, readView, type View } from './view.ts';

/** Series of any things, over any range, on one chart. What it shows stands in the address. */
export default function Explore() {
  const view = readView(address.value.query);
  const [isPicking, setPicking] = useState(false);
  const change: Change = (changed, how = 'step') => choose(queryOf({ ...view, ...changed }), how);
  const hasSome = view.series.length > 0;
  const add = (
    <Button kind={hasSome ? 'primary' : 'plain'} icon="plus" onClick={() => setPicking(true)}>
      {exploreTexts.add}
    </Button>
  );
  return (
    <>
      <PageHead title={exploreTexts.title}>
        {hasSome && <ShareLink view={view} />}
        {hasSome && add}
      </PageHead>
      {!hasSome ? (
        <Proposal onChoose={(series) => change({ series })}>{add}</Proposal>
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

type Change = (changed: Partial<View>, how?: 'step' | 'replace') => void;

function Picture({ view, change }: { view: View; change: Change }) {
  const [pixels, setPixels] = useState(0);
  // A signal: while the pointer moves only the legend is drawn again.
  const at = useSignal<Pointed | undefined>(undefined);
  const reading = usePoints(view, pixels);
  const { all, before, ends, failure, isLoading, again } = reading;
  const { names, things } = useNames(view.series);
  const pointed = useRef<number | undefined>(undefined);
  const notes = useAnnotations(view, ends, view.marks.includes('notes'));
  const note = useNewNote(things, () => pointed.current ?? ends.to, notes.again);
  const { times, lines } = useLines(all, before, names, view, ends.to / 1_000);
  const told = useStatistics(view, reading, { times, lines });
  const zoom = useZoom(view, change);
  const hasPoints = times.length > 0;
  // With the drawing: who leaves at once has looked at it too.
  useLayoutEffect(() => {
    if (hasPoints) endSteps();
  }, [hasPoints]);
  const shown = { view, all, times, lines, names, ends, pixels };
  return (
    <div class="stack">
      <Panel flush>
        <Steering shown={shown} things={things} change={change} zoom={zoom} note={note} />
        <Legend
          view={view}
          times={times}
          lines={lines}
          missing={all.map((one) => one.failure !== undefined)}
          told={told}
          at={at}
          change={change}
        />
        {failure === undefined ? (
          <Drawing
            shown={shown}
            isLoading={isLoading}
            zoom={zoom}
            annotations={notes.value}
            onWidth={setPixels}
            onPoint={(point) => {
              at.value = point;
              if (point !== undefined) pointed.current = point.time * 1_000;
            }}
          />
        ) : (
          <Failed failure={failure} again={again} isAsking={isLoading} />
        )}
      </Panel>
      <AnnotationList
        annotations={notes.value ?? noNotes}
        things={things}
        timeZone={view.timeZone}
        onChange={notes.again}
      />
      {times.length > 0 && <PointTable times={times} lines={lines} timeZone={view.timeZone} />}
    </div>
  );
}

/** All by which the view is chosen, and what is done with it. */
function Steering(props: {
  shown: Shown;
  things: readonly KnownThing[];
  change: Change;
  zoom: Zoom;
  note: NewNote;
}) {
  const { shown, things, change, zoom, note } = props;
  const { view, lines, ends } = shown;
  const [areOptionsOpen, setOptionsOpen] = useState(false);
  const units = [...new Set(lines.flatMap(({ unit, bands }) => (bands ? [] : [unit])))];
  return (
    <>
      <Controls
        view={view}
        ends={ends}
        change={change}
        setRange={zoom.setRange}
        areOptionsOpen={areOptionsOpen}
        onOptions={() => setOptionsOpen(!areOptionsOpen)}
      >
        {note.may && (
          <Button icon="note" label={exploreTexts.notes.hint} onClick={note.open}>
            <span class="wider">{exploreTexts.notes.annotate}</span>
          </Button>
        )}
        <TakeMenu {...shown} />
      </Controls>
      {areOptionsOpen && <Options view={view} units={units} change={change} />}
      {note.from !== undefined && (
        <NewAnnotation
          things={things}
          from={note.from}
          timeZone={view.timeZone}
          onDone={note.onDone}
          onClose={note.close}
        />
      )}
    </>
  );
}

const noNotes: readonly Annotation[] = [];

type NewNote = {
  may: boolean;
  /** The time that it begins with; undefined while there is no form. */
  from: number | undefined;
  open: () => void;
  close: () => void;
  onDone: () => void;
};

/** Opens the form of a new annotation, by a button or the key `n`, for who may make one of each thing's group. */
function useNewNote(
  things: readonly KnownThing[],
  timeOf: () => number,
  onDone: () => void,
): NewNote {
  const [from, setFrom] = useState<number>();
  const groups = things.map(({ group }) => group);
  const mayIn = useMayIn(groups);
  const may = groups.length > 0 && groups.every((group) => mayIn(group, 'createAnnotation'));
  const open = () => setFrom(Math.round(timeOf()));
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    if (!may) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'n' || !isFree(event)) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [may]);
  return { may, from, open, close: () => setFrom(undefined), onDone };
}

/** The chart with what is marked on it, and notes below. */
function Drawing(props: {
  shown: Shown;
  isLoading: boolean;
  zoom: Zoom;
  annotations: readonly Annotation[] | undefined;
  onWidth: (pixels: number) => void;
  onPoint: (point: Pointed | undefined) => void;
}) {
  const { shown, isLoading, zoom } = props;
  const { view, all, times, lines, names, ends, pixels } = shown;
  const alarms = useEpisodes(view.series, view, ends, view.marks.includes('alarms'));
  const notes = useMarks(props.annotations, view.timeZone);
  const episodes = useMemo(() => [...alarms, ...notes], [alarms, notes]);
  const limits = useLimits(view.series, view.marks.includes('rules'));
  return (
    <div class={isLoading && !view.isLive ? 'drawing stale' : 'drawing'}>
      <Chart
        label={exploreTexts.chart(names.join(', '))}
        times={times}
        lines={lines}
        range={{ from: ends.from / 1_000, to: ends.to / 1_000 }}
        timeZone={view.timeZone}
        style={view.style}
        isLog={view.isLog}
        axisEnds={view.axisEnds}
        episodes={episodes}
        limits={limits}
        height={chartPixels}
        onWidth={props.onWidth}
        onPoint={props.onPoint}
        onRange={(from, to) => zoom.zoomTo(from * 1_000, to * 1_000)}
        onReset={zoom.reset}
      />
      {times.length === 0 && (
        <p class={isLoading ? 'nothing loading' : 'nothing'} role="status">
          {isLoading ? stateTexts.loading : nothingIn(all)}
        </p>
      )}
      <Notes
        all={all}
        lines={lines}
        view={view}
        ends={ends}
        pixels={pixels}
        alarms={alarms.length}
      />
    </div>
  );
}

type Zoom = {
  /** A range was chosen by its name or its times. */
  setRange: (range: Range) => void;
  /** A part of the range was chosen, or one near it. */
  zoomTo: (from: number, to: number) => void;
  /** Back to the range before all zooming. */
  reset: () => void;
};

function useZoom(view: View, change: Change): Zoom {
  const home = useRef(view.range);
  const go = (range: Range) => change({ range, isLive: view.isLive && range.kind === 'last' });
  return {
    setRange: (range) => {
      home.current = range;
      go(range);
    },
    zoomTo: (from, to) => go(fixedRange(from, to)),
    reset: () => go(home.current),
  };
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
  before: readonly Points[],
  names: readonly string[],
  view: View,
  until: number,
): { times: readonly number[]; lines: readonly Line[] } {
  const told = names.join('|');
  const hidden = view.series.map(({ isHidden }) => isHidden).join();
  const beforeName = exploreTexts.beforeName[view.before];
  return useMemo(
    () => linesWithBefore(all, before, names, { asked: view, beforeName, until }),
    [all, before, told, hidden],
  );
}
