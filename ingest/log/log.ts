import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { CommitTimes } from './commit-times.ts';
import type { Disk, SegmentFile } from './disk.ts';
import {
  type FrameFormat,
  frameBytes,
  frameHeaderBytes,
  type Marks,
  type Position,
  sealFrame,
  segmentName,
} from './format.ts';
import { type Recovered, recover } from './recover.ts';
import { type SharedPositions, sharedPositions } from './shared.ts';

/** What becomes a frame: it writes itself into the log's own buffer, so nothing is copied. */
export type FrameSource = {
  readonly format: FrameFormat;
  readonly records: number;
  /** Writes the payload at `offset`; returns the offset after it, or -1 if there is no room. */
  encode(target: Buffer, offset: number): number;
};

/** `full`: no room now, try again later. `tooLarge`: it fits no frame. */
export type AppendOutcome = 'appended' | 'full' | 'tooLarge';

export type LogLimits = {
  segmentBytes: number;
  logBytesMax: number;
  /** What of the disk is left to others: with less free after it, no segment is made. */
  reserveBytes: number;
  groupBytesMax: number;
  groupsMax: number;
};

export type LogStats = {
  bytes: number;
  bytesMax: number;
  segments: number;
  commits: number;
  commitSeconds: number;
  committedMessages: number;
  committedRecords: number;
  failedWrites: number;
  accepting: boolean;
  /** Too little of the disk is free for one more segment. */
  diskIsShort: boolean;
};

/** The requests of one commit. */
type Group<W> = {
  buffer: Buffer;
  length: number;
  waiters: W[];
  records: number;
  hasWebhooks: boolean;
};

type Segment = { number: number; file: SegmentFile; end: number };

const retryAllocationMs = 1_000;
const flushPollMs = 2;

/** What must fit for the log to count as one that takes messages. */
const usualMessageBytes = 256;

/**
 * The log's writing side. `W` is whoever waits for a frame to be on the disk; all the waiters of a
 * commit are settled by one call.
 */
export class Log<W> {
  readonly id: string;
  readonly directory: string;
  readonly positions: SharedPositions;
  readonly commitTimes = new CommitTimes();

  readonly #disk: Disk;
  readonly #limits: LogLimits;
  readonly #logger: Logger;
  readonly #settle: (waiters: W[], durable: boolean) => void;

  /** Of all segments that are written here. */
  readonly #marks: Marks;
  readonly #segments: number[];
  #nextSegment: number;
  #sequence = 0;
  #appendedMessages = 0;
  #settledMessages = 0;
  #current: Segment | undefined;
  #next: Segment | undefined;
  #allocating: Promise<void> | undefined;
  #retiring: Promise<void> | undefined;
  #allocationRetry: NodeJS.Timeout | undefined;
  #deleting: Promise<void> | undefined;
  #diskIsShort = false;
  #allocationFails = false;

  readonly #free: Group<W>[] = [];
  readonly #full: Group<W>[] = [];
  #open: Group<W> | undefined;
  #writing = false;
  #scheduled = false;
  #closed = false;
  #idle: PromiseWithResolvers<void> | undefined;

  #commits = 0;
  #commitMs = 0;
  #committedMessages = 0;
  #committedRecords = 0;
  #failedWrites = 0;

  private constructor(
    directory: string,
    disk: Disk,
    limits: LogLimits,
    logger: Logger,
    settle: (waiters: W[], durable: boolean) => void,
    found: Recovered,
  ) {
    this.directory = directory;
    this.#disk = disk;
    this.#limits = limits;
    this.#logger = logger;
    this.#settle = settle;
    this.id = found.id;
    this.#marks = found.marks.own;
    this.#segments = found.segments;
    this.#nextSegment = found.nextSegment;
    this.positions = sharedPositions();
    for (let i = 0; i < limits.groupsMax; i++) {
      const buffer = Buffer.allocUnsafeSlow(limits.groupBytesMax);
      this.#free.push({ buffer, length: 0, waiters: [], records: 0, hasWebhooks: false });
    }
  }

  /**
   * Opens the log in `directory`, after what a former process left. `settle` is told once for every
   * appended waiter whether its frame is on the disk.
   */
  static async open<W>(
    directory: string,
    disk: Disk,
    limits: LogLimits,
    logger: Logger,
    settle: (waiters: W[], durable: boolean) => void,
  ): Promise<Log<W>> {
    const found = await recover(directory, disk);
    const log = new Log<W>(directory, disk, limits, logger, settle, found);
    const start = { segment: log.#nextSegment, offset: 0 };
    // Of what a former process left nobody knows.
    log.positions.endWebhooks(start);
    log.positions.commit(start);
    for (const { segment, writtenAtMs } of found.written) {
      log.commitTimes.note({ segment, offset: 0 }, writtenAtMs);
    }
    // A disk that is full, or a log at its limit, is no reason not to start: the sinks make room.
    log.#prepareNext();
    await log.#allocating;
    return log;
  }

  /** Whether a message of about this many bytes would find room now. Asked before it is parsed. */
  tryReserve(bytes: number): boolean {
    const hasGroup = this.#open !== undefined || this.#free.length > 0;
    return hasGroup && this.#hasRoom(bytes);
  }

  #hasRoom(bytes: number): boolean {
    if (this.#closed || this.#current === undefined) return false;
    const ahead = this.#pendingBytes() + frameBytes(bytes);
    const room = this.#limits.segmentBytes - this.#current.end;
    return ahead <= room || this.#next !== undefined;
  }

  /**
   * Puts a frame into the next commit, and with it the `other` one of the same message. The waiter is
   * settled after the disk has them, or failed.
   */
  append(source: FrameSource, waiter: W, other?: FrameSource): AppendOutcome {
    let fresh = false;
    for (;;) {
      if (this.#open === undefined) {
        this.#open = this.#free.pop();
        fresh = true;
      }
      const group = this.#open;
      if (group === undefined || this.#closed) return 'full';
      const end = this.#encode(source, group.buffer, group.length, this.#sequence);
      if (end !== -1 && this.#finishMessage(group, end, source, other)) {
        group.waiters.push(waiter);
        this.#appendedMessages += 1;
        this.#schedule();
        return 'appended';
      }
      if (group.length === 0) {
        if (fresh) this.#release(group);
        return 'tooLarge';
      }
      this.#full.push(group);
      this.#open = undefined;
    }
  }

  /** Settles once everything appended so far was settled; gives where the log ends then. */
  async flushed(): Promise<Position> {
    const until = this.#appendedMessages;
    while (this.#settledMessages < until) await delay(flushPollMs);
    return this.positions.committed();
  }

  /** Writes a whole frame; returns the offset after it, or -1 if there is no room. */
  #encode(source: FrameSource, target: Buffer, at: number, sequence: number): number {
    const payloadAt = at + frameHeaderBytes;
    const payloadEnd = payloadAt < target.length ? source.encode(target, payloadAt) : -1;
    if (payloadEnd === -1 || payloadEnd + 8 > target.length) return -1;
    const { format, records } = source;
    const payloadBytes = payloadEnd - payloadAt;
    return sealFrame(target, at, payloadBytes, format, records, sequence, this.#marks);
  }

  /** Its first frame ends at `end`; nothing counts until the other one is there too. */
  #finishMessage(
    group: Group<W>,
    end: number,
    source: FrameSource,
    other: FrameSource | undefined,
  ): boolean {
    let messageEnd = end;
    if (other !== undefined) {
      messageEnd = this.#encode(other, group.buffer, end, this.#sequence + 1);
      if (messageEnd === -1) return false;
      this.#sequence += 1;
    }
    this.#sequence += 1;
    group.length = messageEnd;
    group.records += source.records;
    if (other !== undefined || source.format === 'webhook') group.hasWebhooks = true;
    return true;
  }

  stats(): LogStats {
    const bytes = this.#segments.length * this.#limits.segmentBytes;
    return {
      bytes,
      bytesMax: this.#limits.logBytesMax,
      segments: this.#segments.length,
      commits: this.#commits,
      commitSeconds: this.#commitMs / 1_000,
      committedMessages: this.#committedMessages,
      committedRecords: this.#committedRecords,
      failedWrites: this.#failedWrites,
      accepting: this.#hasRoom(usualMessageBytes),
      diskIsShort: this.#diskIsShort,
    };
  }

  /** Deletes the segments that every sink has passed. Called while it does, it is the same deletion. */
  deletePassed(): Promise<void> {
    this.#deleting ??= this.#deletePassed().finally(() => {
      this.#deleting = undefined;
      this.#prepareNext();
    });
    return this.#deleting;
  }

  async #deletePassed(): Promise<void> {
    const oldestNeeded = Math.min(
      this.positions.oldestNeeded(),
      this.positions.committed().segment,
    );
    while (this.#segments[0] !== undefined && this.#segments[0] < oldestNeeded) {
      // It counts until it is gone: what can't be removed takes room, and is tried again.
      await this.#disk.remove(join(this.directory, segmentName(this.#segments[0])));
      this.#segments.shift();
    }
  }

  /** Commits what was appended, then takes no more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#allocationRetry);
    while (this.#writing || this.#pendingBytes() > 0) {
      this.#idle ??= Promise.withResolvers<void>();
      this.#schedule();
      await this.#idle.promise;
    }
    await this.#retiring;
    await this.#allocating;
    await this.#deleting?.catch(() => undefined);
    await this.#current?.file.truncate(this.#current.end);
    await this.#current?.file.close();
    await this.#next?.file.close();
  }

  #pendingBytes(): number {
    let bytes = this.#open?.length ?? 0;
    for (const group of this.#full) bytes += group.length;
    return bytes;
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    // After the poll phase: every request that arrived in it shares the commit.
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit();
    });
  }

  #commit(): void {
    if (this.#writing) return;
    const group = this.#full[0] ?? this.#open;
    if (group === undefined || group.length === 0) return this.#rest();
    if (this.#current === undefined || !this.#fits(group, this.#current)) {
      if (!this.#rollOver()) return this.#refuse(group);
    }
    const segment = this.#current;
    if (segment === undefined) return this.#refuse(group);
    this.#take(group);
    this.#writing = true;
    const startedAt = performance.now();
    segment.file.write(group.buffer, group.length, segment.end, (error) => {
      this.#writing = false;
      const nowMs = performance.now();
      this.#commitMs += nowMs - startedAt;
      if (error === null) this.#committed(segment, group, nowMs);
      else this.#failed(segment, group, error);
      this.#commit();
    });
  }

  #fits(group: Group<W>, segment: Segment): boolean {
    return segment.end + group.length <= this.#limits.segmentBytes;
  }

  #take(group: Group<W>): void {
    if (group === this.#open) this.#open = undefined;
    else this.#full.shift();
  }

  #committed(segment: Segment, group: Group<W>, nowMs: number): void {
    this.commitTimes.note({ segment: segment.number, offset: segment.end }, nowMs);
    segment.end += group.length;
    const end = { segment: segment.number, offset: segment.end };
    if (group.hasWebhooks) this.positions.endWebhooks(end);
    this.positions.commit(end);
    this.#commits += 1;
    this.#committedMessages += group.waiters.length;
    this.#committedRecords += group.records;
    this.#settle(group.waiters, true);
    this.#release(group);
  }

  /** What the disk did not take is not acknowledged, and the segment is not trusted again. */
  #failed(segment: Segment, group: Group<W>, error: Error): void {
    this.#failedWrites += 1;
    this.#logger.error({ error: error.message, segment: segment.number }, 'a log write failed');
    this.#current = undefined;
    this.#settle(group.waiters, false);
    this.#release(group);
    // What was refused and yet reached the disk is cut off before a sink may read so far.
    this.#retiring = this.#finish(segment).finally(() => {
      this.#retiring = undefined;
      this.#rollOver();
    });
  }

  /** There is no segment to write to: whoever waits is told now rather than kept. */
  #refuse(group: Group<W>): void {
    this.#take(group);
    this.#settle(group.waiters, false);
    this.#release(group);
    this.#commit();
  }

  #release(group: Group<W>): void {
    if (this.#open === group) this.#open = undefined;
    this.#settledMessages += group.waiters.length;
    group.length = 0;
    group.waiters = [];
    group.records = 0;
    group.hasWebhooks = false;
    this.#free.push(group);
  }

  #rest(): void {
    if (this.#pendingBytes() === 0) {
      this.#idle?.resolve();
      this.#idle = undefined;
    }
  }

  /** Goes on in the next segment. False while there is none. */
  #rollOver(): boolean {
    if (this.#retiring !== undefined) return false;
    const finished = this.#current;
    const next = this.#next;
    if (next !== undefined) {
      this.#current = next;
      this.#next = undefined;
      if (finished !== undefined) void this.#finish(finished);
      this.positions.commit({ segment: next.number, offset: next.end });
    }
    this.#prepareNext();
    return next !== undefined;
  }

  async #finish(segment: Segment): Promise<void> {
    try {
      await segment.file.truncate(segment.end);
      await segment.file.close();
    } catch (error) {
      this.#logger.warn({ error, segment: segment.number }, 'could not close a finished segment');
    }
  }

  #prepareNext(): void {
    if (this.#next !== undefined || this.#allocating !== undefined) return;
    if (this.#allocationRetry !== undefined || this.#closed) return;
    const bytesAfter = (this.#segments.length + 1) * this.#limits.segmentBytes;
    if (bytesAfter > this.#limits.logBytesMax) return;
    this.#allocating = this.#tryAllocateNext().finally(() => {
      this.#allocating = undefined;
      // A write failure or a full segment may be waiting for this one.
      if (this.#current === undefined && !this.#closed) this.#rollOver();
    });
  }

  async #tryAllocateNext(): Promise<void> {
    try {
      if (await this.#hasSpace()) {
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
    }, retryAllocationMs);
  }

  /** Databases on the same disk do not survive it full: the log leaves them some. */
  async #hasSpace(): Promise<boolean> {
    const { segmentBytes, reserveBytes } = this.#limits;
    const freeBytes = await this.#disk.freeBytes(this.directory);
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
    // What fails may have left something of that name: the next try takes another.
    const segment = this.#nextSegment++;
    const path = join(this.directory, segmentName(segment));
    try {
      await this.#disk.allocate(path, this.#limits.segmentBytes);
      const file = await this.#disk.openSegment(path);
      this.#segments.push(segment);
      this.#next = { number: segment, file, end: 0 };
    } catch (error) {
      if (!isThere(error)) await this.#removeFailed(segment, path);
      throw error;
    }
  }

  async #removeFailed(segment: number, path: string): Promise<void> {
    try {
      await this.#disk.remove(path);
    } catch (error) {
      // It takes room until it is passed, and deleted like any other.
      this.#segments.push(segment);
      this.#logger.warn({ error, segment }, 'could not remove a segment that failed');
    }
  }
}

/** Somebody else's file has the name. */
function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
