import { writeLength } from '../../../codecs/columns.ts';
import { growth } from './room.ts';
import { textBytes } from './rows.ts';

const bytesMin = 4 * 1024 * 1024;
const lengthBytesMax = 5;
/** Up to here a loop over bytes beats the call into native code. */
const loopedBytesMax = 16;

/**
 * The head of a column of low cardinality: its version, and that its dictionary comes with the block and has positions of
 * 32 bits (ClickHouse, SerializationLowCardinality.cpp).
 */
const dictionaryVersion = 1;
const dictionaryFlags = 0x602;

/** What ClickHouse's Native format is made of. Who writes numbers has reserved room, and puts them at `end`. */
export class NativeBytes {
  bytes = Buffer.allocUnsafeSlow(bytesMin);
  /** The same bytes. */
  view = new DataView(this.bytes.buffer);
  end = 0;

  /** Begins a block. */
  begin(columns: number, records: number): void {
    this.end = 0;
    this.reserve(2 * lengthBytesMax);
    this.#length(columns);
    this.#length(records);
  }

  /** Begins a column, whose data follows. */
  column(name: string, type: string): void {
    this.reserve(2 * lengthBytesMax + name.length + type.length);
    for (const text of [name, type]) {
      this.#length(text.length);
      this.end += this.bytes.write(text, this.end, 'latin1');
    }
  }

  /** Begins the dictionary of a column. So many keys follow, with so many bytes; then the positions, for which it has room. */
  dictionary(keys: number, keyBytes: number, records: number): void {
    this.reserve(4 * 8 + keyBytes + records * 4);
    this.#count(dictionaryVersion);
    this.#count(dictionaryFlags);
    this.#count(keys);
  }

  /**
   * After a dictionary: the position in it of each record's key, in 32 bits. Records that follow each other have the same:
   * so many runs of them, which begin at these places; the first run has the position `first`.
   */
  positions(runs: number, starts: Int32Array, first: number): void {
    const begin = this.placePositions(starts[runs] ?? 0);
    let to = begin;
    for (let run = 0; run < runs; run++) {
      const end = begin + (starts[run + 1] ?? 0) * 4;
      for (; to < end; to += 4) this.view.setInt32(to, run + first, true);
    }
  }

  /** The same, but the caller writes them. Returns where they begin. */
  placePositions(records: number): number {
    this.#count(records);
    const begin = this.end;
    this.end += records * 4;
    return begin;
  }

  /** A whole dictionary: the empty text, then those that stand in `body` at these offsets, each with its length. */
  texts(body: Buffer, offsets: Int32Array, count: number, records: number): void {
    let bytes = 1;
    for (let at = 0; at < count; at++) bytes += textBytes(body, offsets[at] ?? 0);
    this.dictionary(count + 1, bytes, records);
    this.emptyText();
    for (let at = 0; at < count; at++) this.copyText(body, offsets[at] ?? 0);
  }

  emptyText(): void {
    this.bytes[this.end++] = 0;
  }

  /** Copies the text at `entry` with its length. */
  copyText(body: Buffer, entry: number): void {
    const bytes = textBytes(body, entry);
    if (bytes > loopedBytesMax) body.copy(this.bytes, this.end, entry, entry + bytes);
    else for (let i = 0; i < bytes; i++) this.bytes[this.end + i] = body[entry + i] ?? 0;
    this.end += bytes;
  }

  reserve(more: number): void {
    const needed = this.end + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * growth));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  #length(length: number): void {
    this.end = writeLength(this.bytes, this.end, length);
  }

  /** As 64 bits. */
  #count(count: number): void {
    this.end = this.bytes.writeBigUInt64LE(BigInt(count), this.end);
  }
}
