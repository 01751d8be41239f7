import { join } from 'node:path';
import type { Failure } from '../../infra/runtime/network/failure.ts';
import { Backoff } from '../../infra/runtime/process/backoff.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { sleep } from '../../infra/runtime/process/sleep.ts';
import { readIfThere, replaceFile } from '../log/files.ts';
import { before, type FrameFormat, type Position } from '../log/format.ts';
import type { SharedPositions } from '../log/positions.ts';
import type { Batch, LogReader } from '../log/reader.ts';
import type { Ledger } from './ledger.ts';
import { quarantine } from './notes.ts';
import type { SinkProgress } from './sink.ts';

/** Where a sink delivers to, and what its failures mean. */
export type SinkTarget = {
  /** Delivers a batch, whose body is borrowed until then. A batch that failed is sent again, as it is. */
  send: (batch: Batch) => Promise<void>;
  classify: (error: unknown) => Failure;
  /** Members of the log line about a frame that goes to the quarantine. */
  describe?: (batch: Batch) => Record<string, unknown>;
};

export type SinkLimits = {
  batchBytesMax: number;
  batchFramesMax: number;
  /** A batch that is not full waits for more until this long after the one before. */
  batchAgeMsMax: number;
  /** How often the sink looks whether a batch is full before that. */
  pollMs: number;
  /** So long after a batch the cursor is on the disk, at the latest. */
  cursorMs: number;
  retryMsMin: number;
  retryMsMax: number;
  /**
   * Of a sink that may lose messages: when more than this waits in the log, it skips to the newest segment, so that
   * others keep their room.
   */
  mayLagBytes?: number;
};

export type SinkDriverOptions = {
  /** In log lines, metrics and notes, and of its cursor's file. */
  name: string;
  formats: readonly FrameFormat[];
  directory: string;
  reader: LogReader;
  ledger: Ledger;
  target: SinkTarget;
  limits: SinkLimits;
  logger: Logger;
  stopping: AbortSignal;
  /** Tells of commits and of what formats they are, and whether a deletion waits for the cursor on the disk. */
  positions: Pick<SharedPositions, 'awaited' | 'clearTo' | 'wake' | 'wakes' | 'untilWoken'>;
  onProgress: () => void;
};

const unbounded = Number.MAX_SAFE_INTEGER;

/**
 * Follows the log for a sink: reads a batch after the position, sends it until it is delivered, moves the position, and
 * rests until there is more. A batch that is refused for good is halved until the frame that is to blame stands alone.
 * That frame goes to the quarantine, and all others go on.
 */
export class SinkDriver {
  readonly #options: SinkDriverOptions;
  readonly #ledger: Ledger;
  readonly #limits: SinkLimits;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  readonly #cursorPath: string;

  /** The cursor on the disk. */
  #saved: Position = { segment: 0, offset: 0 };
  #savedAt = 0;
  /** Whether a batch was delivered since then. */
  #isUnsaved = false;
  /** Of the next batch. A refusal halves it, and each batch that is taken doubles it again. */
  #framesMax = unbounded;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  #state: SinkProgress['state'] = 'running';
  readonly #counts = {
    batches: 0,
    records: 0,
    retries: 0,
    quarantinedFrames: 0,
    quarantinedRecords: 0,
    skippedBytes: 0,
  };

  constructor(options: SinkDriverOptions) {
    this.#options = options;
    this.#ledger = options.ledger;
    this.#limits = options.limits;
    this.#logger = options.logger.child({ sink: options.name });
    this.#stopping = options.stopping;
    this.#cursorPath = join(options.directory, `${options.name}.cursor`);
    options.stopping.addEventListener('abort', options.positions.wake);
  }

  progress(): SinkProgress {
    const { position } = this.#ledger;
    const pendingBytes = this.#options.reader.pendingBytes(position);
    return { ...this.#counts, state: this.#state, position, saved: this.#saved, pendingBytes };
  }

  /** The oldest segment that the sink would need after a crash. */
  neededSegment(): number {
    return this.#saved.segment;
  }

  /** Runs until `stopping`; a batch under way is finished or left to the next start. */
  async run(): Promise<void> {
    const text = await readIfThere(this.#cursorPath);
    if (text !== undefined) this.#ledger.restore(JSON.parse(text));
    this.#saved = this.#ledger.position;
    while (!this.#stopping.aborted) {
      const wakes = this.#options.positions.wakes(this.#options.formats);
      this.#skip();
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

  /** If more waits than may, the sink goes on with the newest segment. */
  #skip(): void {
    const { mayLagBytes = Infinity } = this.#limits;
    const { position } = this.#ledger;
    const pendingBytes = this.#options.reader.pendingBytes(position);
    if (pendingBytes <= mayLagBytes) return;
    const newest = this.#options.reader.newestSegment();
    if (!before(position, newest)) return;
    this.#ledger.pass(newest);
    const skippedBytes = pendingBytes - this.#options.reader.pendingBytes(newest);
    this.#counts.skippedBytes += skippedBytes;
    this.#isUnsaved = true;
    this.#logger.error(
      { ...position, bytes: skippedBytes },
      'a sink lags too far: it skips what waits in the log',
    );
  }

  async #read(): Promise<Batch | undefined> {
    const { position, exactlyTo } = this.#ledger;
    const { batchBytesMax, batchFramesMax, batchAgeMsMax } = this.#limits;
    const isHalved = this.#framesMax < batchFramesMax;
    const isYoung = performance.now() - this.#lastSentAt < batchAgeMsMax && !isHalved;
    const { reader } = this.#options;
    if (isYoung && reader.pendingBytes(position) < batchBytesMax) return undefined;
    const framesMax = Math.min(this.#framesMax, batchFramesMax);
    return reader.read(position, { bytesMax: batchBytesMax, framesMax }, exactlyTo);
  }

  /**
   * Until a batch is old enough, or may be full. Without messages for one: until it is woken, or the cursor is to be
   * saved.
   */
  async #rest(wakes: number): Promise<void> {
    const { formats, positions } = this.#options;
    const { batchAgeMsMax, cursorMs, pollMs } = this.#limits;
    const { position } = this.#ledger;
    const clear = positions.clearTo(formats, position);
    if (clear === undefined) {
      const youngMs = batchAgeMsMax - (performance.now() - this.#lastSentAt);
      await sleep(youngMs > 0 ? Math.min(youngMs, pollMs) : pollMs, this.#stopping);
    } else if (!before(position, clear) && !this.#mustSave()) {
      const restMs = this.#savedAt + cursorMs - performance.now();
      await positions.untilWoken(formats, wakes, this.#isUnsaved ? Math.max(restMs, 0) : Infinity);
    }
  }

  /** Where only frames of other formats follow, they need not be read. */
  async #passOthers(): Promise<void> {
    const { position, exactlyTo } = this.#ledger;
    const clear = this.#options.positions.clearTo(this.#options.formats, position);
    if (clear === undefined || exactlyTo !== undefined || !before(position, clear)) return;
    await this.#pass(clear);
  }

  /** The range has nothing for the sink: the cursor on the disk follows once a segment is passed. */
  async #pass(to: Position): Promise<void> {
    this.#ledger.pass(to);
    if (to.segment !== this.#saved.segment) await this.#save();
  }

  async #deliver(batch: Batch): Promise<void> {
    const isFull = batch.frames >= this.#limits.batchFramesMax;
    this.#lastSentAt = isFull ? Number.NEGATIVE_INFINITY : performance.now();
    this.#ledger.begin(batch);
    if (this.#ledger.isSavedFirst) await this.#save();
    const outcome = await this.#persist(batch);
    if (outcome === 'done') this.#delivered(batch);
    else if (outcome !== 'stopped') await this.#refused(batch, outcome);
  }

  /** Sends until the batch is delivered or refused for good, or the sink stops. */
  async #persist(batch: Batch): Promise<'done' | 'stopped' | Failure> {
    const { target } = this.#options;
    const backoff = new Backoff(this.#limits.retryMsMin, this.#limits.retryMsMax);
    while (!this.#stopping.aborted) {
      try {
        await target.send(batch);
        return 'done';
      } catch (error) {
        const failure = target.classify(error);
        this.#counts.retries += 1;
        if (failure.decision === 'refuse') return failure;
        this.#failed(failure);
      }
      await sleep(backoff.next(), this.#stopping);
    }
    return 'stopped';
  }

  #delivered(batch: Batch): void {
    if (this.#state !== 'running') this.#logger.info('the sink delivers again');
    this.#state = 'running';
    this.#ledger.end(batch, 'delivered');
    this.#counts.batches += 1;
    this.#counts.records += batch.records;
    this.#isUnsaved = true;
    this.#framesMax = Math.min(this.#framesMax * 2, unbounded);
  }

  #failed({ decision, code, reason }: Failure): void {
    const state = decision === 'halt' ? 'halted' : 'retrying';
    if (this.#state !== state && state === 'retrying') {
      this.#logger.warn({ code, reason }, 'the sink can not deliver: messages wait in the log');
    } else if (this.#state !== state) {
      this.#logger.error({ code, reason }, 'batches fail for a reason that is not known');
    }
    this.#state = state;
    this.#options.onProgress();
  }

  async #refused(batch: Batch, { code, reason }: Failure): Promise<void> {
    if (batch.frames > 1) {
      this.#ledger.end(batch, 'halved');
      this.#framesMax = Math.floor(batch.frames / 2);
      return;
    }
    const { directory, name, target } = this.#options;
    const { from, records } = batch;
    const [offset = from.offset] = batch.offsets;
    const at = { segment: from.segment, offset };
    this.#logger.error(
      { ...target.describe?.(batch), code, records, ...at },
      'quarantined a message that is refused for good',
    );
    const payload = batch.body.toString('base64');
    await quarantine(directory, name, at, { records, code, reason, payload });
    this.#counts.quarantinedFrames += 1;
    this.#counts.quarantinedRecords += records;
    this.#ledger.end(batch, 'quarantined');
    this.#isUnsaved = true;
  }

  /** The cursor is saved a while after a batch; and at once when a deletion waits for it, or a segment was passed. */
  #mustSave(): boolean {
    const awaited = this.#options.positions.awaited();
    const { position } = this.#ledger;
    if (before(this.#saved, awaited) && !before(position, awaited)) return true;
    if (position.segment !== this.#saved.segment) return true;
    return this.#isUnsaved && performance.now() - this.#savedAt >= this.#limits.cursorMs;
  }

  async #save(): Promise<void> {
    const { position } = this.#ledger;
    await replaceFile(this.#cursorPath, `${JSON.stringify(this.#ledger.cursor())}\n`);
    this.#saved = position;
    this.#savedAt = performance.now();
    this.#isUnsaved = this.#ledger.exactlyTo !== undefined;
  }
}
