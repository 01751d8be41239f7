import type { ThingNames } from '../../columns/thing-names.ts';

/** A series is named by these: its thing, and what tells it from the others of that thing. */
export type SeriesName = { publisher: string; subtopic: string; name: string; unit: string };

/**
 * The head of each column: thing, subtopic, name and unit. They differ from each other and from `time`, in any letter
 * case, and hold no control characters. A thing that is gone, or whose name another one has too, is told by its id.
 */
export function headsOf(series: readonly SeriesName[], names: ThingNames, time: string): string[] {
  const things = Map.groupBy(new Set(series.map(({ publisher }) => publisher)), (id) =>
    names.get(id),
  );
  const taken = new Set([time.toLowerCase()]);
  return series.map(({ publisher, subtopic, name, unit }) => {
    const thing = names.get(publisher);
    const isOnly = thing !== undefined && things.get(thing)?.length === 1;
    const words = [thing, isOnly ? undefined : publisher, subtopic, name, unit && `(${unit})`];
    const head = words
      .filter(Boolean)
      .join(' ')
      .replaceAll(/\p{Cc}/gu, ' ');
    let [distinct, count] = [head, 1];
    while (taken.has(distinct.toLowerCase())) distinct = `${head} #${++count}`;
    taken.add(distinct.toLowerCase());
    return distinct;
  });
}
