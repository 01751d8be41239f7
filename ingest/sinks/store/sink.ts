import { join } from 'node:path';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { readCursor, type StoredPart, writeCursor } from '../../log/cursor.ts';
import { appendLine } from '../../log/files.ts';
import { before, type Format, type Position } from '../../log/format.ts';
import type { Batch, LogReader } from '../../log/reader.ts';
import type { SharedPositions } from '../../log/positions.ts';
import { classify, type Failure } from './classify.ts';
import { newestKnown } from './reverted.ts';
import type { Store } from './send.ts';

/** What a sink has done so far, and how it is. */
export type SinkStats = {
  state: 'running' | 'retrying' | 'alarmed';
  position: Position;
  /** Up to where it has delivered as far as the disk knows: no crash makes it ask for less again. */
  saved: Position;
  pendingBytes: number;
  storedBatches: number;
  storedRecords: number;
  quarantinedRecords: number;
  retries: number;
};

type Wakes = Pick<SharedPositions, 'awaited' | 'wake' | 'wakes' | 'untilWoken'>;

export type SinkLimits = {
  batchBytesMax: number;
  /** A batch that is not full waits for company until this long after the one before. */
  batchAgeMsMax: number;
  /** A cursor is written down before each batch, and this long after one that none came after. */
  cursorIdleMs: number;
  /** What the store took is in sight so long after, even where it is stalled. */
  missingMs: number;
  pollMs: number;
  retryMsMin: number;
  retryMsMax: number;
};

/**
 * Follows the log for one format and brings every frame into the store exactly once: a batch's number and
 * boundaries are on the disk before it is sent. Where it may be in the store already, after a crash or a
 * failed try, the store itself is asked what it has under that number, and gets the rest.
 * What the store refuses for good is halved until the guilty frame stands alone; that one goes to the
 * quarantine, and the rest goes on.
 */
export class StoreSink {
  readonly #format: Format;
  readonly #directory: string;
  readonly #reader: LogReader;
  readonly #store: Store;
  readonly #limits: SinkLimits;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  readonly #positions: Wakes;
  readonly #onProgress: () => void;
  readonly #onReverted: () => Promise<void>;

  #position: Position = { segment: 0, offset: 0 };
  #savedPosition: Position = { segment: 0, offset: 0 };
  #savedSendingTo: number | undefined;
  /** Of the next batch: the later one was acknowledged later. */
  #number = 1;
  /** Where the batch ends that may already be in the store: until that is known, its end is kept. */
  #sendingTo: number | undefined;
  /** Whether the store may have some of the batch that is sent. */
  #inDoubt = false;
  /** Of a batch that was refused, as long as its parts are sent. */
  #stored: StoredPart | undefined;
  /** The newest batch that the log knew of when it was opened. */
  #knownAtStart = 0;
  #isOwn = false;
  #framesMax = Number.MAX_SAFE_INTEGER;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  readonly #stats = {
    state: 'running' as SinkStats['state'],
    storedBatches: 0,
    storedRecords: 0,
    quarantinedRecords: 0,
    retries: 0,
  };

  constructor(options: {
    format: Format;
    directory: string;
    reader: LogReader;
    store: Store;
    limits: SinkLimits;
    logger: Logger;
    stopping: AbortSignal;
    /** Tells of commits, and of somebody who waits for the cursor on the disk. */
    positions: Wakes;
    onProgress: () => void;
    /** The store has newer batches of this log than the log knows of: nothing more is sent. */
    onReverted: () => Promise<void>;
  }) {
    this.#format = options.format;
    this.#directory = options.directory;
    this.#reader = options.reader;
    this.#store = options.store;
    this.#limits = options.limits;
    this.#logger = options.logger.child({ sink: options.format });
    this.#stopping = options.stopping;
    options.stopping.addEventListener('abort', options.positions.wake);
    this.#positions = options.positions;
    this.#onProgress = options.onProgress;
    this.#onReverted = options.onReverted;
  }

  stats(): SinkStats {
    const pendingBytes = this.#reader.pendingBytes(this.#position);
    const saved = this.#savedPosition;
    return { ...this.#stats, position: this.#position, saved, pendingBytes };
  }

  /** Runs until `stopping`; a batch under way is finished or left to the next start. */
  async run(): Promise<void> {
    const cursor = await readCursor(this.#cursorPath());
    this.#position = this.#savedPosition = cursor?.position ?? this.#position;
    this.#number = cursor?.batch ?? this.#number;
    this.#sendingTo = this.#savedSendingTo = cursor?.sendingTo;
    this.#inDoubt = cursor?.sendingTo !== undefined;
    this.#stored = cursor?.stored;
    this.#knownAtStart = newestKnown(cursor);
    while (!this.#stopping.aborted) {
      const wakes = this.#positions.wakes();
      const batch = await this.#next();
      if (batch === undefined) await this.#rest(wakes);
      else if (batch.frames === 0) await this.#passBy(batch.to);
      else await this.#deliver(batch);
      if (this.#mustSave()) await this.#save();
      this.#onProgress();
    }
    await this.#save();
    this.#onProgress();
  }

  /** While messages come the log is looked at now and then, and else when there is something new. */
  async #rest(wakes: number): Promise<void> {
    await this.#pause(this.#limits.pollMs);
    if (this.#reader.pendingBytes(this.#position) > 0 || this.#mustSave()) return;
    const { cursorIdleMs } = this.#limits;
    const sinceMs = performance.now() - this.#lastSentAt;
    const restMs = this.#savedSendingTo === undefined ? cursorIdleMs : cursorIdleMs - sinceMs;
    await this.#positions.untilWoken(wakes, Math.max(restMs, 0));
  }

  /**
   * Nothing is left in doubt on the disk for longer than it takes to be sure that no batch follows at once;
   * and whoever waits for the cursor there does not wait for that.
   */
  #mustSave(): boolean {
    const awaited = this.#positions.awaited();
    if (before(this.#savedPosition, awaited) && !before(this.#position, awaited)) return true;
    if (this.#sendingTo !== undefined || this.#savedSendingTo === undefined) return false;
    return performance.now() - this.#lastSentAt >= this.#limits.cursorIdleMs;
  }

  async #next(): Promise<Batch | undefined> {
    const pendingBytes = this.#reader.pendingBytes(this.#position);
    const halving = this.#framesMax < Number.MAX_SAFE_INTEGER;
    const young = performance.now() - this.#lastSentAt < this.#limits.batchAgeMsMax && !halving;
    if (pendingBytes < this.#limits.batchBytesMax && young) return undefined;
    const limits = { bytesMax: this.#limits.batchBytesMax, framesMax: this.#framesMax };
    return this.#reader.read(this.#position, limits, this.#sendingTo);
  }

  /** Nothing of this format stood there: the cursor follows on the disk once a segment is behind it. */
  async #passBy(to: Position): Promise<void> {
    this.#passTo(to);
    if (to.segment !== this.#savedPosition.segment) await this.#save();
  }

  async #deliver(batch: Batch): Promise<void> {
    this.#lastSentAt = performance.now();
    if (!this.#isOwn) await this.#persist(() => this.#assureOwn());
    if (!this.#isOwn) return;
    // By the clock, so that what all logs brought lately has numbers close together: who looks for that
    // need not look at the rest. A batch that is sent again keeps its number.
    if (this.#sendingTo === undefined) this.#number = Math.max(this.#number, unixSeconds());
    this.#position = batch.from;
    this.#sendingTo = batch.to.offset;
    await this.#save();
    const outcome = await this.#persist(() => this.#send(batch));
    if (outcome === 'done') this.#delivered(batch);
    else if (outcome !== 'stopped') await this.#refused(batch, outcome);
  }

  /** Tries until it is done, refused for good, or has to stop. */
  async #persist(attempt: () => Promise<void>): Promise<'done' | 'stopped' | Failure> {
    let retryMs = this.#limits.retryMsMin;
    while (!this.#stopping.aborted) {
      try {
        await attempt();
        return 'done';
      } catch (error) {
        const failure = classify(error);
        if (failure.verdict === 'refuse') return failure;
        this.#failed(failure);
      }
      await this.#pause(retryMs * (0.5 + Math.random()));
      retryMs = Math.min(retryMs * 2, this.#limits.retryMsMax);
    }
    return 'stopped';
  }

  async #send(batch: Batch): Promise<void> {
    const stored = [...(this.#stored?.partitions ?? [])];
    const wasInDoubt = this.#inDoubt;
    if (wasInDoubt) stored.push(...(await this.#store.stored(this.#number)).partitions);
    this.#inDoubt = true;
    try {
      await this.#store.insert(batch, this.#number, stored);
      if (wasInDoubt && this.#stored === undefined) await this.#bringMissing(batch);
    } catch (error) {
      if (classify(error).verdict === 'refuse') await this.#noteStored(batch);
      throw error;
    }
  }

  /**
   * A store that was killed may know a batch for taken that it does not have, and drop it. What is missing
   * after some time, in which whatever was under way has come into sight, is brought as another one.
   */
  async #bringMissing(batch: Batch): Promise<void> {
    if ((await this.#store.stored(this.#number)).records >= batch.records) return;
    await this.#pause(this.#limits.missingMs);
    const { partitions, records } = await this.#store.stored(this.#number);
    if (records >= batch.records) return;
    await this.#store.insert(batch, this.#number, partitions, 'again');
  }

  /** What the store took of a batch before it refused the rest: its parts are sent without that. */
  async #noteStored(batch: Batch): Promise<void> {
    const { partitions } = await this.#store.stored(this.#number);
    if (partitions.length > 0) this.#stored ??= { to: batch.to.offset, partitions };
  }

  /** A log that was reverted or copied must not take another's batches for its own. */
  async #assureOwn(): Promise<void> {
    if ((await this.#store.newest()) > this.#knownAtStart) await this.#onReverted();
    else this.#isOwn = true;
  }

  #delivered(batch: Batch): void {
    if (this.#stats.state !== 'running') this.#logger.info('the store takes batches again');
    this.#stats.state = 'running';
    this.#stats.storedBatches += 1;
    this.#stats.storedRecords += batch.records;
    this.#number += 1;
    this.#passTo(batch.to);
    this.#framesMax = Math.min(this.#framesMax * 2, Number.MAX_SAFE_INTEGER);
  }

  #failed(failure: Failure): void {
    const state = failure.verdict === 'alarm' ? 'alarmed' : 'retrying';
    if (this.#stats.state !== state) {
      const level = state === 'alarmed' ? 'error' : 'warn';
      this.#logger[level](
        { code: failure.code },
        `the store does not take a batch: ${failure.reason}`,
      );
    }
    this.#stats.state = state;
    this.#stats.retries += 1;
    this.#onProgress();
  }

  /** Halves the batch: what is read next from the same position ends earlier, under its own number. */
  async #refused(batch: Batch, failure: Failure): Promise<void> {
    this.#number += 1;
    this.#sendingTo = undefined;
    this.#inDoubt = false;
    if (batch.frames > 1) {
      this.#framesMax = Math.floor(batch.frames / 2);
      return;
    }
    this.#logger.error(
      { code: failure.code, records: batch.records, ...batch.from },
      'quarantined a frame that the store refuses for good',
    );
    await appendLine(join(this.#directory, 'quarantine.ndjson'), {
      at: new Date().toISOString(),
      format: this.#format,
      ...batch.from,
      records: batch.records,
      code: failure.code,
      reason: failure.reason,
      payload: batch.body.toString('base64'),
    });
    this.#stats.quarantinedRecords += batch.records;
    this.#passTo(batch.to);
  }

  #passTo(to: Position): void {
    const leaves = to.segment !== this.#position.segment || to.offset >= (this.#stored?.to ?? 0);
    if (leaves) this.#stored = undefined;
    this.#position = to;
    this.#sendingTo = undefined;
    this.#inDoubt = false;
  }

  #cursorPath(): string {
    return join(this.#directory, `${this.#format}.cursor`);
  }

  async #save(): Promise<void> {
    const cursor = {
      position: this.#position,
      batch: this.#number,
      sendingTo: this.#sendingTo,
      stored: this.#stored,
    };
    await writeCursor(this.#cursorPath(), cursor);
    this.#savedPosition = cursor.position;
    this.#savedSendingTo = cursor.sendingTo;
  }

  /** The oldest segment this sink would need after a crash. */
  neededSegment(): number {
    return this.#savedPosition.segment;
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = () => {
      clearTimeout(timer);
      this.#stopping.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    this.#stopping.addEventListener('abort', done);
    return promise;
  }
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
