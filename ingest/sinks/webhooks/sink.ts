import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { readFrames } from '../../../infra/runtime/webhooks/frames.ts';
import { readPosition, writePosition } from '../../log/cursor.ts';
import { appendLine } from '../../log/files.ts';
import { before, type Position } from '../../log/format.ts';
import type { Batch, LogReader } from '../../log/reader.ts';
import type { SharedPositions } from '../../log/shared.ts';
import { BatchNotes } from './batch-notes.ts';
import { endOf, startOf, type Stretch, Trail } from '../durability-tracker.ts';
import type { WebhookBatch, WebhookBatches } from './batch.ts';
import { classifyWebhook } from './classify.ts';
import type { WebhookQueue } from './send.ts';

/** `retrying`: Redis or Postgres is away. `alarmed`: something that nobody foresaw; someone should look. */
export type WebhookSinkState = 'running' | 'retrying' | 'alarmed';

export type WebhookSinkStats = {
  state: WebhookSinkState;
  position: Position;
  pendingBytes: number;
  forwardedMessages: number;
  enqueuedCopies: number;
  /** Copies that wait in Postgres for a place in the queue, and that nobody will get. */
  waitingCopies: number;
  missedCopies: number;
  quarantinedMessages: number;
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
  retryMsMin: number;
  retryMsMax: number;
  /** How often Redis is looked at while jobs are not safe in it yet. */
  lookMs: number;
  /** More than the most that Redis loses when it is killed. */
  loseMsMax: number;
  cursorMs: number;
};

/** What a batch could not be made of, or added: how many frames, and the content of one. */
class BatchFailed extends Error {
  override readonly name = 'BatchFailed';
  readonly batch: Failed;

  constructor(batch: Failed, cause: unknown) {
    super('a batch for webhooks failed', { cause });
    this.batch = batch;
  }
}

type Failed = Pick<WebhookBatch, 'stretch' | 'to' | 'frames' | 'body'>;

/**
 * Follows the log for webhooks and adds bundles of messages to the queue, at least once: what is not known to
 * be safe in the queue is added again after a crash, in the same bundles under the same ids. Where the queue has
 * no room, messages wait in Postgres; only while Redis or Postgres is away they wait in the log. What can't be
 * forwarded for good is halved until the guilty frame stands alone, which goes to the quarantine.
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
  #hasRoom = true;
  /** Of the next batch, after one was refused. */
  #framesMax = Number.MAX_SAFE_INTEGER;
  readonly #stats = {
    state: 'running' as WebhookSinkState,
    forwardedMessages: 0,
    enqueuedCopies: 0,
    waitingCopies: 0,
    missedCopies: 0,
    quarantinedMessages: 0,
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
    options.stopping.addEventListener('abort', options.positions.wake);
    this.#onProgress = options.onProgress;
    this.#trail = new Trail(this.#position, this.#limits.loseMsMax);
  }

  stats(): WebhookSinkStats {
    const pendingBytes = this.#reader.pendingBytes(this.#position);
    return { ...this.#stats, position: this.#position, pendingBytes };
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
      const wakes = this.#positions.wakes();
      try {
        waitMs = await this.#step();
        retryMs = this.#limits.retryMsMin;
      } catch (error) {
        const isHalved = await this.#failed(error);
        waitMs = retryMs * (0.5 + Math.random());
        if (!isHalved) retryMs = Math.min(retryMs * 2, this.#limits.retryMsMax);
      }
      this.#onProgress();
      if (waitMs > 0) await this.#pause(waitMs);
      if (this.#isIdle()) await this.#positions.untilWoken(wakes, this.#limits.cursorMs);
    }
    await this.#next?.catch(() => undefined);
    await this.#save();
  }

  /** Whether there is nothing to do until something is committed, but to write down a cursor some time. */
  #isIdle(): boolean {
    const isDone = this.#current === undefined && this.#next === undefined;
    const isBehind = before(this.#position, this.#positions.committed());
    return isDone && !isBehind && !this.#trail.isWaiting && this.#again.length === 0;
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
    // It may be found to be another one, and this batch not the next any more.
    if (batch.messages + batch.waiting > 0) await this.#lookAtRedis();
    if (this.#current !== batch) return 0;
    if (batch.messages > 0 && batch.hadRoom && !this.#hasRoom) {
      // Redis may refuse it: it waits in Postgres like what comes after it, in the bundles that are kept already.
      await this.#prepareAnew();
      this.#again = [batch.stretch, ...this.#again];
      return 0;
    }
    if (batch.messages > 0) {
      this.#next ??= this.#prepare(batch.to);
      // Its failure is met when it is taken.
      this.#next.catch(() => undefined);
      await this.#add(batch);
    }
    this.#become('running');
    this.#advance(batch);
    this.#framesMax = Math.min(this.#framesMax * 2, Number.MAX_SAFE_INTEGER);
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
    const { batchBytesMax: bytesMax, batchFramesMax, batchAgeMsMax } = this.#limits;
    const framesMax = Math.min(batchFramesMax, this.#framesMax);
    const isYoung = performance.now() - this.#lastBatchAt < batchAgeMsMax;
    if (isYoung && this.#reader.pendingBytes(position) < bytesMax) return undefined;
    const batch = await this.#reader.read(position, { bytesMax, framesMax });
    if (batch === undefined) return undefined;
    const isFull = batch.frames === framesMax;
    this.#lastBatchAt = isFull ? Number.NEGATIVE_INFINITY : performance.now();
    return this.#prepareFrom(batch);
  }

  async #prepareFrom(batch: Batch): Promise<WebhookBatch> {
    try {
      return await this.#batches.prepare(batch, this.#hasRoom);
    } catch (error) {
      const { from, to, frames, body } = batch;
      const stretch = { segment: from.segment, from: from.offset, to: to.offset };
      const only = frames === 1 ? Buffer.from(body) : undefined;
      throw new BatchFailed({ stretch, to, frames, body: only }, error);
    }
  }

  /**
   * Batches that were added before end where they did. What lies before the next one had no jobs, or its note
   * was lost in a power cut, so that it is read too.
   */
  async #prepareAgain(position: Position, stretch: Stretch): Promise<WebhookBatch | undefined> {
    const { batchBytesMax: bytesMax, batchFramesMax } = this.#limits;
    const isHalved = this.#framesMax < batchFramesMax;
    const framesMax = Math.min(batchFramesMax, this.#framesMax);
    const isBefore = before(position, startOf(stretch));
    const end = isBefore ? stretch.from : stretch.to;
    const exactlyTo = position.segment === stretch.segment && !isHalved ? end : undefined;
    const batch = await this.#reader.read(position, { bytesMax, framesMax }, exactlyTo);
    if (batch !== undefined) return this.#prepareFrom(batch);
    // The log does not have it any more.
    this.#again = this.#again.filter((one) => one !== stretch);
    return undefined;
  }

  async #add(batch: WebhookBatch): Promise<void> {
    await this.#notes.note(batch.stretch);
    try {
      await this.#queue.add(batch.jobs);
    } catch (error) {
      throw new BatchFailed(batch, error);
    }
  }

  #advance(batch: WebhookBatch): void {
    this.#current = undefined;
    this.#position = batch.to;
    this.#again = this.#again.filter((stretch) => before(batch.to, endOf(stretch)));
    this.#stats.forwardedMessages += batch.messages;
    this.#stats.enqueuedCopies += batch.copies;
    this.#stats.waitingCopies += batch.waiting;
    this.#stats.missedCopies += batch.missed;
    if (batch.messages > 0) this.#trail.added(batch.stretch, performance.now());
    else this.#trail.passed(batch.to);
  }

  /** What is safe in Redis by now, and does it still have it? Asked now and then. */
  async #lookAtRedis(): Promise<void> {
    const askedMs = performance.now();
    if (askedMs - this.#lookedAt < this.#limits.lookMs) return;
    const { run, isMemoryLow } = await this.#queue.look();
    const hasRoom = !isMemoryLow && !(await this.#queue.isFull());
    this.#lookedAt = askedMs;
    if (hasRoom !== this.#hasRoom) {
      this.#logger[hasRoom ? 'info' : 'warn'](
        hasRoom
          ? 'the queue of webhooks has room again'
          : 'the queue of webhooks is full; messages for them wait in Postgres',
      );
    }
    this.#hasRoom = hasRoom;
    const lost = this.#trail.seen(run, askedMs);
    if (lost.length === 0) return;
    await this.#prepareAnew();
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
    if (state === 'running') this.#logger.info('messages go to webhooks again');
    this.#stats.state = state;
  }

  /** Whether less is tried next. Not the error whole is logged: Redis' errors hold the command. */
  async #failed(error: unknown): Promise<boolean> {
    const { verdict, code, reason } = classifyWebhook(
      error instanceof BatchFailed ? error.cause : error,
    );
    this.#stats.retries += 1;
    if (verdict === 'retry') {
      if (this.#stats.state !== 'retrying') {
        this.#logger.warn({ error: reason }, 'messages for webhooks wait in the log');
      }
      this.#stats.state = 'retrying';
      return false;
    }
    if (verdict === 'alarm') {
      if (this.#stats.state !== 'alarmed') {
        this.#logger.error({ code, reason }, 'messages for webhooks fail, and nobody foresaw how');
      }
      this.#stats.state = 'alarmed';
    }
    if (!(error instanceof BatchFailed)) return false;
    await this.#prepareAnew();
    if (error.batch.frames > 1) this.#framesMax = Math.floor(error.batch.frames / 2);
    else await this.#quarantine(error.batch, code, reason);
    return true;
  }

  /** The next batch is read from the position once more. */
  async #prepareAnew(): Promise<void> {
    await this.#next?.catch(() => undefined);
    this.#next = undefined;
    this.#current = undefined;
    this.#lastBatchAt = Number.NEGATIVE_INFINITY;
  }

  async #quarantine({ stretch, to, body }: Failed, code: string, reason: string): Promise<void> {
    const place = startOf(stretch);
    this.#logger.error(
      { request_id: requestIdIn(body), code, ...place },
      'quarantined a message that can not be forwarded to webhooks',
    );
    await appendLine(join(this.#directory, 'quarantine.ndjson'), {
      at: new Date().toISOString(),
      format: 'webhook',
      ...place,
      code,
      reason,
      payload: body?.toString('base64'),
    });
    this.#stats.quarantinedMessages += 1;
    this.#advance(nothingUpTo(to));
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
  const counts = { frames: 0, messages: 0, copies: 0, waiting: 0, missed: 0 };
  return { stretch, to, body: undefined, hadRoom: true, ...counts, jobs: [] };
}

/** Of the request that brought a frame, which may be one that can not even be read. */
function requestIdIn(frame: Buffer | undefined): string | undefined {
  try {
    return frame === undefined ? undefined : readFrames(frame)[0]?.requestId;
  } catch {
    return undefined;
  }
}
