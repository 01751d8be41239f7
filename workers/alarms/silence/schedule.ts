import { limits } from '../../limits.ts';
import { silentAt, type Span } from './hearing.ts';

const usPerSecond = 1_000_000;

/**
 * When a rule is to be looked at again: as soon as the thing that was heard the longest ago could be silent, but not all
 * the time, because a look reads all things of the rule. `heardUs` is undefined where things have just fired, or there
 * are none: those that were heard at the horizon are next.
 */
export function nextLookUs(
  spans: readonly Span[],
  heardUs: number | undefined,
  forUs: number,
  horizonUs: number,
): number {
  const pauseUs = Math.min(
    Math.max(forUs / limits.silenceLooksPerFor, limits.silencePauseS.min * usPerSecond),
    limits.silencePauseS.max * usPerSecond,
  );
  if (heardUs === undefined) return horizonUs + pauseUs;
  return Math.max(silentAt(spans, heardUs, forUs), horizonUs + pauseUs);
}
