import { lengthBytes, writeLength } from '../columns.ts';
import type { Series } from './series.ts';

export const none = -1;

const space = 0x20;

const slotsMin = 1024;
/** A key, and what is made of it, take some 200 bytes: three numbers of this many bytes in all. */
const seriesMax = 131_072;
const bytesMax = 32 * 1024 * 1024;

/** A series that finds no place so near is not found again: whoever makes up keys of one hash pays for them alone. */
const probesMax = 64;

/** FNV-1a, of 32 bits. */
const hashPrime = 0x01000193;
export const hashWith = (hash: number, byte: number): number => Math.imul(hash ^ byte, hashPrime);

/** Texts of one kind, one after the other: where each begins, and the end. */
class Texts {
  bytes = Buffer.allocUnsafeSlow(64 * 1024);
  /** The same bytes, for what is read in words. */
  view = new DataView(this.bytes.buffer);
  starts = new Int32Array(slotsMin);
  end = 0;

  /** The text of the entry after those that are here; `bytes` of it are written by `write`. */
  add(entry: number, bytes: number, write: (target: Buffer, offset: number) => void): void {
    if (this.end + bytes > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.end + bytes, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, this.end);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    this.starts = withRoom(this.starts, entry + 2);
    this.starts[entry] = this.end;
    write(this.bytes, this.end);
    this.end += bytes;
    this.starts[entry + 1] = this.end;
  }
}

function withRoom(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Int32Array(Math.max(length, array.length * 2));
  larger.set(array);
  return larger;
}

/** A text as RowBinary has it: after its length. */
function addText(texts: Texts, entry: number, text: string): void {
  const length = Buffer.byteLength(text);
  texts.add(entry, lengthBytes(length) + length, (target, offset) => {
    target.write(text, writeLength(target, offset, length));
  });
}

/**
 * The bytes that begin a line → what its measurement and tags say, as the log has it. A device sends the same ones again
 * and again, and to read them takes longer than all else of a line (benchmark: lines). It keeps so many, and is emptied
 * before a body when it is full.
 */
export class SeriesCache {
  count = 0;
  /** In RowBinary. */
  readonly names = new Texts();
  readonly units = new Texts();
  readonly subtopics = new Texts();
  /**
   * Of a row of one record: its subtopic and all up to its time. As a client sends a point of each series, most rows have
   * one record, and to copy this at once takes half as long (benchmark: micro).
   */
  readonly heads = new Texts();
  devices: string[] = [];
  /** Of each series: the one that came after it last time, or `none`. */
  followers = new Int32Array(slotsMin);
  readonly #keys = new Texts();
  readonly #texts = [this.#keys, this.names, this.units, this.subtopics, this.heads];
  #hashes = new Int32Array(slotsMin);
  /** For each hash: a series with it; more than half of them are free. */
  #slots = new Int32Array(slotsMin).fill(none);

  get isFull(): boolean {
    const bytes = this.#texts.reduce((sum, { end }) => sum + end, 0);
    return this.count >= seriesMax || bytes >= bytesMax;
  }

  /** The series whose key stands in the body from `start` to `end`, or `none`. */
  find(body: Uint8Array, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const place = placeOf(hash);
    for (let probe = 0; probe < probesMax; probe++) {
      const series = slots[(place + probe) & mask] ?? none;
      if (series === none) return none;
      if (this.#hashes[series] === hash && this.#hasKey(series, body, start, end)) return series;
    }
    return none;
  }

  /** The bytes of the key of a series, if it stands at `start`, with a space after it; otherwise `none`. */
  keyBytesAt(series: number, body: DataView, start: number): number {
    const { view, starts } = this.#keys;
    const key = starts[series] ?? 0;
    const length = (starts[series + 1] ?? 0) - key;
    if (start + length >= body.byteLength || body.getUint8(start + length) !== space) return none;
    let at = 0;
    for (; at + 4 <= length; at += 4) {
      if (view.getInt32(key + at) !== body.getInt32(start + at)) return none;
    }
    for (; at < length; at++) {
      if (view.getUint8(key + at) !== body.getUint8(start + at)) return none;
    }
    return length;
  }

  #hasKey(series: number, body: Uint8Array, start: number, end: number): boolean {
    const { bytes, starts } = this.#keys;
    const key = starts[series] ?? 0;
    if ((starts[series + 1] ?? 0) - key !== end - start) return false;
    for (let at = start, to = key; at < end; at++, to++) if (body[at] !== bytes[to]) return false;
    return true;
  }

  /** The bytes of a series' measurement. */
  measurementBytes(series: number): number {
    const { starts } = this.names;
    const bytes = (starts[series + 1] ?? 0) - (starts[series] ?? 0);
    // Without those of its length.
    return bytes - lengthBytes(bytes - lengthBytes(bytes));
  }

  /** Remembers a series that was not found. */
  add(key: Uint8Array, hash: number, { measurement, unit, subtopic, device }: Series): number {
    const series = this.count;
    this.count += 1;
    this.#keys.add(series, key.length, (target, offset) => target.set(key, offset));
    addText(this.names, series, measurement);
    addText(this.units, series, unit);
    addText(this.subtopics, series, subtopic);
    this.#addHead(series);
    this.devices[series] = device;
    this.followers = withRoom(this.followers, this.count);
    this.followers[series] = none;
    this.#hashes = withRoom(this.#hashes, this.count);
    this.#hashes[series] = hash;
    if (this.count * 2 > this.#slots.length) this.#rehash();
    else this.#enter(series);
    return series;
  }

  #addHead(series: number): void {
    const of = ({ bytes, starts }: Texts) => bytes.subarray(starts[series], starts[series + 1]);
    const unit = of(this.units);
    const one = Uint8Array.of(1);
    // No unit is an empty array.
    const units = unit.length > 1 ? [one, unit] : [unit];
    const head = Buffer.concat([of(this.subtopics), one, of(this.names), ...units, one]);
    this.heads.add(series, head.length, (target, offset) => target.set(head, offset));
  }

  clear(): void {
    this.count = 0;
    this.devices = [];
    for (const texts of this.#texts) texts.end = 0;
    this.#slots.fill(none);
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 4).fill(none);
    for (let series = 0; series < this.count; series++) this.#enter(series);
  }

  #enter(series: number): void {
    const mask = this.#slots.length - 1;
    const place = placeOf(this.#hashes[series] ?? 0);
    for (let probe = 0; probe < probesMax; probe++) {
      const slot = (place + probe) & mask;
      if (this.#slots[slot] !== none) continue;
      this.#slots[slot] = series;
      return;
    }
  }
}

/** The lower bits of FNV differ least. */
const placeOf = (hash: number): number => hash ^ (hash >>> 15);
