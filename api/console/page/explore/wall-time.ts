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

/** A moment in milliseconds as clocks of a zone show it, with their difference from UTC: `2026-11-26T15:04:05.250+01:00`. */
export function zonedTime(moment: number, timeZone: string): string {
  const offset = offsetAt(moment, timeZone);
  const shown = new Date(Math.round(moment) + offset).toISOString().slice(0, 23);
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (value: number) => String(value).padStart(2, '0');
  const sign = offset < 0 ? '-' : '+';
  return `${shown}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
