import { type Series, textOf, seriesIn } from './view.ts';

/** The series that were chosen last, in this browser. */
const key = 'millrace-explore-recent';
const keptMax = 6;

export function recentSeries(): Series[] {
  return seriesIn(localStorage.getItem(key) ?? '').slice(0, keptMax);
}

export function noteRecent(one: Series): void {
  const others = recentSeries().filter((other) => textOf(other) !== textOf(one));
  localStorage.setItem(key, [one, ...others].slice(0, keptMax).map(textOf).join('|'));
}
