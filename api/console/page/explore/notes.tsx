import { exploreTexts } from '../texts/explore.ts';
import type { Line } from '../chart/chart.tsx';
import { hasStates, type Points } from './read-points.ts';
import type { View } from './view.ts';

const words = exploreTexts;

/** Notes under the chart: they say what it does not show, and what its shading means. */
export function Notes(props: {
  all: readonly Points[];
  lines: readonly Line[];
  view: View;
  /** The number of alarms that are shaded. */
  alarms: number;
}) {
  const { all, lines, view, alarms } = props;
  const broken = lines.filter(({ holes = [] }) => holes.length > 0);
  const notes = lines.flatMap(({ label }, i) => noteOf(label, all[i]));
  if (broken.some(({ bands }) => bands === undefined)) {
    notes.push(words.shaded(view.aggregate !== 'none'));
  }
  if (broken.some(({ bands }) => bands !== undefined)) notes.push(words.unbanded);
  if (alarms > 0) notes.push(words.alarms(alarms));
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

function noteOf(label: string, one: Points | undefined): string[] {
  if (one?.failure !== undefined) {
    const { gone, forbidden } = words.missingWhy;
    const { status, message } = one.failure;
    const why = status === 403 ? forbidden : status === 404 ? gone : message;
    return [words.missing(label, why)];
  }
  const drawn = one?.points.length ?? 0;
  if (one?.of === undefined || drawn === 0) return [];
  return [(hasStates(one) ? words.newestOnly : words.thinned)(label, drawn, one.of)];
}
