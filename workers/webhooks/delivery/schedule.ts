const minutesMs = 60_000;
const hoursMs = 60 * minutesMs;

/** Standard Webhooks' waits after the first failed attempt, the second, and so on. */
const waitsMs = [
  5_000,
  5 * minutesMs,
  30 * minutesMs,
  2 * hoursMs,
  5 * hoursMs,
  10 * hoursMs,
  14 * hoursMs,
  20 * hoursMs,
  24 * hoursMs,
];
const jitter = 0.2;

/** A receiver may ask for more time than the schedule has, up to this. */
const askedMsMax = 24 * hoursMs;

/**
 * How long to wait after a failed attempt: the schedule's time with its jitter, or what the receiver asked for
 * in `Retry-After` if that is longer. `random` is in [0, 1).
 */
export function waitMs(failedAttempts: number, asked: number, random: number): number {
  const scheduled = waitsMs[Math.min(failedAttempts, waitsMs.length) - 1] ?? 0;
  const jittered = scheduled * (1 - jitter + 2 * jitter * random);
  return Math.round(Math.max(jittered, Math.min(asked, askedMsMax)));
}

/** The time that a `Retry-After` asks for, in seconds or by a date; 0 if it is neither. */
export function askedMs(retryAfter: string | undefined, nowMs: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  // Each form of an HTTP date begins with a weekday; what `Date` takes besides is none.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(retryAfter)
    ? Date.parse(retryAfter)
    : Number.NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}
