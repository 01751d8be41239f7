import { none } from './series-cache.ts';

/** The rows of a body: which records each has, as a list, and what its columns take. */
export class LineRows {
  count = 0;
  /** Of each row: its series, its first record, and how many it has. */
  readonly series: Int32Array;
  readonly firsts: Int32Array;
  readonly records: Int32Array;
  /** Of each record: the next one of its row, or `none`. */
  readonly nexts: Int32Array;
  /** Of each row: the bytes of its names. */
  readonly nameBytes: Int32Array;
  /** Of each row: whether any record has a value that is not 0, or another kind than a number. */
  readonly numbers: Uint8Array;
  readonly otherKinds: Uint8Array;
  /** Of each row: how many records have a text, and the bytes of these. */
  readonly texts: Int32Array;
  readonly textBytes: Int32Array;
  readonly #lasts: Int32Array;
  /** Of each series: the row that it had in this body or one before. */
  #rowOf = new Int32Array(1024);

  constructor(capacity: number) {
    const numbers = () => new Int32Array(capacity);
    this.series = numbers();
    this.firsts = numbers();
    this.records = numbers();
    this.nexts = numbers();
    this.nameBytes = numbers();
    this.texts = numbers();
    this.textBytes = numbers();
    this.#lasts = numbers();
    this.numbers = new Uint8Array(capacity);
    this.otherKinds = new Uint8Array(capacity);
  }

  clear(): void {
    this.count = 0;
  }

  /** The row of a series; a new one for the first line of it. */
  of(series: number): number {
    const known = this.#rowOf[series] ?? none;
    if (known !== none && known < this.count && this.series[known] === series) return known;
    if (series >= this.#rowOf.length) {
      const larger = new Int32Array(Math.max(series + 1, this.#rowOf.length * 2));
      larger.set(this.#rowOf);
      this.#rowOf = larger;
    }
    const row = this.count;
    this.count += 1;
    this.#rowOf[series] = row;
    this.series[row] = series;
    this.records[row] = 0;
    this.nameBytes[row] = 0;
    this.numbers[row] = 0;
    this.otherKinds[row] = 0;
    this.texts[row] = 0;
    this.textBytes[row] = 0;
    return row;
  }

  append(row: number, record: number): void {
    const before = this.records[row] ?? 0;
    if (before === 0) this.firsts[row] = record;
    else this.nexts[this.#lasts[row] ?? 0] = record;
    this.#lasts[row] = record;
    this.nexts[record] = none;
    this.records[row] = before + 1;
  }

  addText(row: number, bytes: number): void {
    this.texts[row] = (this.texts[row] ?? 0) + 1;
    this.textBytes[row] = (this.textBytes[row] ?? 0) + bytes;
  }
}
