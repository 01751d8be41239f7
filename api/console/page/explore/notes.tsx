import { exploreTexts } from '../texts/explore.ts';
import type { Line } from '../chart/chart.tsx';
import { exactIn } from '../ui/time.tsx';
import type { Points } from './read-points.ts';
import { intervalOf } from './intervals.ts';
import { aggregateFor, shownInterval } from './question.ts';
import { areFollowed } from './use-points.ts';
import type { View } from './view.ts';

const words = exploreTexts;

/** Notes under the chart: they say what it does not show, and what its shading means. */
export function Notes(props: {
  all: readonly Points[];
  lines: readonly Line[];
  view: View;
  ends: { from: number; to: number };
  pixels: number;
  /** The number of alarms that are shaded. */
  alarms: number;
}) {
  const { all, lines, view, alarms } = props;
  const own = lines.slice(0, view.series.length);
  const broken = own.filter(({ holes = [] }) => holes.length > 0);
  const notes = [
    ...intervalNotes(view, props.ends, props.pixels),
    ...own.flatMap(({ label }, i) => noteOf(label, all[i], view.timeZone)),
  ];
  const isWeighed = view.series.some(
    (one) => one.isOfGroup === true && aggregateFor(one, view) === 'avg',
  );
  if (isWeighed) notes.push(words.ofAllMessages);
  if (broken.some(({ bands }) => bands === undefined)) {
    notes.push(words.shaded(view.aggregate !== 'none'));
  }
  if (broken.some(({ bands }) => bands !== undefined)) notes.push(words.unbanded);
  if (lines.length > own.length) notes.push(words.compared[view.before]);
  if (view.isLog && own.some(isLeftOut)) notes.push(words.notLog);
  if (alarms > 0) notes.push(words.alarms(alarms));
  if (view.isLive && view.aggregate === 'none' && !areFollowed(view.series))
    notes.push(words.polled);
  if (notes.length === 0) return null;
  return (
    <ul class="notes small muted">
      {notes.map((note) => (
        <li key={note}>
          <bdi>{note}</bdi>
        </li>
      ))}
    </ul>
  );
}

const isLeftOut = ({ values }: Line) =>
  values.some((value) => typeof value === 'number' && value <= 0);

function intervalNotes(view: View, ends: { from: number; to: number }, pixels: number): string[] {
  const { interval } = view;
  const aggregate = view.series.map((one) => aggregateFor(one, view)).find((one) => one !== 'none');
  if (aggregate === undefined || pixels === 0) return [];
  const shown = shownInterval(interval, ends, pixels);
  const byHand = intervalOf(interval);
  const isKept = byHand?.unit === shown.unit && byHand.value === shown.value;
  if (byHand !== undefined && !isKept) {
    return [words.tooShort(words.intervalTexts[interval], shown.value, shown.unit)];
  }
  return [words.shownBy(words.aggregates[aggregate], shown.value, shown.unit, isKept)];
}

function noteOf(label: string, one: Points | undefined, timeZone: string): string[] {
  if (one?.failure !== undefined) {
    const { gone, forbidden } = words.missingWhy;
    const { status, message } = one.failure;
    const why = status === 403 ? forbidden : status === 404 ? gone : message;
    return [words.missing(label, why)];
  }
  if (one?.cut !== undefined) return [words.newestOnly(label, one.cut)];
  const drawn = one?.points.length ?? 0;
  if (one?.wholeFrom === undefined || drawn === 0) return [];
  const { of, wholeFrom, points, isOfChanges = false } = one;
  if (of !== undefined && !isOfChanges) return [words.thinned(label, drawn, of)];
  const isNewest = !isOfChanges && points.every(([time]) => time >= wholeFrom);
  return [
    isNewest
      ? words.newestLive(label, drawn)
      : words.thinnedLive(label, exactIn(timeZone).format(wholeFrom * 1_000)),
  ];
}
