import {
  ByteColumn,
  lengthBytes,
  prefixBytesMax,
  readLength,
  TimeColumn,
  writeLength,
} from '../columns.ts';
import { type Kind, kinds } from '../senml/column-batch.ts';
import { LineRows } from './rows.ts';
import { none, SeriesCache } from './series-cache.ts';

const dot = 0x2e;

/**
 * The records of one body of line protocol, column by column, and the rows that they become: those of one series share
 * one. One object for all bodies: `clear`, then fill, a line at a time.
 */
export class LineBatch {
  readonly kind = 'batch';
  readonly capacity: number;
  count = 0;
  readonly times: TimeColumn;
  readonly kinds: Uint8Array;
  /** The number; 0 or 1 for a boolean. */
  readonly values: Float64Array<ArrayBuffer>;
  /** Of each record: where its name is in `names`; `none`: its name is the measurement alone. */
  readonly nameAts: Int32Array;
  readonly names = new ByteColumn();
  /** Of each record: where its text is in `texts`, or `none`. */
  readonly textAts: Int32Array;
  readonly texts = new ByteColumn();
  readonly series: SeriesCache = new SeriesCache();
  readonly rows: LineRows;

  // As they were before the line that is being read.
  #lineStart = 0;
  #namesStart = 0;
  #textsStart = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.times = new TimeColumn(capacity);
    this.kinds = new Uint8Array(capacity);
    this.values = new Float64Array(capacity);
    this.nameAts = new Int32Array(capacity);
    this.textAts = new Int32Array(capacity);
    this.rows = new LineRows(capacity);
  }

  clear(): void {
    this.count = 0;
    this.names.end = 0;
    this.texts.end = 0;
    this.rows.clear();
    if (this.series.isFull) this.series.clear();
  }

  /** A line begins. */
  begin(): void {
    this.#lineStart = this.count;
    this.#namesStart = this.names.end;
    this.#textsStart = this.texts.end;
  }

  /** Leaves out the line that began last. */
  takeBack(): void {
    this.count = this.#lineStart;
    this.names.end = this.#namesStart;
    this.texts.end = this.#textsStart;
  }

  /** Appends a record with the measurement for its name. False: there is no room. */
  add(kind: Kind, value: number): boolean {
    const { count } = this;
    if (count >= this.capacity) return false;
    this.kinds[count] = kind;
    this.values[count] = value;
    this.nameAts[count] = none;
    this.textAts[count] = none;
    this.count = count + 1;
    return true;
  }

  /** Gives the last record a name: the measurement of the series, a dot, and the key of its field. */
  name(series: number, key: Uint8Array, start: number, end: number): boolean {
    const { names } = this;
    const { bytes: measurements, starts } = this.series.names;
    const measurementEnd = starts[series + 1] ?? 0;
    const measurement = measurementEnd - this.series.measurementBytes(series);
    const length = measurementEnd - measurement + 1 + end - start;
    if (!names.reserve(prefixBytesMax + length)) return false;
    this.nameAts[this.count - 1] = names.end;
    const { bytes } = names;
    let to = writeLength(bytes, names.end, length);
    for (let at = measurement; at < measurementEnd; at++) bytes[to++] = measurements[at] ?? 0;
    bytes[to++] = dot;
    for (let at = start; at < end; at++) bytes[to++] = key[at] ?? 0;
    names.end = to;
    return true;
  }

  /** Gives the last record a text. */
  text(source: Uint8Array, start: number, end: number): boolean {
    const { texts } = this;
    const length = end - start;
    if (!texts.reserve(prefixBytesMax + length)) return false;
    this.textAts[this.count - 1] = texts.end;
    const to = writeLength(texts.bytes, texts.end, length);
    texts.bytes.set(source.subarray(start, end), to);
    texts.end = to + length;
    return true;
  }

  /** The line is whole: its records are of this series, and have this time. */
  end(series: number, seconds: number, nanos: number): void {
    const { rows, values, nameAts, textAts } = this;
    const { starts } = this.series.names;
    const measurementBytes = (starts[series + 1] ?? 0) - (starts[series] ?? 0);
    const row = rows.of(series);
    for (let record = this.#lineStart; record < this.count; record++) {
      this.times.set(record, seconds, nanos);
      rows.append(row, record);
      const name = nameAts[record] ?? none;
      const nameBytes = name === none ? measurementBytes : textBytes(this.names.bytes, name);
      rows.nameBytes[row] = (rows.nameBytes[row] ?? 0) + nameBytes;
      if (!Object.is(values[record], 0)) rows.numbers[row] = 1;
      if (this.kinds[record] === kinds.value) continue;
      rows.otherKinds[row] = 1;
      const text = textAts[record] ?? none;
      if (text !== none) rows.addText(row, textBytes(this.texts.bytes, text));
    }
  }
}

function textBytes(bytes: Uint8Array, at: number): number {
  const length = readLength(bytes, at);
  return lengthBytes(length) + length;
}
