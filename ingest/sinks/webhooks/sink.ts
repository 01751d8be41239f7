import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../../../infra/runtime/network/failure.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { readFrames } from '../../../infra/runtime/webhooks/frames.ts';
import { readPosition, writePosition } from '../../log/cursor.ts';
import { before, type LogRange, type Position, startOf } from '../../log/format.ts';
import type { SharedPositions } from '../../log/positions.ts';
import type { Batch, LogReader } from '../../log/reader.ts';
import { Backoff } from '../backoff.ts';
import { stateAfter } from '../failure.ts';
import { quarantine } from '../notes.ts';
import type { SinkProgress } from '../sink.ts';
import { BatchNotes } from './batch-notes.ts';
import { classify } from './classify.ts';
import { DurabilityTracker } from './durability-tracker.ts';
import type { WebhookBatch, WebhookBatches } from './prepare.ts';
import * as progress from './progress.ts';
import type { WebhookQueue } from './send.ts';

/** The counts of the sink, and how far it is. */
export type WebhookSinkStats = SinkProgress & {
  forwardedMessages: number;
  queuedDeliveries: number;
  /** Deliveries that wait in Postgres for a place in the queue, and deliveries that are not kept. */
  waitingDeliveries: number;
  missedDeliveries: number;
  quarantinedMessages: number;
  retries: number;
  /** How often Redis may have lost jobs, and they were added again. */
  rewinds: number;
};

export type WebhookSinkLimits = {
  batchBytesMax: number;
  batchFramesMax: number;
  /** After a batch that was not full the next one waits this long for more. */
  batchAgeMsMax: number;
  pollMs: number;
  retryMsMin: number;
  retryMsMax: number;
  /** How often Redis is asked while jobs are not safe in it yet. */
  lookMs: number;
  /** More than the most that Redis loses when it is killed. */
  loseMsMax: number;
  cursorMs: number;
};

export type WebhookSinkOptions = {
  directory: string;
  reader: LogReader;
  positions: SharedPositions;
  batches: WebhookBatches;
  queue: WebhookQueue;
  limits: WebhookSinkLimits;
  logger: Logger;
  stopping: AbortSignal;
  onProgress: () => void;
};

/** A batch that could not be prepared or added: how many frames it has, and the content of one. */
type FailedBatch = Pick<WebhookBatch, 'range' | 'to' | 'frames' | 'body'>;

class BatchFailed extends Error {
  override readonly name = 'BatchFailed';
  readonly batch: FailedBatch;

  constructor(batch: FailedBatch, cause: unknown) {
    super('a batch for webhooks failed', { cause });
    this.batch = batch;
  }
}

/**
 * Follows the log for webhooks and adds bundles of messages to the queue, at least once: what is not known to be
 * safe in the queue is added again after a crash, in the same bundles under the same ids. While the queue has no room,
 * messages wait in Postgres; only while Redis or Postgres is away, they wait in the log. A batch that is refused for
 * good is halved until the frame that is to blame stands alone. That frame goes to the quarantine.
 */
export class WebhookSink {
  readonly #options: WebhookSinkOptions;
  readonly #notes: BatchNotes;
  readonly #reader: LogReader;
  readonly #positions: SharedPositions;
  readonly #queue: WebhookQueue;
  readonly #limits: WebhookSinkLimits;
  readonly #logger: Logger;
  readonly #cursorPath: string;
  readonly #backoff: Backoff;

  #progress = progress.restored({ segment: 0, offset: 0 }, []);
  #tracker: DurabilityTracker;
  #saved: Position = { segment: 0, offset: 0 };
  #savedAt = 0;
  /** The batch after this one, prepared while its jobs are added. */
  #next: Promise<WebhookBatch | undefined> | undefined;
  #lastBatchAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #hasRoom = true;
  #state: SinkProgress['state'] = 'running';
  readonly #counts = {
    forwardedMessages: 0,
    queuedDeliveries: 0,
    waitingDeliveries: 0,
    missedDeliveries: 0,
    quarantinedMessages: 0,
    retries: 0,
    rewinds: 0,
  };

  constructor(options: WebhookSinkOptions) {
    this.#options = options;
    this.#notes = new BatchNotes(join(options.directory, 'webhook.batches'));
    this.#cursorPath = join(options.directory, 'webhook.cursor');
    this.#reader = options.reader;
    this.#positions = options.positions;
    this.#queue = options.queue;
    this.#limits = options.limits;
    this.#logger = options.logger.child({ sink: 'webhook' });
    this.#backoff = new Backoff(this.#limits.retryMsMin, this.#limits.retryMsMax);
    this.#tracker = new DurabilityTracker(this.#saved, this.#limits.loseMsMax);
    options.stopping.addEventListener('abort', options.positions.wake);
  }

  stats(): WebhookSinkStats {
    const { position } = this.#progress;
    const pendingBytes = this.#reader.pendingBytes(position);
    return { ...this.#counts, state: this.#state, position, saved: this.#saved, pendingBytes };
  }

  /** The oldest segment this sink would need after a crash. */
  neededSegment(): number {
    return this.#saved.segment;
  }

  /** Runs until `stopping`. */
  async run(): Promise<void> {
    await this.#restore();
    const { stopping, onProgress } = this.#options;
    while (!stopping.aborted) {
      let waitMs: number;
      let isIdle = false;
      const wakes = this.#positions.wakes('webhook');
      try {
        waitMs = await this.#step();
        this.#backoff.reset();
        isIdle = this.#isIdle();
      } catch (error) {
        const isSmaller = await this.#failed(error);
        waitMs = this.#backoff.next(!isSmaller);
      }
      onProgress();
      if (isIdle) {
        const isSaved = !before(this.#saved, this.#tracker.safe);
        const restMs = isSaved ? Infinity : this.#limits.cursorMs;
        await this.#positions.untilWoken('webhook', wakes, restMs);
      } else if (waitMs > 0) {
        await delay(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
    await this.#next?.catch(() => undefined);
    await this.#save();
  }

  async #restore(): Promise<void> {
    this.#saved = (await readPosition(this.#cursorPath)) ?? this.#saved;
    this.#tracker = new DurabilityTracker(this.#saved, this.#limits.loseMsMax);
    const noted = await this.#notes.since(this.#saved);
    this.#progress = progress.restored(this.#saved, noted);
    // The next note would be lost after a line that was cut off.
    await this.#notes.keep(noted);
  }

  /** True if there is nothing to do before the next commit with messages for webhooks, except to write the cursor. */
  #isIdle(): boolean {
    const { position, batch, again } = this.#progress;
    if (batch.is !== 'none' || this.#next !== undefined || again.length > 0) return false;
    const isClear = this.#positions.clearTo('webhook', position) !== undefined;
    return isClear && !this.#tracker.isWaiting;
  }

  /** Adds one batch, if there is one; gives how long to wait before the next step. */
  async #step(): Promise<number> {
    if (this.#tracker.isWaiting) await this.#lookAtRedis();
    const batch = await this.#take();
    if (batch === undefined) {
      this.#noteRunning();
      await this.#saveSometimes();
      return this.#limits.pollMs;
    }
    // Redis may prove to be another one, and this batch not the next any more.
    if (batch.messages + batch.waiting > 0) await this.#lookAtRedis();
    if (this.#progress.batch.is === 'none') return 0;
    if (batch.messages > 0 && batch.hadRoom && !this.#hasRoom) {
      // Redis may refuse it: its deliveries wait in Postgres instead, with the bundles that are kept already.
      await this.#dropNext();
      this.#progress = progress.waiting(this.#progress, batch.range);
      return 0;
    }
    if (batch.messages > 0) {
      this.#next ??= this.#prepare(batch.to);
      // `#take` handles its failure.
      this.#next.catch(() => undefined);
      await this.#add(batch);
    }
    this.#noteRunning();
    this.#count(batch);
    this.#track(batch);
    this.#progress = progress.added(this.#progress, batch.to);
    await this.#saveSometimes();
    // Until jobs are safe in Redis the sink does not rest: then looking at each commit is work for nothing.
    const isClear = this.#positions.clearTo('webhook', batch.to) !== undefined;
    return batch.frames === 0 && isClear ? this.#limits.pollMs : 0;
  }

  /** The batch at the position. */
  async #take(): Promise<WebhookBatch | undefined> {
    if (this.#progress.batch.is === 'prepared') return this.#progress.batch.batch;
    const next = this.#next ?? this.#prepare(this.#progress.position);
    this.#next = undefined;
    const batch = await next;
    if (batch !== undefined) this.#progress = progress.prepared(this.#progress, batch);
    return batch;
  }

  /** Reads the batch after `position` and prepares it. Undefined: nothing is committed there, or not enough yet. */
  async #prepare(position: Position): Promise<WebhookBatch | undefined> {
    const again = progress.nextAgain(this.#progress, position);
    const batch =
      again === undefined ? await this.#readNew(position) : await this.#readAgain(position, again);
    if (batch === undefined) return undefined;
    if (!('from' in batch)) return batch;
    try {
      return await this.#options.batches.prepare(batch, this.#hasRoom);
    } catch (error) {
      const { from, to, frames, body } = batch;
      const range = { segment: from.segment, from: from.offset, to: to.offset };
      const only = frames === 1 ? Buffer.from(body) : undefined;
      throw new BatchFailed({ range, to, frames, body: only }, error);
    }
  }

  async #readNew(position: Position): Promise<Batch | WebhookBatch | undefined> {
    const clear = this.#positions.clearTo('webhook', position);
    if (clear !== undefined) return before(position, clear) ? emptyBatchTo(clear) : undefined;
    const { batchBytesMax: bytesMax, batchFramesMax, batchAgeMsMax } = this.#limits;
    const framesMax = Math.min(batchFramesMax, this.#progress.framesMax);
    const isYoung = performance.now() - this.#lastBatchAt < batchAgeMsMax;
    if (isYoung && this.#reader.pendingBytes(position) < bytesMax) return undefined;
    const batch = await this.#reader.read(position, { bytesMax, framesMax });
    const isFull = batch?.frames === framesMax;
    if (batch !== undefined) {
      this.#lastBatchAt = isFull ? Number.NEGATIVE_INFINITY : performance.now();
    }
    return batch;
  }

  /** Batches that were added before end where they did. */
  async #readAgain(position: Position, range: LogRange): Promise<Batch | undefined> {
    const { batchBytesMax: bytesMax, batchFramesMax } = this.#limits;
    const framesMax = Math.min(batchFramesMax, this.#progress.framesMax);
    const exactlyTo = progress.endWithin(this.#progress, position, range, batchFramesMax);
    const batch = await this.#reader.read(position, { bytesMax, framesMax }, exactlyTo);
    if (batch === undefined) this.#progress = progress.gone(this.#progress, range);
    return batch;
  }

  async #add(batch: WebhookBatch): Promise<void> {
    await this.#notes.note(batch.range);
    try {
      await this.#queue.add(batch.jobs);
    } catch (error) {
      throw new BatchFailed(batch, error);
    }
  }

  #count(batch: WebhookBatch): void {
    this.#counts.forwardedMessages += batch.messages;
    this.#counts.queuedDeliveries += batch.deliveries;
    this.#counts.waitingDeliveries += batch.waiting;
    this.#counts.missedDeliveries += batch.missed;
  }

  #track(batch: WebhookBatch): void {
    if (batch.messages > 0) this.#tracker.added(batch.range, performance.now());
    else this.#tracker.passed(batch.to);
  }

  /** Asks Redis at an interval: which jobs are safe by now, and may it have lost any? */
  async #lookAtRedis(): Promise<void> {
    const askedMs = performance.now();
    if (askedMs - this.#lookedAt < this.#limits.lookMs) return;
    const { run, isMemoryLow } = await this.#queue.look();
    const hasRoom = !isMemoryLow && !(await this.#queue.isFull());
    this.#lookedAt = askedMs;
    if (hasRoom && !this.#hasRoom) {
      this.#logger.info('the queue of webhooks has room again');
    } else if (!hasRoom && this.#hasRoom) {
      this.#logger.warn('the queue of webhooks is full; messages for them wait in Postgres');
    }
    this.#hasRoom = hasRoom;
    const lost = this.#tracker.seen(run, askedMs);
    if (lost.length === 0) return;
    await this.#dropNext();
    this.#progress = progress.rewound(this.#progress, this.#tracker.safe, lost);
    this.#counts.rewinds += 1;
    this.#logger.warn(
      this.#progress.position,
      'Redis was restarted or replaced: the last jobs are added again',
    );
  }

  #noteRunning(): void {
    if (this.#state !== 'running') this.#logger.info('messages go to webhooks again');
    this.#state = 'running';
  }

  /**
   * Returns whether a smaller batch is tried next. Only the text of an error is logged: Redis' errors hold the command.
   */
  async #failed(error: unknown): Promise<boolean> {
    const failure = classify(error instanceof BatchFailed ? error.cause : error);
    this.#counts.retries += 1;
    if (failure.decision !== 'refuse' || !(error instanceof BatchFailed)) {
      this.#noteFailure(failure);
      return false;
    }
    await this.#dropNext();
    const { batch } = error;
    if (batch.frames > 1) this.#progress = progress.refused(this.#progress, batch.frames);
    else await this.#quarantine(batch, failure);
    return true;
  }

  #noteFailure(failure: Failure): void {
    const { code, reason } = failure;
    const state = stateAfter(failure);
    if (this.#state !== state && state === 'retrying') {
      this.#logger.warn({ error: reason }, 'messages for webhooks wait in the log');
    } else if (this.#state !== state) {
      this.#logger.error(
        { code, reason },
        'messages for webhooks fail for a reason that is not known',
      );
    }
    this.#state = state;
  }

  /** Drops what is prepared: the next batch is read from the position again. */
  async #dropNext(): Promise<void> {
    await this.#next?.catch(() => undefined);
    this.#next = undefined;
    this.#lastBatchAt = Number.NEGATIVE_INFINITY;
  }

  async #quarantine({ range, to, body }: FailedBatch, { code, reason }: Failure): Promise<void> {
    const place = startOf(range);
    this.#logger.error(
      { request_id: requestIdIn(body), code, ...place },
      'quarantined a message that webhooks can not get',
    );
    const payload = body?.toString('base64');
    await quarantine(this.#options.directory, 'webhook', place, { code, reason, payload });
    this.#counts.quarantinedMessages += 1;
    this.#tracker.passed(to);
    this.#progress = progress.passed(this.#progress, to);
  }

  /** Saves at once when a segment was passed, so that it can be deleted; otherwise at an interval. */
  async #saveSometimes(): Promise<void> {
    const { safe } = this.#tracker;
    if (!before(this.#saved, safe)) return;
    const isPassed = safe.segment !== this.#saved.segment;
    if (isPassed || performance.now() - this.#savedAt >= this.#limits.cursorMs) await this.#save();
  }

  async #save(): Promise<void> {
    const { safe } = this.#tracker;
    await writePosition(this.#cursorPath, safe);
    await this.#notes.keep([...this.#tracker.unsafe, ...this.#progress.again]);
    this.#saved = safe;
    this.#savedAt = performance.now();
  }
}

function emptyBatchTo(to: Position): WebhookBatch {
  const range = { segment: to.segment, from: to.offset, to: to.offset };
  const counts = { frames: 0, messages: 0, deliveries: 0, waiting: 0, missed: 0 };
  return { range, to, body: undefined, hadRoom: true, ...counts, jobs: [] };
}

/** The id of the request that brought a frame; undefined if the frame can't be read. */
function requestIdIn(frame: Buffer | undefined): string | undefined {
  try {
    return frame === undefined ? undefined : readFrames(frame)[0]?.requestId;
  } catch {
    return undefined;
  }
}
