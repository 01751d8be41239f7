import { ZoneOffsets } from '../zone-offset.ts';

/** There are about 600; any more would be other spellings of these. */
const zonesMax = 1_000;

/** Kinds of English, each of which knows the abbreviations of one part of the world. */
const abbreviationLocales = ['en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-NZ', 'en-ZA'];
/** A day in January and one in July: winter and summer, north and south. */
const abbreviationSeconds = [Date.UTC(2024, 0, 15) / 1000, Date.UTC(2024, 6, 15) / 1000];

/**
 * Abbreviations that these do not write, in hours east of UTC: they mean this where the zone has such a time in winter
 * or summer.
 */
const otherAbbreviations: Readonly<Record<string, readonly number[]>> = {
  BST: [1],
  CDT: [-4],
  CST: [-6, -5, 8],
  ChST: [10],
  HDT: [-9],
  HKT: [8],
  HST: [-10],
  IDT: [3],
  IST: [1, 2],
  JST: [9],
  KST: [9],
  MSK: [3],
  MST: [-7],
  PKT: [5],
  PST: [8],
  SST: [-11],
  WIB: [7],
  WIT: [9],
  WITA: [8],
};

/** An IANA time zone, as Go's `time.Location` sees it. */
export class TimeZone {
  static readonly #byName = new Map<string, TimeZone>();

  readonly #name: string;
  readonly #offsets: ZoneOffsets;
  #abbreviations: Map<string, number> | undefined;

  private constructor(name: string) {
    this.#name = name;
    this.#offsets = new ZoneOffsets(name);
  }

  /** Undefined when there is no such zone. */
  static find(name: string): TimeZone | undefined {
    const known = TimeZone.#byName.get(name);
    if (known !== undefined) return known;
    try {
      const zone = new TimeZone(name);
      if (TimeZone.#byName.size >= zonesMax) TimeZone.#byName.clear();
      TimeZone.#byName.set(name, zone);
      return zone;
    } catch {
      return undefined;
    }
  }

  /**
   * The time that a clock in this zone shows, in seconds since 1970. Where it is shown twice (a clock set back) or
   * never (set forward), it is what Go's `time.Date` takes.
   */
  fromWallClock(wallSeconds: number): number {
    const guess = this.#offsets.at(wallSeconds);
    if (guess === 0) return wallSeconds;
    return wallSeconds - this.#offsets.at(wallSeconds - guess);
  }

  /** The offset in seconds that an abbreviation (`CET`) has here; undefined when it is not known. */
  offsetOf(abbreviation: string): number | undefined {
    this.#abbreviations ??= this.#findAbbreviations();
    return this.#abbreviations.get(abbreviation);
  }

  /** The offset among these that the zone has in winter or summer. */
  #offsetAmong(hours: readonly number[]): number | undefined {
    const own = abbreviationSeconds.map((seconds) => this.#offsets.at(seconds));
    return own.find((offset) => hours.includes(offset / 3600));
  }

  #findAbbreviations(): Map<string, number> {
    const found = new Map<string, number>();
    for (const [abbreviation, hours] of Object.entries(otherAbbreviations)) {
      const offset = this.#offsetAmong(hours);
      if (offset !== undefined) found.set(abbreviation, offset);
    }
    for (const locale of abbreviationLocales) {
      const format = new Intl.DateTimeFormat(locale, {
        timeZone: this.#name,
        timeZoneName: 'short',
      });
      for (const seconds of abbreviationSeconds) {
        found.set(zonePart(format, seconds), this.#offsets.at(seconds));
      }
    }
    return found;
  }
}

function zonePart(format: Intl.DateTimeFormat, seconds: number): string {
  const parts = format.formatToParts(seconds * 1000);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
