/** A TTL rule: messages to be kept for `from` to `to` days are kept for `to` days. */
export type Rule = { from: number; to: number };

/** Each insert and each merge checks every rule. */
export const rulesMax = 50;

const daysMax = 36_500;

/**
 * A rule for each number of days, so that each is met to the day. If there are more numbers than rules, numbers that
 * are close share one, and messages of the smaller ones are kept for up to a quarter longer.
 */
export function rulesFor(days: readonly number[]): Rule[] {
  if (days.length <= rulesMax) {
    return days.toSorted((one, other) => one - other).map((each) => ({ from: each, to: each }));
  }
  const steps = Array.from({ length: rulesMax }, (_, i) =>
    Math.ceil(daysMax ** ((i + 1) / rulesMax) - 1e-6),
  );
  const ends = [...new Set(steps)];
  return ends
    .map((to, i) => ({ from: (ends[i - 1] ?? 0) + 1, to }))
    .filter(({ from, to }) => days.some((each) => each >= from && each <= to));
}
