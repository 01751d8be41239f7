import { lengthBytes, readLength } from '../../../codecs/columns.ts';
import { areEqual, Numbers } from './numbers.ts';
import { roomFor } from './room.ts';
import { none, publisherBytes, type Rows, textBytes } from './rows.ts';

const two32 = 2 ** 32;
const dayNanos = 86_400e9;
/** From here on the call into native code beats a loop over words. */
const nativeBytesMin = 128;

/**
 * The records of a batch in the order of their table: by day, publisher, name (of SenML) and time. ClickHouse sorts a
 * block that is not in this order, for more than it costs to find the order here (benchmark: blocks): a device sends the
 * same names in every message, and times that grow. Records of one day, publisher and name are a series.
 */
export class TableOrder {
  /** Of each record, as `Rows` counts them: its place in the order. While that is not known: its series. */
  places = new Int32Array(0);
  /** Of each place: the record's time, the lower 32 bits first. */
  times = new Int32Array(0);
  /** The number of series, in their order: the first place of each, and after the last one the number of records. */
  series = 0;
  starts = new Int32Array(0);
  /** Of each series: where its name is. */
  names = new Int32Array(0);
  /** The same of groups, which are the series of one day and publisher. */
  groups = 0;
  groupStarts = new Int32Array(0);
  /** Of each group: where its publisher is. */
  publishers = new Int32Array(0);
  /** Of each message: the first record of an earlier one with the same labels and publisher, or `none`. */
  alike = new Int32Array(0);

  /** Publishers, by the day of their records. */
  readonly #groups = new Numbers();
  /** Names, by the group. */
  readonly #series = new Numbers();
  /** Of each group: its newest message, and its newest series. */
  #lastMessages = new Int32Array(0);
  #lastSeries = new Int32Array(0);
  /** Of each series: how many records it has, and later the place of its next one; the series of its group before it. */
  #counts = new Int32Array(0);
  #before = new Int32Array(0);
  /** Of each place: its record. */
  #recordAt = new Int32Array(0);
  /** Places while they are sorted by time. */
  #sorted = new Int32Array(0);
  #merged = new Int32Array(0);
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Sorts what the rows have now. */
  sort(): void {
    const { bytes, records, messages } = this.#rows;
    this.#groups.clear(bytes);
    this.#series.clear(bytes);
    this.places = roomFor(this.places, records);
    this.times = roomFor(this.times, records * 2);
    this.alike = roomFor(this.alike, messages);
    for (let message = 0; message < messages; message++) this.#number(message);
    this.#arrange();
    this.#place();
    for (let series = 0; series < this.series; series++) {
      if (this.#growsInTime(series)) continue;
      this.#sortByTime();
      break;
    }
  }

  /** Finds the series of each record of a message. */
  #number(message: number): void {
    const { publishers, firsts } = this.#rows;
    this.alike[message] = none;
    const day = this.#dayOf(message);
    if (Number.isNaN(day)) return this.#numberEach(message);
    const group = this.#group(publishers[message] ?? 0, day);
    const previous = this.#lastMessages[group] ?? none;
    this.#lastMessages[group] = message;
    if (previous === none || !this.#haveSameLabels(message, previous)) {
      return this.#numberEach(message);
    }
    const earlier = firsts[previous] ?? 0;
    const first = firsts[message] ?? 0;
    const end = firsts[message + 1] ?? 0;
    this.alike[message] = earlier;
    for (let record = first; record < end; record++) {
      const series = this.places[earlier + record - first] ?? 0;
      this.places[record] = series;
      this.#counts[series] = (this.#counts[series] ?? 0) + 1;
    }
  }

  /** The day of all records of a message; NaN if they are of several. */
  #dayOf(message: number): number {
    const { firsts, bytes, times } = this.#rows;
    const start = times.starts[message] ?? 0;
    const records = (firsts[message + 1] ?? 0) - (firsts[message] ?? 0);
    const day = dayAt(bytes, start);
    for (let record = 1; record < records; record++) {
      if (dayAt(bytes, start + record * 8) !== day) return Number.NaN;
    }
    return day;
  }

  #haveSameLabels(message: number, previous: number): boolean {
    const { labels, labelEnds, bytes, body } = this.#rows;
    const start = labels[message] ?? 0;
    const other = labels[previous] ?? 0;
    const length = (labelEnds[message] ?? 0) - start;
    if (length !== (labelEnds[previous] ?? 0) - other) return false;
    return length < nativeBytesMin
      ? areEqual(bytes, start, other, length)
      : body.compare(body, other, other + length, start, start + length) === 0;
  }

  #numberEach(message: number): void {
    const { body, bytes, firsts, publishers, times, names } = this.#rows;
    const first = firsts[message] ?? 0;
    const end = firsts[message + 1] ?? 0;
    const publisher = publishers[message] ?? 0;
    const timesStart = times.starts[message] ?? 0;
    let name = names?.starts[message] ?? none;
    let day = Number.NaN;
    let group = none;
    for (let record = first; record < end; record++) {
      const dayOfRecord = dayAt(bytes, timesStart + (record - first) * 8);
      if (dayOfRecord !== day) group = this.#group(publisher, dayOfRecord);
      day = dayOfRecord;
      const nameBytes = name === none ? 0 : textBytes(body, name);
      const series = this.#seriesBy(name === none ? publisher : name, nameBytes, group);
      this.places[record] = series;
      this.#counts[series] = (this.#counts[series] ?? 0) + 1;
      name += nameBytes;
    }
  }

  #group(publisher: number, day: number): number {
    const known = this.#groups.count;
    const group = this.#groups.of(publisher, publisherBytes, day);
    if (group < known) return group;
    this.#lastMessages = roomFor(this.#lastMessages, group + 1);
    this.#lastSeries = roomFor(this.#lastSeries, group + 1);
    this.#lastMessages[group] = none;
    this.#lastSeries[group] = none;
    return group;
  }

  /** The series of a group that has this name. */
  #seriesBy(name: number, nameBytes: number, group: number): number {
    const known = this.#series.count;
    const series = this.#series.of(name, nameBytes, group);
    if (series < known) return series;
    this.#counts = roomFor(this.#counts, series + 1);
    this.#before = roomFor(this.#before, series + 1);
    this.#counts[series] = 0;
    this.#before[series] = this.#lastSeries[group] ?? none;
    this.#lastSeries[group] = series;
    return series;
  }

  /** Puts the groups and their series in order, and finds the first place of each. */
  #arrange(): void {
    const count = this.#series.count;
    this.starts = roomFor(this.starts, count + 1);
    this.names = roomFor(this.names, count);
    this.groupStarts = roomFor(this.groupStarts, this.#groups.count + 1);
    this.publishers = roomFor(this.publishers, this.#groups.count);
    const sorted = Int32Array.from({ length: this.#groups.count }, (_, group) => group);
    sorted.sort((one, other) => this.#compareGroups(one, other));
    this.groups = 0;
    this.series = 0;
    let place = 0;
    for (const group of sorted) {
      this.groupStarts[this.groups] = place;
      this.publishers[this.groups] = this.#groups.starts[group] ?? 0;
      this.groups += 1;
      for (const series of this.#ofGroup(group)) {
        this.starts[this.series] = place;
        this.names[this.series] = this.#series.starts[series] ?? 0;
        this.series += 1;
        const records = this.#counts[series] ?? 0;
        this.#counts[series] = place;
        place += records;
      }
    }
    this.groupStarts[this.groups] = place;
    this.starts[this.series] = place;
  }

  /** By day and publisher. ClickHouse compares UUIDs by their second half first. */
  #compareGroups(one: number, other: number): number {
    const { starts, kinds: days } = this.#groups;
    const { bytes } = this.#rows;
    const [start, otherStart] = [starts[one] ?? 0, starts[other] ?? 0];
    return (
      (days[one] ?? 0) - (days[other] ?? 0) ||
      bytes.getUint32(start + 12, true) - bytes.getUint32(otherStart + 12, true) ||
      bytes.getUint32(start + 8, true) - bytes.getUint32(otherStart + 8, true) ||
      bytes.getUint32(start + 4, true) - bytes.getUint32(otherStart + 4, true) ||
      bytes.getUint32(start, true) - bytes.getUint32(otherStart, true)
    );
  }

  /** The series of a group, in the order of their names. */
  #ofGroup(group: number): number[] {
    const all: number[] = [];
    let series = this.#lastSeries[group] ?? none;
    for (; series !== none; series = this.#before[series] ?? none) all.push(series);
    return all.toSorted((one, other) => this.#compareNames(one, other));
  }

  /** By their bytes; one that another begins with comes first. */
  #compareNames(one: number, other: number): number {
    const { body } = this.#rows;
    const [entry, otherEntry] = [this.#series.starts[one] ?? 0, this.#series.starts[other] ?? 0];
    const [length, otherLength] = [readLength(body, entry), readLength(body, otherEntry)];
    const start = entry + lengthBytes(length);
    const otherStart = otherEntry + lengthBytes(otherLength);
    const shared = Math.min(length, otherLength);
    for (let at = 0; at < shared; at++) {
      const difference = (body[start + at] ?? 0) - (body[otherStart + at] ?? 0);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }

  /** Gives each record its place, in the order in which those of a series came. */
  #place(): void {
    const { records } = this.#rows;
    for (let record = 0; record < records; record++) {
      const series = this.places[record] ?? 0;
      const place = this.#counts[series] ?? 0;
      this.#counts[series] = place + 1;
      this.places[record] = place;
    }
    this.#placeTimes();
  }

  #placeTimes(): void {
    const { messages, firsts, bytes, times: all } = this.#rows;
    const { places, times } = this;
    for (let message = 0; message < messages; message++) {
      const end = firsts[message + 1] ?? 0;
      let at = all.starts[message] ?? 0;
      for (let record = firsts[message] ?? 0; record < end; record++, at += 8) {
        const place = (places[record] ?? 0) * 2;
        times[place] = bytes.getInt32(at, true);
        times[place + 1] = bytes.getInt32(at + 4, true);
      }
    }
  }

  #growsInTime(series: number): boolean {
    const end = this.starts[series + 1] ?? 0;
    for (let place = (this.starts[series] ?? 0) + 1; place < end; place++) {
      if (this.#compareTimes(place - 1, place) > 0) return false;
    }
    return true;
  }

  /** For series whose records did not come in the order of their times. */
  #sortByTime(): void {
    const recordAt = this.#findRecords();
    for (let series = 0; series < this.series; series++) {
      if (this.#growsInTime(series)) continue;
      const start = this.starts[series] ?? 0;
      const count = (this.starts[series + 1] ?? 0) - start;
      this.#mergeRuns(start, count);
      for (let at = 0; at < count; at++) {
        this.places[recordAt[this.#sorted[at] ?? 0] ?? 0] = start + at;
      }
    }
    this.#placeTimes();
  }

  /** Of each place: its record. */
  #findRecords(): Int32Array {
    const { records } = this.#rows;
    this.#recordAt = roomFor(this.#recordAt, records);
    for (let record = 0; record < records; record++) {
      this.#recordAt[this.places[record] ?? 0] = record;
    }
    return this.#recordAt;
  }

  /**
   * Puts so many places from `start` on into `#sorted`, by their times. What a message brought is in order already: such
   * runs are merged, two by two.
   */
  #mergeRuns(start: number, count: number): void {
    this.#sorted = roomFor(this.#sorted, count);
    this.#merged = roomFor(this.#merged, count);
    for (let at = 0; at < count; at++) this.#sorted[at] = start + at;
    for (let runs = 2; runs > 1; ) {
      runs = 0;
      for (let from = 0; from < count; runs++) {
        const middle = this.#runEnd(from, count);
        const to = this.#runEnd(middle, count);
        this.#merge(from, middle, to);
        from = to;
      }
      [this.#sorted, this.#merged] = [this.#merged, this.#sorted];
    }
  }

  /** Where the run that begins at `from` ends. */
  #runEnd(from: number, count: number): number {
    let at = from + 1;
    while (
      at < count &&
      this.#compareTimes(this.#sorted[at - 1] ?? 0, this.#sorted[at] ?? 0) <= 0
    ) {
      at += 1;
    }
    return Math.min(at, count);
  }

  #merge(from: number, middle: number, to: number): void {
    let one = from;
    let other = middle;
    for (let at = from; at < to; at++) {
      const isOne =
        other >= to ||
        (one < middle && this.#compareTimes(this.#sorted[one] ?? 0, this.#sorted[other] ?? 0) <= 0);
      this.#merged[at] = this.#sorted[isOne ? one++ : other++] ?? 0;
    }
  }

  /** Of the records at two places. */
  #compareTimes(one: number, other: number): number {
    const { times } = this;
    return (
      (times[one * 2 + 1] ?? 0) - (times[other * 2 + 1] ?? 0) ||
      ((times[one * 2] ?? 0) >>> 0) - ((times[other * 2] ?? 0) >>> 0)
    );
  }
}

/** The day of the time at `offset`, as `dayOf` of the tables has it. */
function dayAt(bytes: DataView, offset: number): number {
  // Not exact for some nanoseconds around midnight: ClickHouse sorts a block again where that matters.
  const nanos = bytes.getInt32(offset + 4, true) * two32 + bytes.getUint32(offset, true);
  return Math.trunc(nanos / dayNanos);
}
