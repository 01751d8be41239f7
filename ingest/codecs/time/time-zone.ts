/** Zone transitions fall on quarters of an hour. */
const blockSeconds = 900;
const blocksMax = 256;
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
  readonly #format: Intl.DateTimeFormat;
  /** Offsets by quarter of an hour: asking Intl takes microseconds. */
  readonly #offsets = new Map<number, number>();
  #abbreviations: Map<string, number> | undefined;

  private constructor(name: string) {
    this.#name = name;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
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
    const guess = this.#offsetAt(wallSeconds);
    if (guess === 0) return wallSeconds;
    return wallSeconds - this.#offsetAt(wallSeconds - guess);
  }

  /** The offset in seconds that an abbreviation (`CET`) has here; undefined when it is not known. */
  offsetOf(abbreviation: string): number | undefined {
    this.#abbreviations ??= this.#findAbbreviations();
    return this.#abbreviations.get(abbreviation);
  }

  /** The offset among these that the zone has in winter or summer. */
  #offsetAmong(hours: readonly number[]): number | undefined {
    const own = abbreviationSeconds.map((seconds) => this.#offsetAt(seconds));
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
        found.set(zonePart(format, seconds), this.#offsetAt(seconds));
      }
    }
    return found;
  }

  #offsetAt(seconds: number): number {
    const block = Math.floor(seconds / blockSeconds);
    const known = this.#offsets.get(block);
    if (known !== undefined) return known;
    if (this.#offsets.size >= blocksMax) this.#offsets.clear();
    const offset = parseOffset(this.#format.format(seconds * 1000));
    this.#offsets.set(block, offset);
    return offset;
  }
}

function zonePart(format: Intl.DateTimeFormat, seconds: number): string {
  const parts = format.formatToParts(seconds * 1000);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** `12/31/1969, GMT-03:30` → -12600. Taking the parts apart instead would take three times as long. */
function parseOffset(text: string): number {
  const match = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  if (match === null) return 0;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}
