import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { CommitTimes } from './commit-times.ts';
import { type LogMarks, marksOf } from './directory/marks.ts';
import { recover } from './directory/recover.ts';
import type { Disk } from './disk.ts';
import { frameBytes, frameFormats, type Position } from './format.ts';
import { Group, type Waiter } from './group.ts';
import type { SharedPositions } from './positions.ts';
import { type Segment, type SegmentLimits, Segments } from './segments.ts';

/** `full`: no room now, try again later. `tooLarge`: it fits no group. */
export type NoRoom = { readonly kind: 'full' | 'tooLarge' };
const full: NoRoom = { kind: 'full' };
const tooLarge: NoRoom = { kind: 'tooLarge' };

export type LogLimits = SegmentLimits & { groupBytesMax: number; groupsMax: number };

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

type LogOptions = {
  directory: string;
  disk: Disk;
  limits: LogLimits;
  logger: Logger;
  /** Tells the sinks how far it has committed. */
  positions: SharedPositions;
};

const flushPollMs = 2;

/**
 * So long after a commit the log wakes the sinks that have nothing of it, too: they move past it, and then have few such
 * messages before the next one of their own.
 */
const passMs = 100;

/** The log counts as taking messages while a message of this size fits. */
const usualMessageBytes = 256;

/** The log's writing side. */
export class Log {
  readonly id: string;
  readonly directory: string;
  readonly positions: SharedPositions;
  readonly commitTimes = new CommitTimes();

  readonly #limits: LogLimits;
  readonly #logger: Logger;
  readonly #segments: Segments;
  readonly #marks: LogMarks;

  #sequence = 0;
  #appendedMessages = 0;
  #answeredMessages = 0;

  readonly #free: Group[] = [];
  readonly #full: Group[] = [];
  #open: Group | undefined;
  #writing = false;
  #scheduled = false;
  #closed = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #passing: NodeJS.Timeout | undefined;

  #commits = 0;
  #commitMs = 0;
  #committedMessages = 0;
  #committedRecords = 0;
  #failedWrites = 0;

  private constructor(
    { directory, limits, logger, positions }: LogOptions,
    { id, marks }: { id: string; marks: LogMarks },
    segments: Segments,
    groups: Group[],
  ) {
    this.id = id;
    this.#marks = marks;
    this.directory = directory;
    this.positions = positions;
    this.#limits = limits;
    this.#logger = logger;
    this.#segments = segments;
    this.#free = groups;
  }

  /** Opens the log in `directory`, after what a former process left. */
  static async open(options: LogOptions): Promise<Log> {
    const { directory, disk, limits, logger, positions } = options;
    const found = await recover(directory, disk);
    const segments = new Segments(directory, disk, limits, logger, positions, found);
    const groups = Array.from({ length: limits.groupsMax }, () => new Group(limits.groupBytesMax));
    const log = new Log(options, found, segments, groups);
    const start = { segment: found.nextSegment, offset: 0 };
    // It is not known which formats the segments of a former process have.
    positions.commit(start, frameFormats);
    for (const { segment, writtenAtMs } of found.written) {
      log.commitTimes.note({ segment, offset: 0 }, writtenAtMs);
    }
    // It starts even with a full disk, or at its limit: the sinks will make room.
    await segments.open();
    return log;
  }

  /** Whether a message of about this many bytes would find room now. Asked before it is parsed. */
  tryReserve(bytes: number): boolean {
    const hasGroup = this.#open !== undefined || this.#free.length > 0;
    return hasGroup && this.#hasRoom(bytes);
  }

  #hasRoom(bytes: number): boolean {
    const { current } = this.#segments;
    if (this.#closed || current === undefined) return false;
    const ahead = this.#pendingBytes() + frameBytes(bytes);
    const room = this.#limits.segmentBytes - current.end;
    return ahead <= room || this.#segments.hasNext;
  }

  /**
   * Room in the next commit for a message whose frames take at most `bytesMax` (`frameBytes` of each). It is
   * written there at once, and then appended.
   */
  begin(bytesMax: number): Group | NoRoom {
    if (bytesMax > this.#limits.groupBytesMax) return tooLarge;
    if (this.#open?.hasRoom(bytesMax) === false) {
      this.#full.push(this.#open);
      this.#open = undefined;
    }
    this.#open ??= this.#free.pop();
    if (this.#open === undefined || this.#closed) return full;
    this.#open.begin(this.#sequence);
    return this.#open;
  }

  /**
   * Puts the message that was written to `group`, or that many messages in one frame, into the next commit. The
   * waiter is told when that is done.
   */
  append(group: Group, waiter: Waiter, messages = 1): void {
    this.#sequence = group.append(waiter, messages);
    this.#appendedMessages += messages;
    this.#schedule();
  }

  /** Resolves once everything appended so far was answered; returns where the log ends then. */
  async flushed(): Promise<Position> {
    const until = this.#appendedMessages;
    while (this.#answeredMessages < until) await delay(flushPollMs);
    return this.positions.committed();
  }

  stats(): LogStats {
    return {
      bytes: this.#segments.count * this.#limits.segmentBytes,
      bytesMax: this.#limits.logBytesMax,
      segments: this.#segments.count,
      commits: this.#commits,
      commitSeconds: this.#commitMs / 1_000,
      committedMessages: this.#committedMessages,
      committedRecords: this.#committedRecords,
      failedWrites: this.#failedWrites,
      accepting: this.#hasRoom(usualMessageBytes),
      diskIsShort: this.#segments.diskIsShort,
    };
  }

  /** Deletes the segments that every sink has passed. */
  deletePassed(): Promise<void> {
    return this.#segments.deletePassed();
  }

  /** Commits what was appended, then takes no more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#segments.stop();
    while (this.#writing || this.#pendingBytes() > 0) {
      this.#idle ??= Promise.withResolvers<void>();
      this.#schedule();
      await this.#idle.promise;
    }
    clearTimeout(this.#passing);
    await this.#segments.close();
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
    if (group === this.#open) this.#open = undefined;
    else this.#full.shift();
    const segment = this.#segments.take(group.length);
    if (segment === undefined) return this.#refuse(group);
    group.seal(marksOf(this.#marks, segment.number));
    this.#writing = true;
    const startedAt = performance.now();
    segment.file.write(group.buffer, group.length, segment.end, (error) => {
      this.#writing = false;
      const nowMs = performance.now();
      this.#commitMs += nowMs - startedAt;
      if (error === null) this.#committed(segment, group, nowMs);
      else this.#failed(segment, error);
      // If as much waits as this commit had, it is written while this commit is answered. If less waits, what the
      // answers bring is read first, and shares the next write.
      const waiting = this.#open?.messages ?? 0;
      if (this.#full.length > 0 || waiting >= group.messages) this.#commit();
      this.#answer(group, error === null);
      if (!this.#writing) this.#schedule();
    });
  }

  #committed(segment: Segment, group: Group, nowMs: number): void {
    this.commitTimes.note({ segment: segment.number, offset: segment.end }, nowMs);
    segment.end += group.length;
    const end = { segment: segment.number, offset: segment.end };
    this.positions.commit(end, group.formats());
    this.#passing ??= setTimeout(() => {
      this.#passing = undefined;
      this.positions.wake();
    }, passMs);
    this.#commits += 1;
    this.#committedMessages += group.messages;
    this.#committedRecords += group.records;
  }

  /** Messages that the disk did not take are not acknowledged. */
  #failed(segment: Segment, error: Error): void {
    this.#failedWrites += 1;
    this.#logger.error({ error: error.message, segment: segment.number }, 'a log write failed');
    this.#segments.abandon(segment);
  }

  /** There is no segment to write to: the waiters are told at once. */
  #refuse(group: Group): void {
    this.#answer(group, false);
    this.#commit();
  }

  #answer(group: Group, isDurable: boolean): void {
    this.#answeredMessages += group.messages;
    const nowMs = performance.now();
    for (const waiter of group.waiters) waiter.afterCommit(isDurable, nowMs);
    group.clear();
    this.#free.push(group);
  }

  #rest(): void {
    if (this.#pendingBytes() > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
