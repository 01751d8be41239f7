/** How often a process measures itself. */
export const everySeconds = 15;

/** How far back one may look: in seconds. */
export const ranges = { '1h': 3_600, '6h': 21_600, '24h': 86_400, '7d': 604_800 } as const;
export type Range = keyof typeof ranges;

/** Each range is read as so many intervals, and their length is its span: from 15 seconds to 42 minutes. */
const pointsPerRange = 240;

export const spanOf = (range: Range): number => ranges[range] / pointsPerRange;

export const spans: readonly number[] = Object.values(ranges).map((s) => s / pointsPerRange);

/** Rows of each span are kept for twice its range: 14 days at most. */
export const pointsKept = 2 * pointsPerRange;
