import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../infra/log.ts';
import { readPosition, writePosition } from '../log/cursor.ts';
import { before, type Position } from '../log/format.ts';
import type { LogReader } from '../log/reader.ts';
import type { SharedPositions } from '../log/shared.ts';
import { BatchNotes } from './batch-notes.ts';
import { endOf, startOf, type Stretch, Trail } from './trail.ts';
import type { WebhookBatch, WebhookBatches } from './webhook-batch.ts';
import type { WebhookQueue } from './webhook-queue.ts';

/** `paused`: the queue is full. `retrying`: Redis or Postgres is away. */
export type WebhookSinkState = 'running' | 'paused' | 'retrying';

export type WebhookSinkStats = {
  state: WebhookSinkState;
  pendingBytes: number;
  forwardedMessages: number;
  enqueuedCopies: number;
  retries: number;
  /** How often Redis may have lost jobs, and they were added again. */
  rewinds: number;
};

export type WebhookSinkLimits = {
  batchBytesMax: number;
  batchFramesMax: number;
  /** After a batch that was not full the next one waits this long for company. */
  batchAgeMsMax: number;
  pollMs: number;
  pausedPollMs: number;
  retryMsMin: number;
  retryMsMax: number;
  /** How often Redis is looked at while jobs are not safe in it yet. */
  lookMs: number;
  /** More than the most that Redis loses when it is killed. */
  loseMsMax: number;
  cursorMs: number;
};

/**
 * Follows the log for webhooks and adds packs of messages to the queue, at least once: what is not known to
 * be safe in the queue is added again after a crash, in the same packs under the same ids. While the queue is
 * full, or Redis or Postgres away, it waits, and the log keeps what it has not passed.
 */
export class WebhookSink {
  readonly #directory: string;
  readonly #notes: BatchNotes;
  readonly #reader: LogReader;
  readonly #positions: SharedPositions;
  readonly #batches: WebhookBatches;
  readonly #queue: WebhookQueue;
  readonly #limits: WebhookSinkLimits;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  readonly #onProgress: () => void;

  #position: Position = { segment: 0, offset: 0 };
  #trail: Trail;
  /** Behind the position, batches that were added before and may be lost. */
  #again: Stretch[] = [];
  #saved: Position = { segment: 0, offset: 0 };
  #savedAt = 0;
  #current: WebhookBatch | undefined;
  /** Prepared while the current one is added. */
  #next: Promise<WebhookBatch | undefined> | undefined;
  #lastBatchAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isMemoryLow = false;
  readonly #stats = {
    state: 'running' as WebhookSinkState,
    forwardedMessages: 0,
    enqueuedCopies: 0,
    retries: 0,
    rewinds: 0,
  };

  constructor(options: {
    directory: string;
    reader: LogReader;
    positions: SharedPositions;
    batches: WebhookBatches;
    queue: WebhookQueue;
    limits: WebhookSinkLimits;
    logger: Logger;
    stopping: AbortSignal;
    onProgress: () => void;
  }) {
    this.#directory = options.directory;
    this.#notes = new BatchNotes(join(options.directory, 'webhook.batches'));
    this.#reader = options.reader;
    this.#positions = options.positions;
    this.#batches = options.batches;
    this.#queue = options.queue;
    this.#limits = options.limits;
    this.#logger = options.logger.child({ sink: 'webhook' });
    this.#stopping = options.stopping;
    this.#onProgress = options.onProgress;
    this.#trail = new Trail(this.#position, this.#limits.loseMsMax);
  }

  stats(): WebhookSinkStats {
    return { ...this.#stats, pendingBytes: this.#reader.pendingBytes(this.#position) };
  }

  /** The oldest segment this sink would need after a crash. */
  neededSegment(): number {
    return this.#saved.segment;
  }

  /** Runs until `stopping`. */
  async run(): Promise<void> {
    this.#saved = (await readPosition(this.#cursorPath())) ?? this.#saved;
    this.#position = this.#saved;
    this.#trail = new Trail(this.#position, this.#limits.loseMsMax);
    this.#again = await this.#notes.since(this.#position);
    // Behind a line that was cut off the next one would be lost.
    await this.#notes.keep(this.#again);
    let retryMs = this.#limits.retryMsMin;
    while (!this.#stopping.aborted) {
      let waitMs: number;
      try {
        waitMs = await this.#step();
        retryMs = this.#limits.retryMsMin;
      } catch (error) {
        this.#failed(error);
        waitMs = retryMs * (0.5 + Math.random());
        retryMs = Math.min(retryMs * 2, this.#limits.retryMsMax);
      }
      this.#onProgress();
      if (waitMs > 0) await this.#pause(waitMs);
    }
    await this.#next?.catch(() => undefined);
    await this.#save();
  }

  /** Adds one batch, if there is one; gives how long to wait before the next step. */
  async #step(): Promise<number> {
    if (this.#trail.isWaiting) await this.#lookAtRedis();
    this.#current ??= await this.#take();
    const batch = this.#current;
    if (batch === undefined) {
      this.#become('running');
      await this.#saveSometimes();
      return this.#limits.pollMs;
    }
    if (batch.messages > 0) {
      await this.#lookAtRedis();
      // It may have been found to be another one, and this batch not the next any more.
      if (this.#current !== batch) return 0;
      if (this.#isMemoryLow || (await this.#queue.isFull())) {
        this.#become('paused');
        await this.#saveSometimes();
        return this.#limits.pausedPollMs;
      }
      this.#next ??= this.#prepare(batch.to);
      // Its failure is met when it is taken.
      this.#next.catch(() => undefined);
      await this.#add(batch);
    }
    this.#become('running');
    this.#advance(batch);
    await this.#saveSometimes();
    return 0;
  }

  async #take(): Promise<WebhookBatch | undefined> {
    const next = this.#next ?? this.#prepare(this.#position);
    this.#next = undefined;
    return next;
  }

  /** The batch behind `position`. Undefined: nothing is committed there, or too little yet. */
  async #prepare(position: Position): Promise<WebhookBatch | undefined> {
    const again = this.#again.find((stretch) => !before(startOf(stretch), position));
    if (again !== undefined) return this.#prepareAgain(position, again);
    const committed = this.#positions.committed();
    if (!before(position, this.#positions.webhooksEnd())) {
      return before(position, committed) ? nothingUpTo(committed) : undefined;
    }
    const { batchBytesMax: bytesMax, batchFramesMax: framesMax, batchAgeMsMax } = this.#limits;
    const isYoung = performance.now() - this.#lastBatchAt < batchAgeMsMax;
    if (isYoung && this.#reader.pendingBytes(position) < bytesMax) return undefined;
    const batch = await this.#reader.read(position, { bytesMax, framesMax });
    if (batch === undefined) return undefined;
    const isFull = batch.frames === framesMax;
    this.#lastBatchAt = isFull ? Number.NEGATIVE_INFINITY : performance.now();
    return this.#batches.prepare(batch);
  }

  /**
   * Batches that were added before end where they did. What lies before the next one had no jobs, or its note
   * was lost in a power cut, so that it is read too.
   */
  async #prepareAgain(position: Position, stretch: Stretch): Promise<WebhookBatch | undefined> {
    const { batchBytesMax: bytesMax, batchFramesMax: framesMax } = this.#limits;
    const isBefore = before(position, startOf(stretch));
    const end = isBefore ? stretch.from : stretch.to;
    const exactlyTo = position.segment === stretch.segment ? end : undefined;
    const batch = await this.#reader.read(position, { bytesMax, framesMax }, exactlyTo);
    if (batch !== undefined) return this.#batches.prepare(batch);
    // The log does not have it any more.
    this.#again = this.#again.filter((one) => one !== stretch);
    return undefined;
  }

  async #add(batch: WebhookBatch): Promise<void> {
    await this.#notes.note(batch.stretch);
    await this.#queue.add(batch.packs);
  }

  #advance(batch: WebhookBatch): void {
    this.#current = undefined;
    this.#position = batch.to;
    this.#again = this.#again.filter((stretch) => before(batch.to, endOf(stretch)));
    this.#stats.forwardedMessages += batch.messages;
    this.#stats.enqueuedCopies += batch.copies;
    if (batch.messages > 0) this.#trail.added(batch.stretch, performance.now());
    else this.#trail.passed(batch.to);
  }

  /** What is safe in Redis by now, and does it still have it? Asked now and then. */
  async #lookAtRedis(): Promise<void> {
    const askedMs = performance.now();
    if (askedMs - this.#lookedAt < this.#limits.lookMs) return;
    const { run, isMemoryLow } = await this.#queue.look();
    this.#lookedAt = askedMs;
    this.#isMemoryLow = isMemoryLow;
    const lost = this.#trail.seen(run, askedMs);
    if (lost.length === 0) return;
    await this.#next?.catch(() => undefined);
    this.#next = undefined;
    this.#current = undefined;
    this.#position = this.#trail.safe;
    this.#again = [...lost, ...this.#again];
    this.#stats.rewinds += 1;
    this.#logger.warn(
      this.#position,
      'Redis is another one than before: adding the last jobs again',
    );
  }

  #become(state: WebhookSinkState): void {
    if (this.#stats.state === state) return;
    if (state === 'paused')
      this.#logger.warn('the queue of webhooks is full; messages wait in the log');
    if (state === 'running') this.#logger.info('messages go to webhooks again');
    this.#stats.state = state;
  }

  /** Not the error whole: Redis' errors hold the command, and so the message. */
  #failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#stats.state !== 'retrying') {
      this.#logger.warn({ error: reason }, 'messages for webhooks wait in the log');
    }
    this.#stats.state = 'retrying';
    this.#stats.retries += 1;
  }

  /** A segment that is passed can go at once; otherwise the disk is left alone for a while. */
  async #saveSometimes(): Promise<void> {
    const { safe } = this.#trail;
    if (!before(this.#saved, safe)) return;
    const isOver = safe.segment !== this.#saved.segment;
    if (isOver || performance.now() - this.#savedAt >= this.#limits.cursorMs) await this.#save();
  }

  async #save(): Promise<void> {
    const { safe } = this.#trail;
    await writePosition(this.#cursorPath(), safe);
    await this.#notes.keep([...this.#trail.unsafe, ...this.#again]);
    this.#saved = safe;
    this.#savedAt = performance.now();
  }

  #cursorPath(): string {
    return join(this.#directory, 'webhook.cursor');
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stopping }).catch(() => undefined);
  }
}

function nothingUpTo(to: Position): WebhookBatch {
  const stretch = { segment: to.segment, from: to.offset, to: to.offset };
  return { stretch, to, messages: 0, copies: 0, packs: [] };
}
