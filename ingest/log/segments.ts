import { join } from 'node:path';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Disk, SegmentFile } from './disk.ts';
import { segmentName } from './format.ts';
import type { SharedPositions } from './positions.ts';

export type SegmentLimits = {
  segmentBytes: number;
  logBytesMax: number;
  /** Disk space for others: a segment is only made if this much stays free after it. */
  reserveBytes: number;
};

/** The segment that is written now, or the next one. */
export type Segment = { number: number; file: SegmentFile; end: number };

const retryMs = 1_000;
/** Passed segments that are kept to be written again: one for the next, one while the sinks are a segment late. */
const sparesMax = 2;
/**
 * From this share of a segment on the next one is urgent: from half on, packs of a hundred records were slower. With less
 * than this share of one on the disk, making a segment of it would take too much more.
 */
const nearlyFull = 0.75;

/**
 * The segments of a log: the one that is written, the next one, made before it is needed, and those that wait
 * until every sink has passed them. A disk that is full, or a log at its limit, leaves it without a next one, and
 * at last without one to write to, until sinks make room.
 */
export class Segments {
  readonly #directory: string;
  readonly #disk: Disk;
  readonly #limits: SegmentLimits;
  readonly #logger: Logger;
  readonly #positions: SharedPositions;
  /** On the disk, oldest first. */
  readonly #numbers: number[];
  /** Paths of segments that were passed, and of which later ones are made: nothing of them needs zeros any more. */
  readonly #spares: string[] = [];
  /** Those where the disk failed a write: it may fail the next one. */
  readonly #faulty = new Set<number>();
  #nextNumber: number;
  #current: Segment | undefined;
  #next: Segment | undefined;
  #allocating: Promise<void> | undefined;
  #abandoning: Promise<void> | undefined;
  /** Until the segments that were written last are cut off and closed. */
  #finishing = Promise.resolve();
  #allocationRetry: NodeJS.Timeout | undefined;
  #deleting: Promise<void> | undefined;
  #diskIsShort = false;
  #allocationFails = false;
  #closed = false;

  constructor(
    directory: string,
    disk: Disk,
    limits: SegmentLimits,
    logger: Logger,
    positions: SharedPositions,
    found: { segments: number[]; nextSegment: number },
  ) {
    this.#directory = directory;
    this.#disk = disk;
    this.#limits = limits;
    this.#logger = logger;
    this.#positions = positions;
    this.#numbers = found.segments;
    this.#nextNumber = found.nextSegment;
  }

  /** Makes the first one, if it can. */
  async open(): Promise<void> {
    this.#prepareNext();
    await this.#allocating;
  }

  /** The one that is written; undefined while there is none. */
  get current(): Segment | undefined {
    return this.#current;
  }

  get hasNext(): boolean {
    return this.#next !== undefined;
  }

  get count(): number {
    return this.#numbers.length;
  }

  /** Too little of the disk is free for one more. */
  get diskIsShort(): boolean {
    return this.#diskIsShort;
  }

  /** A segment with room for this many bytes, the current or the next one; undefined while there is none. */
  take(bytes: number): Segment | undefined {
    const current = this.#current;
    if (current !== undefined && current.end + bytes <= this.#limits.segmentBytes) return current;
    return this.#rollOver() ? this.#current : undefined;
  }

  /** A write to this segment failed: it is never written again. */
  abandon(segment: Segment): void {
    this.#current = undefined;
    this.#faulty.add(segment.number);
    // Frames that were refused but reached the disk are cut off before a sink can read them.
    this.#abandoning = this.#finish(segment).finally(() => {
      this.#abandoning = undefined;
      this.#rollOver();
    });
  }

  /** Deletes segments that every sink has passed, or sets them aside. A call during a deletion joins it. */
  deletePassed(): Promise<void> {
    this.#deleting ??= this.#deletePassed().finally(() => {
      this.#deleting = undefined;
      this.#prepareNext();
    });
    return this.#deleting;
  }

  async #deletePassed(): Promise<void> {
    const oldestNeeded = Math.min(
      this.#positions.oldestNeeded(),
      this.#positions.committed().segment,
    );
    // A file that is set aside must not be cut off under another name.
    await this.#finishing;
    for (
      let [oldest] = this.#numbers;
      oldest !== undefined && oldest < oldestNeeded;
      [oldest] = this.#numbers
    ) {
      // It counts until it is gone: a segment that can't be removed takes room, and is tried again.
      await this.#passed(oldest);
      this.#numbers.shift();
    }
  }

  async #passed(segment: number): Promise<void> {
    const path = join(this.#directory, segmentName(segment));
    const isNeeded = this.#spares.length < sparesMax && !this.#closed;
    if (isNeeded && !this.#faulty.has(segment)) {
      const bytesMin = this.#limits.segmentBytes * nearlyFull;
      const spare = await this.#disk.setAside(path, bytesMin).catch(() => undefined);
      if (spare !== undefined) {
        this.#spares.push(spare);
        return;
      }
    }
    await this.#disk.remove(path);
    this.#faulty.delete(segment);
  }

  /** Makes no more of them. */
  stop(): void {
    this.#closed = true;
    clearTimeout(this.#allocationRetry);
  }

  /** Called when nothing more is written. */
  async close(): Promise<void> {
    await this.#abandoning;
    await this.#finishing;
    await this.#allocating;
    await this.#deleting?.catch(() => undefined);
    for (const segment of [this.#current, this.#next]) {
      await segment?.file.truncate(segment.end);
      await segment?.file.close();
    }
    for (const spare of this.#spares) await this.#disk.remove(spare);
  }

  /** Goes on with the next segment. False while there is none. */
  #rollOver(): boolean {
    if (this.#abandoning !== undefined) return false;
    const finished = this.#current;
    const next = this.#next;
    if (next !== undefined) {
      this.#current = next;
      this.#next = undefined;
      if (finished !== undefined) {
        this.#finishing = this.#finishing.then(() => this.#finish(finished));
      }
      this.#positions.commit({ segment: next.number, offset: next.end }, []);
      // Sinks may hold the finished one, also where no commit follows.
      this.#positions.wake();
    }
    this.#prepareNext();
    return next !== undefined;
  }

  async #finish(segment: Segment): Promise<void> {
    try {
      try {
        await segment.file.truncate(segment.end);
      } finally {
        await segment.file.close();
      }
    } catch (error) {
      this.#logger.warn({ error, segment: segment.number }, 'could not close a finished segment');
    }
  }

  #prepareNext(): void {
    if (this.#next !== undefined || this.#allocating !== undefined) return;
    if (this.#allocationRetry !== undefined || this.#closed) return;
    const bytesAfter = (this.#numbers.length + 1) * this.#limits.segmentBytes;
    if (bytesAfter > this.#limits.logBytesMax) return;
    this.#allocating = this.#tryAllocateNext().finally(() => {
      this.#allocating = undefined;
      // A write failure or a full segment may be waiting for this one.
      if (this.#current === undefined && !this.#closed) this.#rollOver();
    });
  }

  async #tryAllocateNext(): Promise<void> {
    try {
      const hasSpace = await this.#hasSpace();
      // A spare takes hardly more of the disk.
      if (hasSpace || this.#spares.length > 0) {
        await this.#allocateNext();
        this.#allocationFails = false;
        return;
      }
    } catch (error) {
      if (!this.#allocationFails) {
        this.#logger.error({ error }, 'could not prepare a log segment; it is tried again');
      }
      this.#allocationFails = true;
    }
    if (this.#closed) return;
    this.#allocationRetry = setTimeout(() => {
      this.#allocationRetry = undefined;
      this.#prepareNext();
    }, retryMs);
  }

  /** Leaves room for databases on the same disk, which would not survive a full one. */
  async #hasSpace(): Promise<boolean> {
    const { segmentBytes, reserveBytes } = this.#limits;
    const freeBytes = await this.#disk.freeBytes(this.#directory);
    const isShort = freeBytes < segmentBytes + reserveBytes;
    if (isShort && !this.#diskIsShort) {
      this.#logger.warn(
        { freeBytes, reserveBytes, segmentBytes },
        'too little of the disk is free for another log segment; once the log is full, messages are refused',
      );
    } else if (!isShort && this.#diskIsShort) {
      this.#logger.info({ freeBytes }, 'the disk has room for log segments again');
    }
    this.#diskIsShort = isShort;
    return !isShort;
  }

  async #allocateNext(): Promise<void> {
    // A failure may have left a file of that name: the next try takes another name.
    const segment = this.#nextNumber++;
    const path = join(this.#directory, segmentName(segment));
    const [spare] = this.#spares;
    try {
      const isUrgent = () => this.#isNearlyFull();
      await this.#disk.allocate(path, this.#limits.segmentBytes, isUrgent, spare);
      if (spare !== undefined) this.#spares.shift();
      const file = await this.#disk.openSegment(path);
      this.#numbers.push(segment);
      this.#next = { number: segment, file, end: 0 };
    } catch (error) {
      if (!isThere(error)) await this.#removeFailed(segment, path);
      if (spare !== undefined && !isFull(error)) await this.#drop(spare);
      throw error;
    }
  }

  /** A spare of which no segment could be made. */
  async #drop(spare: string): Promise<void> {
    if (this.#spares[0] === spare) this.#spares.shift();
    await this.#disk.remove(spare).catch((error: unknown) => {
      this.#logger.warn({ error, spare }, 'could not remove a spare segment');
    });
  }

  /** Whether the next one is needed soon. */
  #isNearlyFull(): boolean {
    return (
      this.#current !== undefined && this.#current.end > this.#limits.segmentBytes * nearlyFull
    );
  }

  async #removeFailed(segment: number, path: string): Promise<void> {
    try {
      await this.#disk.remove(path);
    } catch (error) {
      // It takes room until it is deleted like any other that was passed.
      this.#numbers.push(segment);
      this.#logger.warn({ error, segment }, 'could not remove a segment that failed');
    }
  }
}

/** Whether the error says that the name is taken. */
const isThere = (error: unknown) => codeOf(error) === 'EEXIST';

/** Whether it says that the disk has no room. */
const isFull = (error: unknown) => codeOf(error) === 'ENOSPC';

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? error.code : undefined;
