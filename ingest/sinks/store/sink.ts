import { join } from 'node:path';
import type { Failure } from '../../../infra/runtime/network/failure.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Cursor, readCursor, writeCursor } from '../../log/cursor.ts';
import { before, type Format, type Position } from '../../log/format.ts';
import type { SharedPositions } from '../../log/positions.ts';
import type { Batch, LogReader } from '../../log/reader.ts';
import { Backoff } from '../../../infra/runtime/process/backoff.ts';
import { unbounded } from '../batch-size.ts';
import { stateAfter } from '../failure.ts';
import { quarantine } from '../notes.ts';
import type { SinkProgress } from '../sink.ts';
import { classify } from './classify.ts';
import * as progress from './progress.ts';
import { newestKnown } from './reverted.ts';
import type { Store } from './send.ts';

/** The counts of a sink, and how far it is. */
export type StoreSinkStats = SinkProgress & {
  storedBatches: number;
  storedRecords: number;
  quarantinedRecords: number;
  retries: number;
};

export type StoreSinkLimits = {
  batchBytesMax: number;
  /** A batch that is not full waits for more until this long after the one before. */
  batchAgeMsMax: number;
  /** The cursor is written before each batch, and this long after a batch that no other follows. */
  cursorIdleMs: number;
  /** After this long, queries see what the store took, even if it was stalled. */
  missingMs: number;
  /** How often it is looked whether a batch is full that is not so old yet. */
  pollMs: number;
  retryMsMin: number;
  retryMsMax: number;
};

export type StoreSinkOptions = {
  format: Format;
  directory: string;
  reader: LogReader;
  store: Store;
  limits: StoreSinkLimits;
  logger: Logger;
  stopping: AbortSignal;
  /** Tells of commits and of what formats they are, and whether a deletion waits for the cursor on the disk. */
  positions: Pick<SharedPositions, 'awaited' | 'clearTo' | 'wake' | 'wakes' | 'untilWoken'>;
  onProgress: () => void;
  /** The store has newer batches of this log than the log knows of: nothing more is sent. */
  onReverted: () => Promise<void>;
};

/**
 * Follows the log for one format and delivers every frame to the store exactly once: a batch's number and
 * boundaries are on the disk before it is sent. If the store may have it already, after a crash or a failed
 * attempt, the store is asked what it has under that number, and gets the rest. A batch that the store refuses
 * for good is halved until the frame that is to blame stands alone. That frame goes to the quarantine.
 */
export class StoreSink {
  readonly #options: StoreSinkOptions;
  readonly #reader: LogReader;
  readonly #store: Store;
  readonly #limits: StoreSinkLimits;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  readonly #cursorPath: string;

  #progress = progress.restored(undefined);
  /** The cursor on the disk. */
  #saved: Cursor = progress.cursorOf(this.#progress);
  /** The newest batch that the log knew of when it was opened. */
  #knownAtStart = 0;
  #isOwn = false;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  #state: SinkProgress['state'] = 'running';
  readonly #counts = {
    storedBatches: 0,
    storedRecords: 0,
    quarantinedFrames: 0,
    quarantinedRecords: 0,
    retries: 0,
    skippedBytes: 0,
  };

  constructor(options: StoreSinkOptions) {
    this.#options = options;
    this.#reader = options.reader;
    this.#store = options.store;
    this.#limits = options.limits;
    this.#logger = options.logger.child({ sink: options.format });
    this.#stopping = options.stopping;
    this.#cursorPath = join(options.directory, `${options.format}.cursor`);
    options.stopping.addEventListener('abort', options.positions.wake);
  }

  stats(): StoreSinkStats {
    const { position } = this.#progress;
    const pendingBytes = this.#reader.pendingBytes(position);
    const { position: saved } = this.#saved;
    return { ...this.#counts, state: this.#state, position, saved, pendingBytes };
  }

  /** The oldest segment this sink would need after a crash. */
  neededSegment(): number {
    return this.#saved.position.segment;
  }

  /** Runs until `stopping`; a batch under way is finished or left to the next start. */
  async run(): Promise<void> {
    const cursor = await readCursor(this.#cursorPath);
    this.#progress = progress.restored(cursor);
    this.#saved = progress.cursorOf(this.#progress);
    this.#knownAtStart = newestKnown(cursor);
    while (!this.#stopping.aborted) {
      const wakes = this.#options.positions.wakes([this.#options.format]);
      const batch = await this.#read();
      if (batch === undefined) await this.#rest(wakes);
      else if (batch.frames === 0) await this.#pass(batch.to);
      else await this.#deliver(batch);
      await this.#passOthers();
      if (this.#mustSave()) await this.#save();
      this.#options.onProgress();
    }
    await this.#save();
    this.#options.onProgress();
  }

  /** Where only frames of other formats follow, they need not be read. */
  async #passOthers(): Promise<void> {
    const { position, batch } = this.#progress;
    const clear = this.#options.positions.clearTo([this.#options.format], position);
    if (clear === undefined || batch.is !== 'none' || !before(position, clear)) return;
    await this.#pass(clear);
  }

  async #read(): Promise<Batch | undefined> {
    const { position, batch, framesMax } = this.#progress;
    const { batchBytesMax, batchAgeMsMax } = this.#limits;
    const isHalved = framesMax < unbounded;
    const isYoung = performance.now() - this.#lastSentAt < batchAgeMsMax && !isHalved;
    if (isYoung && this.#reader.pendingBytes(position) < batchBytesMax) return undefined;
    const exactlyTo = batch.is === 'none' ? undefined : batch.to;
    return this.#reader.read(position, { bytesMax: batchBytesMax, framesMax }, exactlyTo);
  }

  /**
   * Until a batch is old enough, or may be full. Without messages for one: until it is woken, or the cursor is to be
   * saved.
   */
  async #rest(wakes: number): Promise<void> {
    const { format, positions } = this.#options;
    const { batchAgeMsMax, cursorIdleMs, pollMs } = this.#limits;
    const sinceMs = performance.now() - this.#lastSentAt;
    const { position } = this.#progress;
    const clear = positions.clearTo([format], position);
    if (clear === undefined) {
      const youngMs = batchAgeMsMax - sinceMs;
      await this.#pause(youngMs > 0 ? Math.min(youngMs, pollMs) : pollMs);
    } else if (!before(position, clear) && !this.#mustSave()) {
      const isSaved = this.#saved.sendingTo === undefined;
      const restMs = isSaved ? Infinity : Math.max(cursorIdleMs - sinceMs, 0);
      await positions.untilWoken([format], wakes, restMs);
    }
  }

  /** The range has no frame of this format: the cursor on the disk follows once a segment is passed. */
  async #pass(to: Position): Promise<void> {
    this.#progress = progress.passed(this.#progress, to);
    if (to.segment !== this.#saved.position.segment) await this.#save();
  }

  async #deliver(batch: Batch): Promise<void> {
    this.#lastSentAt = performance.now();
    if (!this.#isOwn) await this.#persist(() => this.#checkIdentity());
    if (!this.#isOwn) return;
    this.#progress = progress.begun(this.#progress, batch, unixSeconds());
    await this.#save();
    const outcome = await this.#persist(() => this.#send(batch));
    if (outcome === 'done') this.#delivered(batch);
    else if (outcome !== 'stopped') await this.#refused(batch, outcome);
  }

  /** Tries until `attempt` is done or refused for good, or the sink stops. */
  async #persist(attempt: () => Promise<void>): Promise<'done' | 'stopped' | Failure> {
    const backoff = new Backoff(this.#limits.retryMsMin, this.#limits.retryMsMax);
    while (!this.#stopping.aborted) {
      try {
        await attempt();
        return 'done';
      } catch (error) {
        const failure = classify(error);
        if (failure.decision === 'refuse') return failure;
        this.#failed(failure);
      }
      await this.#pause(backoff.next());
    }
    return 'stopped';
  }

  async #send(batch: Batch): Promise<void> {
    const { number, partlyStored } = this.#progress;
    const partitions = [...(partlyStored?.partitions ?? [])];
    const isInDoubt = this.#progress.batch.is === 'inDoubt';
    if (isInDoubt) partitions.push(...(await this.#store.stored(number)).partitions);
    this.#progress = progress.sent(this.#progress);
    try {
      await this.#store.insert(batch, number, partitions);
      if (isInDoubt && partlyStored === undefined) await this.#insertMissing(batch);
    } catch (error) {
      if (classify(error).decision === 'refuse') {
        const { partitions: taken } = await this.#store.stored(number);
        this.#progress = progress.takenInPart(this.#progress, batch, taken);
      }
      throw error;
    }
  }

  /**
   * A store that was killed may believe that it has a batch, and drop it, though it does not have it. So the sink waits
   * until every insert under way can be seen, and inserts what is missing under another token.
   */
  async #insertMissing(batch: Batch): Promise<void> {
    const { number } = this.#progress;
    if ((await this.#store.stored(number)).records >= batch.records) return;
    await this.#pause(this.#limits.missingMs);
    await this.#store.syncReplicas();
    const { partitions, records } = await this.#store.stored(number);
    if (records >= batch.records) return;
    await this.#store.insert(batch, number, partitions, 'again');
  }

  /** A log that was reverted or copied must not take another's batches for its own. */
  async #checkIdentity(): Promise<void> {
    if ((await this.#store.newest()) > this.#knownAtStart) await this.#options.onReverted();
    else this.#isOwn = true;
  }

  #delivered(batch: Batch): void {
    if (this.#state !== 'running') this.#logger.info('the store takes batches again');
    this.#state = 'running';
    this.#counts.storedBatches += 1;
    this.#counts.storedRecords += batch.records;
    this.#progress = progress.stored(this.#progress, batch);
  }

  #failed(failure: Failure): void {
    const state = stateAfter(failure);
    const { code, reason } = failure;
    if (this.#state !== state && state === 'retrying') {
      this.#logger.warn({ code, reason }, 'the store does not take a batch');
    } else if (this.#state !== state) {
      this.#logger.error({ code, reason }, 'batches fail for a reason that is not known');
    }
    this.#state = state;
    this.#counts.retries += 1;
    this.#options.onProgress();
  }

  async #refused(batch: Batch, { code, reason }: Failure): Promise<void> {
    if (batch.frames > 1) {
      this.#progress = progress.refused(this.#progress, batch.frames);
      return;
    }
    const { directory, format } = this.#options;
    const { from, records } = batch;
    this.#logger.error(
      { code, records, ...from },
      'quarantined a frame that the store refuses for good',
    );
    const payload = batch.body.toString('base64');
    await quarantine(directory, format, from, { records, code, reason, payload });
    this.#counts.quarantinedFrames += 1;
    this.#counts.quarantinedRecords += records;
    this.#progress = progress.quarantined(this.#progress, batch);
  }

  /**
   * The cursor is saved once no batch follows for a while, so that none stays in doubt on the disk; and at once when a
   * deletion waits for it.
   */
  #mustSave(): boolean {
    const awaited = this.#options.positions.awaited();
    const { position, batch } = this.#progress;
    if (before(this.#saved.position, awaited) && !before(position, awaited)) return true;
    if (batch.is !== 'none' || this.#saved.sendingTo === undefined) return false;
    return performance.now() - this.#lastSentAt >= this.#limits.cursorIdleMs;
  }

  async #save(): Promise<void> {
    const cursor = progress.cursorOf(this.#progress);
    await writeCursor(this.#cursorPath, cursor);
    this.#saved = cursor;
  }

  #pause(ms: number): Promise<void> {
    if (this.#stopping.aborted) return Promise.resolve();
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
