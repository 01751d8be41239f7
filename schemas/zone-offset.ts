/** Zone transitions fall on quarters of an hour. */
const blockSeconds = 900;
const blocksMax = 256;

/** How far the clocks of an IANA time zone are ahead of UTC. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  /** By quarter of an hour: asking Intl takes microseconds. */
  readonly #known = new Map<number, number>();

  /** @throws RangeError if there is no such zone */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  }

  /** In seconds, at a time in seconds since 1970. */
  at(seconds: number): number {
    const block = Math.floor(seconds / blockSeconds);
    const known = this.#known.get(block);
    if (known !== undefined) return known;
    if (this.#known.size >= blocksMax) this.#known.clear();
    const offset = parseOffset(this.#format.format(seconds * 1000));
    this.#known.set(block, offset);
    return offset;
  }
}

/** `12/31/1969, GMT-03:30` → -12600. Taking the parts apart instead would take three times as long. */
function parseOffset(text: string): number {
  const match = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  if (match === null) return 0;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}
