/** The extent of a page: what was asked for, and what it has. */
export type Extent = {
  limit: number;
  /** The number of messages passed over, from the first one or from its cursor's place on. */
  skipped: number;
  rows: number;
  /** True if they were passed over from the first message on, and not from a cursor's place. */
  isFromFirst: boolean;
};

type Bounds = { least: number; most: number };

/**
 * The least and the most messages that there can be in all, by the page alone. A page that is not full ends with the
 * last message; an empty one has passed over all there are.
 */
function boundsOf({ limit, skipped, rows, isFromFirst }: Extent): Bounds {
  const reached = skipped + rows;
  return {
    least: rows === 0 ? 0 : reached,
    most: isFromFirst && rows < limit ? reached : Number.POSITIVE_INFINITY,
  };
}

/** True if the page alone tells the total. */
export function isTold(extent: Extent): boolean {
  const { least, most } = boundsOf(extent);
  return least === most;
}

/**
 * The total that stands beside this page. Messages may have been counted at another moment than the page was read, as
 * on a cluster: then the page decides, so that the two never contradict each other.
 */
export function boundedTotal(extent: Extent, counted: number): number {
  const { least, most } = boundsOf(extent);
  return Math.min(Math.max(counted, least), most);
}
