import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import {
  before,
  frameFormat,
  frameHeadBytes,
  framePayloadBytes,
  frameHeaderBytes,
  frameRecords,
  frameSequence,
  formatCodes,
  type FrameFormat,
  type Marks,
  nextValidFrame,
  type Position,
  segmentName,
  segmentNumber,
  validFrameEnd,
} from './format.ts';
import { type LogMarks, marksOf, readMarks } from './directory/marks.ts';

/** The payloads of some formats in a range of the log, one after the other, and where they were. */
export type Batch = {
  from: Position;
  /** In the same segment as `from`. */
  to: Position;
  frames: number;
  records: number;
  /** The payloads one after the other: for the store's formats RowBinary rows. */
  body: Buffer;
  /** Where each frame begins in the segment, and where its payload ends in the body. */
  offsets: number[];
  ends: number[];
  /** Of each frame. */
  formats: FrameFormat[];
};

/** Frames that were acknowledged and can't be read back. `frames` is at least 1. */
export type Damage = { at: Position; bytes: number; frames: number };

type BatchLimits = { bytesMax: number; framesMax: number };

/** How much of a segment is read at a time; at least one whole frame fits. */
const defaultWindowBytes = 16 * 1024 * 1024;

const zeros = Buffer.alloc(1024 * 1024);

/**
 * The log's reading side: walks the frames of some formats from a position, and reports damage on the
 * way. It reads no further than `committed`.
 */
export class LogReader {
  readonly #directory: string;
  /** By their codes. */
  readonly #formats: ReadonlyMap<number, FrameFormat>;
  readonly #segmentBytes: number;
  readonly #committed: () => Position;
  readonly #onDamage: (damage: Damage) => Promise<void>;
  #body: Buffer;
  readonly #window: Buffer;
  #windowAt: Position = { segment: 0, offset: 0 };
  #windowBytes = 0;
  #marks: LogMarks | undefined;
  /** The number of the frame read last; undefined at first, and when reading goes on elsewhere. */
  #sequence: number | undefined;
  #readTo: Position = { segment: 0, offset: 0 };

  constructor(options: {
    directory: string;
    formats: readonly FrameFormat[];
    segmentBytes: number;
    committed: () => Position;
    onDamage: (damage: Damage) => Promise<void>;
    windowBytes?: number;
  }) {
    this.#directory = options.directory;
    this.#formats = new Map(options.formats.map((format) => [formatCodes[format], format]));
    this.#segmentBytes = options.segmentBytes;
    this.#committed = options.committed;
    this.#onDamage = options.onDamage;
    const windowBytes = options.windowBytes ?? defaultWindowBytes;
    this.#window = Buffer.allocUnsafeSlow(windowBytes);
    this.#body = Buffer.allocUnsafeSlow(windowBytes);
  }

  /** Where the segment begins that is written now. */
  newestSegment(): Position {
    return { segment: this.#committed().segment, offset: 0 };
  }

  /** Bytes committed after `position`; where there are later segments, their full size is counted. */
  pendingBytes(position: Position): number {
    const committed = this.#committed();
    return committed.segment === position.segment
      ? committed.offset - position.offset
      : (committed.segment - position.segment) * this.#segmentBytes +
          committed.offset -
          position.offset;
  }

  /**
   * The next batch after `position`, or undefined if nothing more is committed. With `exactlyTo` the
   * batch ends there, whatever the limits: the same bytes as when these boundaries were written down.
   * The body is borrowed until the next call. A batch without frames only moves the position.
   */
  async read(
    position: Position,
    limits: BatchLimits,
    exactlyTo?: number,
  ): Promise<Batch | undefined> {
    const from = await this.#existing(position);
    if (from === undefined) return undefined;
    if (before(position, this.#readTo) || before(this.#readTo, position))
      this.#sequence = undefined;
    const { segment } = from;
    // They were made when the log was opened.
    this.#marks ??= await readMarks(this.#directory);
    const marks = marksOf(this.#marks, segment);
    const bytesMax = exactlyTo === undefined ? limits.bytesMax : exactlyTo - from.offset;
    const framesMax = exactlyTo === undefined ? limits.framesMax : Number.MAX_SAFE_INTEGER;
    if (this.#body.length < bytesMax) this.#body = Buffer.allocUnsafeSlow(bytesMax);
    const body = this.#body;
    const none = { offsets: [], ends: [], formats: [] };
    const batch: Batch = { from, to: from, frames: 0, records: 0, body, ...none };
    let bytes = 0;
    const end = exactlyTo ?? Number.MAX_SAFE_INTEGER;
    let at = from.offset;
    while (at < end) {
      let frameEnd = this.#frameEnd(segment, at, marks);
      if (frameEnd === -1) {
        const state = await this.#load({ segment, offset: at });
        if (state === 'nothing') break;
        if (state === 'finished') {
          if (batch.frames === 0) batch.to = await this.#after(batch.to);
          break;
        }
        frameEnd = this.#frameEnd(segment, at, marks);
      }
      if (frameEnd === -1) {
        // The batch as it is goes first, so that damage is reported once.
        if (batch.frames > 0 && exactlyTo === undefined) break;
        at = await this.#skipDamage({ segment, offset: at }, marks);
        batch.to = { segment, offset: at };
        continue;
      }
      const start = at - this.#windowAt.offset;
      const format = this.#formatAt(start);
      if (format !== undefined) {
        const skipped = format === 'alarm' ? 0 : frameHeadBytes(this.#window, start);
        const payloadBytes = framePayloadBytes(this.#window, start) - skipped;
        const full = bytes + payloadBytes > bytesMax || batch.frames >= framesMax;
        if (full && batch.frames > 0) break;
        const payloadAt = start + frameHeaderBytes + skipped;
        this.#window.copy(this.#body, bytes, payloadAt, payloadAt + payloadBytes);
        bytes += payloadBytes;
        batch.frames += 1;
        batch.offsets.push(at);
        batch.ends.push(bytes);
        batch.formats.push(format);
        batch.records += frameRecords(this.#window, start);
      }
      this.#sequence = frameSequence(this.#window, start);
      at = this.#windowAt.offset + frameEnd;
      batch.to = { segment, offset: at };
    }
    batch.body = this.#body.subarray(0, bytes);
    this.#readTo = batch.to;
    return before(position, batch.to) ? batch : undefined;
  }

  /** The position itself, or if its segment is gone, the oldest one there is. */
  async #existing(position: Position): Promise<Position | undefined> {
    const committed = this.#committed();
    if (position.segment === committed.segment) return position;
    const numbers = await this.#segments();
    const at = numbers.find((segment) => segment >= position.segment);
    if (at === undefined) return undefined;
    return at === position.segment ? position : { segment: at, offset: 0 };
  }

  async #segments(): Promise<number[]> {
    const numbers = (await fs.readdir(this.#directory))
      .map(segmentNumber)
      .filter((segment) => segment !== undefined);
    return numbers.toSorted((a, b) => a - b);
  }

  async #after(position: Position): Promise<Position> {
    const next = (await this.#segments()).find((segment) => segment > position.segment);
    return next === undefined ? position : { segment: next, offset: 0 };
  }

  /** As what the frame in the window is read; undefined: it is for others. A row with a head is one for alarms too. */
  #formatAt(start: number): FrameFormat | undefined {
    const own = this.#formats.get(frameFormat(this.#window, start));
    if (own !== undefined || frameHeadBytes(this.#window, start) === 0) return own;
    return this.#formats.get(formatCodes.alarm);
  }

  /** Where in the window the frame at `offset` ends, or -1 if the window does not hold it whole. */
  #frameEnd(segment: number, offset: number, marks: Marks): number {
    const start = offset - this.#windowAt.offset;
    if (this.#windowAt.segment !== segment || start < 0) return -1;
    return validFrameEnd(this.#window, start, this.#windowBytes, marks);
  }

  /** Fills the window from `at` on. Returns what was found. */
  async #load(at: Position): Promise<'bytes' | 'nothing' | 'finished'> {
    const committed = this.#committed();
    if (committed.segment === at.segment) {
      if (at.offset >= committed.offset) return 'nothing';
      await this.#fill(at, committed.offset);
      return 'bytes';
    }
    await this.#fill(at, Number.MAX_SAFE_INTEGER);
    return this.#windowIsZero() ? 'finished' : 'bytes';
  }

  async #fill(at: Position, limit: number): Promise<void> {
    const file = await fs.open(join(this.#directory, segmentName(at.segment)), 'r');
    try {
      const length = Math.min(this.#window.length, limit - at.offset);
      const { bytesRead } = await file.read(this.#window, 0, length, at.offset);
      this.#windowAt = at;
      this.#windowBytes = bytesRead;
    } finally {
      await file.close();
    }
  }

  #windowIsZero(): boolean {
    for (let at = 0; at < this.#windowBytes; at += zeros.length) {
      const part = this.#window.subarray(at, Math.min(at + zeros.length, this.#windowBytes));
      if (part.compare(zeros, 0, part.length) !== 0) return false;
    }
    return true;
  }

  /** Finds where frames can be read again in the damaged segment, and reports what was lost. */
  async #skipDamage(at: Position, marks: Marks): Promise<number> {
    const committed = this.#committed();
    const isWritten = committed.segment === at.segment;
    const { size, bytes } = await this.#rest(at, isWritten ? committed.offset : Infinity);
    // Where it was cut off meanwhile, there is nothing.
    if (bytes.length === 0) return at.offset;
    const found = nextValidFrame(bytes, 8, bytes.length, marks);
    if (found !== -1) {
      const gap = frameSequence(bytes, found) - (this.#sequence ?? Number.NaN) - 1;
      await this.#onDamage({ at, bytes: found, frames: gap >= 1 ? gap : 1 });
      return at.offset + found;
    }
    // A torn tail was never acknowledged, and a file holds what it was before; in a finished segment there is neither.
    const wasFinished = size < this.#segmentBytes || isWritten;
    if (wasFinished) await this.#onDamage({ at, bytes: bytes.length, frames: 1 });
    return at.offset + bytes.length;
  }

  /** The bytes of a segment from there on, up to `limit`, and how long it was before: it may be cut off meanwhile. */
  async #rest(at: Position, limit: number): Promise<{ size: number; bytes: Buffer }> {
    const file = await fs.open(join(this.#directory, segmentName(at.segment)), 'r');
    try {
      const { size } = await file.stat();
      const length = Math.max(0, Math.min(size, limit) - at.offset);
      const { buffer, bytesRead } = await file.read(
        Buffer.allocUnsafe(length),
        0,
        length,
        at.offset,
      );
      return { size, bytes: buffer.subarray(0, bytesRead) };
    } finally {
      await file.close();
    }
  }
}
