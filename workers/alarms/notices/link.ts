import type { ToldRow } from './sql.ts';

/** The chart shows so much before the breach, and after the transition. */
const beforeMs = 3_600_000;
const afterMs = 900_000;

/**
 * The console's page of what a transition is about: the chart of the rule's series of the thing at that moment, as the
 * address of Explore has it (api/console/page/explore/view.ts); the thing itself where the rule has no series.
 */
export function chartLink(
  { thingId, conditions, at, beganAt }: Pick<ToldRow, 'thingId' | 'conditions' | 'at' | 'beganAt'>,
  publicUrl: string,
): string {
  const series = (conditions ?? []).flatMap(({ name, path }) => {
    if (name !== undefined) return [`senml:${thingId}:${encodeURIComponent(name)}`];
    return path === undefined ? [] : [`json:${thingId}:${encodeURIComponent(path)}`];
  });
  if (series.length === 0) return `${publicUrl}/#/things/${thingId}`;
  const query = new URLSearchParams({
    series: [...new Set(series)].join('|'),
    from: new Date(Math.min(beganAt.getTime(), at.getTime()) - beforeMs).toISOString(),
    to: new Date(at.getTime() + afterMs).toISOString(),
  });
  return `${publicUrl}/#/explore?${query.toString()}`;
}
