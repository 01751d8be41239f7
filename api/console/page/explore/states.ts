import { isState, type Point } from './read-points.ts';
import type { Band } from '../chart/lanes.ts';

/** The bands of states at these points, which ascend. A state holds until the next point, and the last one at most until `end`. */
export function bandsOf(points: readonly Point[], end: number): Band[] {
  const bands: Band[] = [];
  for (const [i, [from, value]] of points.entries()) {
    if (!isState(value)) continue;
    const to = points[i + 1]?.[0] ?? Math.max(from, end);
    const last = bands.at(-1);
    if (last?.value === value && last.to === from) last.to = to;
    else bands.push({ from, to, value });
  }
  return bands;
}
