import { StringColumn, TimeColumn } from '../columns.ts';
import { NameColumn } from './names.ts';

/** Which of the value fields of RFC 8428 a record has; `none`: only a sum. */
export const kinds = { value: 0, string: 1, bool: 2, data: 3, none: 4 } as const;
export type Kind = (typeof kinds)[keyof typeof kinds];

/**
 * The resolved records of one message, column by column. One object for all messages: `clear`, then fill.
 * Strings are the bytes of RowBinary from the start, so that encoding them is one copy.
 */
export class SenmlColumnBatch {
  readonly kind = 'batch';
  readonly format = 'senml';
  readonly capacity: number;
  count = 0;
  readonly names: NameColumn;
  /** Empty: no unit. */
  readonly units = new StringColumn();
  readonly times: TimeColumn;
  readonly kinds: Buffer;
  /** The number; 0 or 1 for a bool. */
  readonly values: Float64Array;
  readonly valueBytes: Buffer;
  /** The string value, or the data value in base64url. */
  readonly texts = new StringColumn();
  readonly sums: Float64Array;
  readonly hasSum: Uint8Array;
  /** Seconds. */
  readonly updateTimes: Float64Array;
  readonly hasUpdateTime: Uint8Array;
  /** How many records have each of these. A column that no record has is left out. */
  otherKinds = 0;
  numbers = 0;
  sumCount = 0;
  updateTimeCount = 0;

  constructor(capacity: number, nameCharsMax: number) {
    this.capacity = capacity;
    this.names = new NameColumn(nameCharsMax);
    this.times = new TimeColumn(capacity);
    this.kinds = Buffer.alloc(capacity);
    this.values = new Float64Array(capacity);
    this.valueBytes = Buffer.from(this.values.buffer);
    this.sums = new Float64Array(capacity);
    this.hasSum = new Uint8Array(capacity);
    this.updateTimes = new Float64Array(capacity);
    this.hasUpdateTime = new Uint8Array(capacity);
  }

  clear(): void {
    this.count = 0;
    this.names.clear();
    this.units.clear();
    this.texts.clear();
    this.otherKinds = 0;
    this.numbers = 0;
    this.sumCount = 0;
    this.updateTimeCount = 0;
  }

  /**
   * Appends the records of another message. They must fit `capacity`. False: their texts are too long together, and
   * what is here is no longer whole.
   */
  append(other: SenmlColumnBatch): boolean {
    const { count } = this;
    const more = other.count;
    if (!this.names.column.appendColumn(other.names.column)) return false;
    if (!this.units.appendColumn(other.units, count, more)) return false;
    if (!this.texts.appendColumn(other.texts, count, more)) return false;
    this.times.appendColumn(other.times, count, more);
    for (let at = 0; at < more; at++) this.values[count + at] = other.values[at] ?? 0;
    this.#appendSparse(other);
    this.numbers += other.numbers;
    this.count = count + more;
    return true;
  }

  /** Of a column that none uses, the entries are anything. */
  #appendSparse(other: SenmlColumnBatch): void {
    const { count } = this;
    const more = other.count;
    if (this.otherKinds + other.otherKinds > 0) {
      extend(this.kinds, this.otherKinds > 0, other.kinds, other.otherKinds > 0, count, more);
    }
    if (this.sumCount + other.sumCount > 0) {
      extend(this.hasSum, this.sumCount > 0, other.hasSum, other.sumCount > 0, count, more);
      for (let at = 0; at < more; at++) this.sums[count + at] = other.sums[at] ?? 0;
    }
    const [own, others] = [this.updateTimeCount, other.updateTimeCount];
    if (own + others > 0) {
      extend(this.hasUpdateTime, own > 0, other.hasUpdateTime, others > 0, count, more);
      for (let at = 0; at < more; at++) this.updateTimes[count + at] = other.updateTimes[at] ?? 0;
    }
    this.otherKinds += other.otherKinds;
    this.sumCount += other.sumCount;
    this.updateTimeCount += other.updateTimeCount;
  }
}

/** Puts `more` flags after `count` of them. Those of a message that uses none are zero. */
function extend(
  flags: Uint8Array,
  isUsed: boolean,
  others: Uint8Array,
  areUsed: boolean,
  count: number,
  more: number,
): void {
  if (!isUsed) flags.fill(0, 0, count);
  if (!areUsed) flags.fill(0, count, count + more);
  else for (let at = 0; at < more; at++) flags[count + at] = others[at] ?? 0;
}
