import type { Hole } from '../chart/holes.ts';
import type { Band } from '../chart/lanes.ts';

/**
 * The bands of states that were told at these times, which ascend. A state holds until the next one; before a hole,
 * and after the last state, for `lasts`.
 */
export function bandsOf(
  states: readonly (readonly [time: number, value: string | boolean])[],
  holes: readonly Hole[],
  lasts: number,
): Band[] {
  const starts = new Set(holes.map(([from]) => from));
  const bands: Band[] = [];
  for (const [i, [from, value]] of states.entries()) {
    const next = states[i + 1]?.[0] ?? Number.POSITIVE_INFINITY;
    const isOver = next === Number.POSITIVE_INFINITY || starts.has(from);
    const to = isOver ? Math.min(next, from + lasts) : next;
    const last = bands.at(-1);
    if (last?.value === value && last.to === from) last.to = to;
    else bands.push({ from, to, value });
  }
  return bands;
}
