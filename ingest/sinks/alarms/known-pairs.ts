import type { Judged } from '../../../infra/runtime/alarms/conditions.ts';
import type { Newest } from '../../../infra/runtime/alarms/machine.ts';
import { NotOkStates } from './not-ok.ts';

/** The slot of a pair that is not here. */
export const absent = -1;

const idWords = 4;
const firstRoom = 1_024;
/** The tables grow by a quarter: what is not used yet takes memory too. */
const growth = 1.25;
const moveMembers = 4;
/** Room for so many members of moves stays between batches: 4 MiB. */
const movesKeptMax = 524_288;

/**
 * Things under rules, with the newest record of each series, and the states of those that are not ok. A million of them are
 * in columns, some 45 bytes for each with one series.
 *
 * A thing is given as its 16 bytes in RowBinary, a rule by its number.
 */
export class KnownPairs {
  /** Of how many series each is. */
  readonly series: number;
  size = 0;
  #room = firstRoom;
  #things = new Int32Array(firstRoom * idWords);
  #rules = new Int32Array(firstRoom);
  #times: Float64Array;
  #intervals: Float32Array;
  #intervalsBefore: Float32Array;
  #values: Float64Array;
  #flags: Uint8Array;
  /** Those that are not ok. */
  readonly notOk = new NotOkStates();
  /** How slots were before they were moved: the slot, time, interval and flags of each in turn. */
  #moves = new Float64Array(firstRoom * moveMembers);
  #movesEnd = 0;
  /** Which was asked for last. */
  #found = absent;
  /** By hash the slot, or `absent`. Twice as many as there is room, as a power of two. */
  #index = new Int32Array(4 * firstRoom).fill(absent);

  constructor(series: number) {
    this.series = series;
    this.#times = new Float64Array(firstRoom * series).fill(-Infinity);
    this.#intervals = new Float32Array(firstRoom * series);
    // Of a single series the record that fires has the value, and makes its interval the one before.
    const others = series === 1 ? 0 : firstRoom * series;
    this.#intervalsBefore = new Float32Array(others);
    this.#values = new Float64Array(others);
    this.#flags = new Uint8Array(firstRoom * series);
  }

  /** Its columns as bytes, for a snapshot. */
  columns(): Uint8Array[] {
    const { size } = this;
    const entries = size * this.series;
    return [
      this.#things.subarray(0, size * idWords),
      this.#rules.subarray(0, size),
      this.#times.subarray(0, entries),
      this.#intervals.subarray(0, entries),
      this.#intervalsBefore.subarray(0, this.series === 1 ? 0 : entries),
      this.#values.subarray(0, this.series === 1 ? 0 : entries),
      this.#flags.subarray(0, entries),
    ].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
  }

  /** Those whose `columns` stand there, one after the other; and the offset after them. */
  static of(series: number, size: number, source: Buffer, start: number) {
    const pairs = new KnownPairs(series);
    while (pairs.#room < size) pairs.#grow();
    pairs.size = size;
    let at = start;
    for (const column of pairs.columns()) {
      column.set(source.subarray(at, at + column.length));
      at += column.length;
    }
    for (let slot = 0; slot < size; slot++) pairs.#enter(slot);
    return { pairs, end: at };
  }

  /** The bytes that it takes. */
  get bytes(): number {
    return [
      this.#things,
      this.#rules,
      this.#times,
      this.#intervals,
      this.#intervalsBefore,
      this.#values,
      this.#flags,
      this.#index,
    ].reduce((sum, column) => sum + column.byteLength, 0);
  }

  /** Its slot, or `absent`. A thing that has several rules usually has them one after the other. */
  find(thing: DataView, at: number, rule: number): number {
    const next = this.#found + 1;
    if (next < this.size && this.#isAt(next, thing, at, rule)) return (this.#found = next);
    return (this.#found = this.#lookUp(thing, at, rule));
  }

  #lookUp(thing: DataView, at: number, rule: number): number {
    const mask = this.#index.length - 1;
    for (let place = hashOf(thing, at, rule) & mask; ; place = (place + 1) & mask) {
      const slot = this.#index[place] ?? absent;
      if (slot === absent || this.#isAt(slot, thing, at, rule)) return slot;
    }
  }

  /** A slot for what is not here yet. */
  add(thing: DataView, at: number, rule: number): number {
    if (this.size === this.#room) this.#grow();
    const slot = this.size++;
    for (let word = 0; word < idWords; word++) {
      this.#things[slot * idWords + word] = thing.getInt32(at + word * 4);
    }
    this.#rules[slot] = rule;
    this.#enter(slot);
    return slot;
  }

  /** The time of the newest record of a series; -Infinity: there was none. */
  timeAt(slot: number, series: number): number {
    return this.#times[slot * this.series + series] ?? -Infinity;
  }

  newestAt(slot: number): (Newest | undefined)[] {
    return Array.from({ length: this.series }, (_, series) => {
      const at = slot * this.series + series;
      const timeUs = this.#times[at] ?? -Infinity;
      if (timeUs === -Infinity) return undefined;
      const value = this.#values[at];
      const flags = this.#flags[at] ?? 0;
      return {
        timeUs,
        intervalUs: this.#intervals[at] ?? 0,
        intervalBeforeUs: this.#intervalsBefore[at] ?? 0,
        breach: (flags & 1) !== 0,
        clears: (flags & 2) !== 0,
        value: value === undefined || Number.isNaN(value) ? undefined : value,
      };
    });
  }

  put(slot: number, newest: readonly (Newest | undefined)[]): void {
    for (const [series, one] of newest.entries()) {
      const at = slot * this.series + series;
      this.#times[at] = one?.timeUs ?? -Infinity;
      this.#intervals[at] = one?.intervalUs ?? 0;
      this.#flags[at] = one === undefined ? 0 : flagsOf(one);
      if (this.series > 1) {
        this.#intervalsBefore[at] = one?.intervalBeforeUs ?? 0;
        this.#values[at] = typeof one?.value === 'number' ? one.value : Number.NaN;
      }
    }
  }

  /** Gives a single series its newest record. `undoMoves` takes it back. */
  move(slot: number, timeUs: number, judged: Judged): void {
    const before = this.#times[slot] ?? -Infinity;
    if (this.#movesEnd === this.#moves.length) {
      const grown = new Float64Array(2 * this.#moves.length);
      grown.set(this.#moves);
      this.#moves = grown;
    }
    const at = this.#movesEnd;
    this.#moves[at] = slot;
    this.#moves[at + 1] = before;
    this.#moves[at + 2] = this.#intervals[slot] ?? 0;
    this.#moves[at + 3] = this.#flags[slot] ?? 0;
    this.#movesEnd = at + moveMembers;
    this.#intervals[slot] = before === -Infinity ? 0 : timeUs - before;
    this.#times[slot] = timeUs;
    this.#flags[slot] = flagsOf(judged);
  }

  /** From here on moves can't be taken back. */
  keepMoves(): void {
    this.#movesEnd = 0;
    // One large batch is no reason to hold tens of megabytes from then on.
    if (this.#moves.length > movesKeptMax) this.#moves = new Float64Array(movesKeptMax);
  }

  undoMoves(): void {
    for (let at = this.#movesEnd - moveMembers; at >= 0; at -= moveMembers) {
      const slot = this.#moves[at] ?? 0;
      this.#times[slot] = this.#moves[at + 1] ?? 0;
      this.#intervals[slot] = this.#moves[at + 2] ?? 0;
      this.#flags[slot] = this.#moves[at + 3] ?? 0;
    }
    this.keepMoves();
  }

  /** Calls `each` with all slots: the thing is in the view at the offset. */
  forEach(each: (slot: number, thing: DataView, at: number, rule: number) => void): void {
    const view = new DataView(new ArrayBuffer(idWords * 4));
    for (let slot = 0; slot < this.size; slot++) {
      for (let word = 0; word < idWords; word++) {
        view.setInt32(word * 4, this.#things[slot * idWords + word] ?? 0);
      }
      each(slot, view, 0, this.#rules[slot] ?? 0);
    }
  }

  #isAt(slot: number, thing: DataView, at: number, rule: number): boolean {
    if (this.#rules[slot] !== rule) return false;
    for (let word = 0; word < idWords; word++) {
      if (this.#things[slot * idWords + word] !== thing.getInt32(at + word * 4)) return false;
    }
    return true;
  }

  #enter(slot: number): void {
    const mask = this.#index.length - 1;
    const at = slot * idWords;
    let place = hashWords(
      this.#things[at] ?? 0,
      this.#things[at + 1] ?? 0,
      this.#things[at + 2] ?? 0,
      this.#things[at + 3] ?? 0,
      this.#rules[slot] ?? 0,
    );
    for (place &= mask; this.#index[place] !== absent; ) place = (place + 1) & mask;
    this.#index[place] = slot;
  }

  #grow(): void {
    const room = Math.ceil(this.#room * growth);
    const grown = <Column extends Float64Array | Float32Array | Int32Array | Uint8Array>(
      column: Column,
      into: Column,
    ): Column => {
      into.set(column);
      return into;
    };
    const entries = room * this.series;
    this.#things = grown(this.#things, new Int32Array(room * idWords));
    this.#rules = grown(this.#rules, new Int32Array(room));
    this.#times = grown(this.#times, new Float64Array(entries).fill(-Infinity));
    this.#intervals = grown(this.#intervals, new Float32Array(entries));
    this.#flags = grown(this.#flags, new Uint8Array(entries));
    if (this.series > 1) {
      this.#intervalsBefore = grown(this.#intervalsBefore, new Float32Array(entries));
      this.#values = grown(this.#values, new Float64Array(entries));
    }
    this.#room = room;
    if (this.#index.length >= room * 1.5) return;
    this.#index = new Int32Array(this.#index.length * 2).fill(absent);
    for (let slot = 0; slot < this.size; slot++) this.#enter(slot);
  }
}

const flagsOf = ({ breach, clears }: Judged): number => (breach ? 1 : 0) | (clears ? 2 : 0);

const hashOf = (thing: DataView, at: number, rule: number): number =>
  hashWords(
    thing.getInt32(at),
    thing.getInt32(at + 4),
    thing.getInt32(at + 8),
    thing.getInt32(at + 12),
    rule,
  );

function hashWords(a: number, b: number, c: number, d: number, rule: number): number {
  let hash = Math.imul(a ^ rule, 0x9e3779b1) ^ b;
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) ^ c;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) ^ d;
  return hash ^ (hash >>> 16);
}
