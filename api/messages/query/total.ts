/** What a page holds. */
export type Extent = {
  limit: number;
  /** How many messages were passed over, at the page's start or at its cursor's place. */
  skipped: number;
  rows: number;
  /** Whether they were passed over from the first message on, and not from a cursor's place. */
  isFromFirst: boolean;
};

type Bounds = { least: number; most: number };

/**
 * How many messages there can be in all, by the page alone. A page that is not full ends with the last message; an
 * empty one has passed over all there are.
 */
function boundsOf({ limit, skipped, rows, isFromFirst }: Extent): Bounds {
  const reached = skipped + rows;
  return {
    least: rows === 0 ? 0 : reached,
    most: isFromFirst && rows < limit ? reached : Number.POSITIVE_INFINITY,
  };
}

/** Whether the page tells the number by itself. */
export function isTold(extent: Extent): boolean {
  const { least, most } = boundsOf(extent);
  return least === most;
}

/**
 * How many messages there are in all, next to this page. They may have been counted at another moment than the page
 * was read, as on a cluster: then what the page says holds, so that the two never contradict each other.
 */
export function boundedTotal(extent: Extent, counted: number): number {
  const { least, most } = boundsOf(extent);
  return Math.min(Math.max(counted, least), most);
}
