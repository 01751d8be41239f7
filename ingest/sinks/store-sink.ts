import { join } from 'node:path';
import type { Logger } from '../../infra/log.ts';
import { readCursor, writeCursor } from '../log/cursor.ts';
import { appendLine } from '../log/files.ts';
import type { Format, Position } from '../log/format.ts';
import type { Batch, LogReader } from '../log/reader.ts';
import { classify, type Failure } from './classify.ts';

/** What a sink has done so far, and how it is. */
export type SinkStats = {
  state: 'running' | 'retrying' | 'alarmed';
  position: Position;
  pendingBytes: number;
  storedBatches: number;
  storedRecords: number;
  quarantinedRecords: number;
  retries: number;
};

export type SinkLimits = {
  batchBytesMax: number;
  /** A batch that is not full waits for company until this long after the one before. */
  batchAgeMsMax: number;
  pollMs: number;
  retryMsMin: number;
  retryMsMax: number;
};

/**
 * Follows the log for one format and brings every frame into the store exactly once: a batch's
 * boundaries are on the disk before it is sent, and after a crash it is sent again with the same ones.
 * What the store refuses for good is halved until the guilty frame stands alone; that one goes to the
 * quarantine, and the rest goes on.
 */
export class StoreSink {
  readonly #format: Format;
  readonly #directory: string;
  readonly #reader: LogReader;
  readonly #send: (batch: Batch, number: number) => Promise<void>;
  readonly #limits: SinkLimits;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  readonly #onProgress: () => void;

  #position: Position = { segment: 0, offset: 0 };
  #savedPosition: Position = { segment: 0, offset: 0 };
  /** Of the next batch: the later one was acknowledged later. */
  #number = 1;
  /** Where the batch ends that may already be in the store: until that is known, its end is kept. */
  #sendingTo: number | undefined;
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
    send: (batch: Batch, number: number) => Promise<void>;
    limits: SinkLimits;
    logger: Logger;
    stopping: AbortSignal;
    onProgress: () => void;
  }) {
    this.#format = options.format;
    this.#directory = options.directory;
    this.#reader = options.reader;
    this.#send = options.send;
    this.#limits = options.limits;
    this.#logger = options.logger.child({ sink: options.format });
    this.#stopping = options.stopping;
    this.#onProgress = options.onProgress;
  }

  stats(): SinkStats {
    const pendingBytes = this.#reader.pendingBytes(this.#position);
    return { ...this.#stats, position: this.#position, pendingBytes };
  }

  /** Runs until `stopping`; a batch under way is finished or left to the next start. */
  async run(): Promise<void> {
    const cursor = await readCursor(this.#cursorPath());
    this.#position = this.#savedPosition = cursor?.position ?? this.#position;
    this.#number = cursor?.batch ?? this.#number;
    this.#sendingTo = cursor?.sendingTo;
    while (!this.#stopping.aborted) {
      const batch = await this.#next();
      if (batch === undefined) await this.#pause(this.#limits.pollMs);
      else if (batch.frames === 0) await this.#passBy(batch.to);
      else await this.#deliver(batch);
      this.#onProgress();
    }
    await this.#save();
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
    this.#position = to;
    this.#sendingTo = undefined;
    if (to.segment !== this.#savedPosition.segment) await this.#save();
  }

  async #deliver(batch: Batch): Promise<void> {
    this.#lastSentAt = performance.now();
    // By the clock, so that what all logs brought lately has numbers close together: who looks for that
    // need not look at the rest. A batch that is sent again keeps its number.
    if (this.#sendingTo === undefined) this.#number = Math.max(this.#number, unixSeconds());
    this.#position = batch.from;
    this.#sendingTo = batch.to.offset;
    await this.#save();
    let retryMs = this.#limits.retryMsMin;
    while (!this.#stopping.aborted) {
      try {
        await this.#send(batch, this.#number);
        return this.#delivered(batch);
      } catch (error) {
        const failure = classify(error);
        if (failure.verdict === 'refuse') return this.#refused(batch, failure);
        this.#failed(failure);
        await this.#pause(retryMs * (0.5 + Math.random()));
        retryMs = Math.min(retryMs * 2, this.#limits.retryMsMax);
      }
    }
  }

  #delivered(batch: Batch): void {
    if (this.#stats.state !== 'running') this.#logger.info('the store takes batches again');
    this.#stats.state = 'running';
    this.#stats.storedBatches += 1;
    this.#stats.storedRecords += batch.records;
    this.#position = batch.to;
    this.#number += 1;
    this.#sendingTo = undefined;
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

  /** Halves the batch: what is read next from the same position ends earlier, under its own token. */
  async #refused(batch: Batch, failure: Failure): Promise<void> {
    this.#sendingTo = undefined;
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
    this.#position = batch.to;
  }

  #cursorPath(): string {
    return join(this.#directory, `${this.#format}.cursor`);
  }

  async #save(): Promise<void> {
    const cursor = {
      position: this.#position,
      batch: this.#number,
      sendingTo: this.#sendingTo,
    };
    await writeCursor(this.#cursorPath(), cursor);
    this.#savedPosition = cursor.position;
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
