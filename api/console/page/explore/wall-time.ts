import { ZoneOffsets } from '../../../../schemas/zone-offset.ts';

/** The time that clocks of a zone show at a moment in milliseconds, as `2026-11-26T15:04:05`. */
export function wallTime(moment: number, timeZone: string): string {
  return new Date(moment + offsetAt(moment, timeZone)).toISOString().slice(0, 19);
}

/**
 * The moment, in milliseconds, at which clocks of a zone show this time; NaN for a text that is no such time. If they
 * show it twice, it is the first moment; if they leave it out, it is as if they had not been put forward yet.
 */
export function instantOf(text: string, timeZone: string): number {
  const shown = Date.parse(`${text}Z`);
  if (Number.isNaN(shown)) return shown;
  // Clocks change by less than a day, and not twice in two.
  const [before, after] = [offsetAt(shown - dayMs, timeZone), offsetAt(shown + dayMs, timeZone)];
  const moments = [shown - before, shown - after].toSorted((one, other) => one - other);
  return moments.find((moment) => moment + offsetAt(moment, timeZone) === shown) ?? shown - before;
}

const dayMs = 86_400_000;

/** The milliseconds by which clocks of a zone are ahead of UTC at a moment. */
const offsetAt = (moment: number, timeZone: string): number =>
  new ZoneOffsets(timeZone).at(Math.floor(moment / 1_000)) * 1_000;
