/**
 * Go's reference layouts: how `Mon Jan 2 15:04:05 MST 2006` would be written. Parts are recognised and
 * read as Go's `time.Parse` does, in `layout-parts.ts`; here they become a date.
 */
import type { Instant } from './instant.ts';
import { type LayoutToken, type ParsedParts, readParts, tokenize } from './layout-parts.ts';
import type { TimeZone } from './time-zone.ts';

const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
const leapDay = 60;
/** Half a year: if the layout has no year, the nearer of two years is meant. */
const halfYearSeconds = 183 * 86_400;

/** Why a text is not read: it has another form, or an abbreviation that its zone does not have. */
export type Unread = 'otherForm' | 'unknownAbbreviation';

export class GoLayout {
  readonly #tokens: readonly LayoutToken[];
  readonly #hasYear: boolean;

  private constructor(tokens: readonly LayoutToken[]) {
    this.#tokens = tokens;
    this.#hasYear = tokens.some(({ part }) => part === '2006' || part === '06');
  }

  /** Undefined if the layout names no day: no time could be read with it. */
  static compile(layout: string): GoLayout | undefined {
    const tokens = tokenize(layout);
    const names = new Set(tokens.map(({ part }) => part));
    const hasMonth = ['January', 'Jan', '1', '01'].some((part) => names.has(part));
    const hasDay = ['2', '_2', '02'].some((part) => names.has(part));
    const hasYearDay = names.has('002') || names.has('__2');
    return hasYearDay || (hasMonth && hasDay) ? new GoLayout(tokens) : undefined;
  }

  /**
   * Reads `text` into `time`; undefined: it was read. A layout without a year means the year that
   * brings the time nearest to now (Go would say year 0). A layout without a zone, and an abbreviation,
   * are read in `zone`. An abbreviation that it doesn't have is refused: Go would take it for UTC.
   */
  parse(
    text: string,
    zone: TimeZone | undefined,
    nowSeconds: number,
    time: Instant,
  ): Unread | undefined {
    const parts = readParts(this.#tokens, text);
    if (parts === undefined) return 'otherForm';
    if (parts.zoneName !== undefined) {
      parts.offset ??= offsetOf(parts.zoneName, zone);
      if (parts.offset === undefined) return 'unknownAbbreviation';
    }
    const seconds = this.#hasYear
      ? secondsOf(parts, parts.year, zone)
      : nearest(parts, zone, nowSeconds);
    if (seconds === undefined) return 'otherForm';
    time.seconds = seconds;
    time.nanos = parts.nanos;
    return undefined;
  }
}

/** The offset of `CET`, and of `GMT+3` or `+03`, which say it themselves. GMT and UTC are known everywhere. */
function offsetOf(name: string, zone: TimeZone | undefined): number | undefined {
  const hours = name.replace('GMT', '');
  if (hours === '') return 0;
  return /^[+-]\d+$/.test(hours) ? Number(hours) * 3600 : zone?.offsetOf(name);
}

function nearest(
  parts: ParsedParts,
  zone: TimeZone | undefined,
  nowSeconds: number,
): number | undefined {
  const year = new Date(nowSeconds * 1000).getUTCFullYear();
  for (const candidate of [year, year - 1, year + 1]) {
    const seconds = secondsOf(parts, candidate, zone);
    if (seconds !== undefined && Math.abs(seconds - nowSeconds) <= halfYearSeconds) return seconds;
  }
  return undefined;
}

/** Seconds since 1970; undefined when there is no such day. */
function secondsOf(
  parts: ParsedParts,
  year: number,
  zone: TimeZone | undefined,
): number | undefined {
  const { month, day } = parts.yearDay === undefined ? parts : fromYearDay(parts.yearDay, year);
  if (parts.month !== undefined && parts.month !== month) return undefined;
  if (parts.day !== undefined && parts.day !== day) return undefined;
  if (month === undefined || day === undefined || day < 1 || day > daysIn(month, year)) {
    return undefined;
  }
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const wall = date.getTime() / 1000 + parts.hour * 3600 + parts.minute * 60 + parts.second;
  if (parts.offset !== undefined) return wall - parts.offset;
  return zone === undefined ? wall : zone.fromWallClock(wall);
}

function fromYearDay(
  yearDay: number,
  year: number,
): { month: number | undefined; day: number | undefined } {
  if (isLeap(year) && yearDay === leapDay) return { month: 2, day: 29 };
  const inPlainYear = isLeap(year) && yearDay > leapDay ? yearDay - 1 : yearDay;
  if (inPlainYear < 1 || inPlainYear > 365) return { month: undefined, day: undefined };
  const month = daysBefore.findLastIndex((before) => before < inPlainYear) + 1;
  return { month, day: inPlainYear - (daysBefore[month - 1] ?? 0) };
}

function daysIn(month: number, year: number): number {
  if (month === 2 && isLeap(year)) return 29;
  return (daysBefore[month] ?? 0) - (daysBefore[month - 1] ?? 0);
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
