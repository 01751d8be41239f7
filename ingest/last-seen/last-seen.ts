import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { sleep } from '../../infra/runtime/process/sleep.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { frameLayout } from '../../infra/runtime/webhooks/frames.ts';
import { alarmHeadBytes } from '../codecs/alarm-head.ts';
import { heardBytes, idBytes } from '../auth/known/heard-things.ts';
import { readPosition, writePosition } from '../log/cursor.ts';
import {
  before,
  type FrameFormat,
  type MessageFormat,
  type Position,
  segmentName,
} from '../log/format.ts';
import type { Batch, LogReader } from '../log/reader.ts';
import { LatestTimes, unknownGateway } from './latest-times.ts';
import { forgetHearing, type Hearing, insertSeen, noteHearing } from './sql.ts';

/**
 * Things that were heard, `heardBytes` for each, as the edge's thread reports them: with these, all of the log before
 * `upTo` is reported, and all that was heard until the end of `hearing`.
 */
export type Heard = {
  things: Uint8Array;
  upTo: Position | undefined;
  hearing: Hearing | undefined;
};

/** Between the thread that hears things and the one that writes it. */
export const lastSeenChannel = 'last seen';

type SeenLimits = {
  thingsAtOnceMax: number;
  retryMs: number;
  replayBytesMax: number;
  /** Whenever so many bytes have come, the reports that wait become one, in which each thing is once. */
  foldBytes: number;
  /** How often it is noted that things can be heard. */
  hearingEveryMs: number;
};

/** Where the thing's id is in a frame's payload. */
const thingAt: Readonly<Record<MessageFormat, number>> = {
  senml: 0,
  json: 0,
  webhook: frameLayout.thing,
  alarm: alarmHeadBytes,
};

/**
 * Writes to Postgres when things were last heard, many in one statement. What a killed edge had not written is found in
 * its log again, with a time that is at most some seconds too late; messages that are neither stored nor forwarded are
 * not in the log. While Postgres is away, the latest time of each thing waits here.
 */
export class SeenThings {
  readonly #logId: string;
  readonly #directory: string;
  readonly #path: string;
  readonly #pool: Pool;
  readonly #openReader: (format: FrameFormat) => LogReader;
  readonly #committed: () => Position;
  readonly #limits: SeenLimits;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  /** Reports, the oldest first. They are written as they came: an object for each thing would cost more than the rest. */
  #waiting: Uint8Array[] = [];
  #unfoldedBytes = 0;
  #upTo: Position | undefined;
  /** Reports from before this thread began were lost. */
  readonly #beganMs = Date.now();
  #hearing: Hearing | undefined;
  #hearingNotedAt = Number.NEGATIVE_INFINITY;
  #wake = Promise.withResolvers<void>();

  constructor(options: {
    logId: string;
    directory: string;
    pool: Pool;
    openReader: (format: FrameFormat) => LogReader;
    committed: () => Position;
    limits: SeenLimits;
    logger: Logger;
    stopping: AbortSignal;
  }) {
    this.#logId = options.logId;
    this.#directory = options.directory;
    this.#path = join(options.directory, 'seen.cursor');
    this.#pool = options.pool;
    this.#openReader = options.openReader;
    this.#committed = options.committed;
    this.#limits = options.limits;
    this.#logger = options.logger;
    this.#stopping = options.stopping;
    this.#stopping.addEventListener('abort', () => this.#wake.resolve());
  }

  add({ things, upTo, hearing }: Heard): void {
    if (things.length > 0) {
      this.#waiting.push(things);
      this.#unfoldedBytes += things.length;
      if (this.#unfoldedBytes >= this.#limits.foldBytes) this.#fold();
      this.#upTo = upTo;
    }
    this.#hearing = hearing;
    this.#wake.resolve();
  }

  /** Runs until `stopping`, and then tries once to write what is left. */
  async run(): Promise<void> {
    try {
      await this.#replay();
    } catch (error) {
      this.#logger.warn(
        { error },
        'when things were heard before the last stop is not known: the log can not be read',
      );
    }
    while (!this.#stopping.aborted) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      await this.#write();
    }
    // A report from before the stop may come after it: it takes another way.
    await nextTurn();
    if (this.#waiting.length > 0) await this.#write();
    // It is best effort: an edge that can't say that it stops is waited for.
    await forgetHearing(this.#pool, this.#logId).catch(() => undefined);
  }

  /** Tries until all is written; after `stopping`, once. */
  async #write(): Promise<void> {
    for (let failures = 0; ; ) {
      const upTo = this.#upTo;
      const hearing = this.#hearing;
      const some = this.#takeSome();
      try {
        if (some !== undefined) {
          await insertSeen(this.#pool, some);
          continue;
        }
        if (upTo !== undefined) await this.#save(upTo);
        if (hearing !== undefined) await this.#noteHearing(hearing);
        return;
      } catch (error) {
        if (some !== undefined) this.#waiting.unshift(some);
        if (failures === 0) {
          this.#logger.warn(
            { error },
            'Postgres does not take when things were heard: it is tried again',
          );
        }
        failures += 1;
        if (this.#stopping.aborted) return;
        await sleep(this.#limits.retryMs, this.#stopping);
      }
    }
  }

  /** The oldest of what waits, as much as is written at once. */
  #takeSome(): Uint8Array | undefined {
    const oldest = this.#waiting.shift();
    if (oldest === undefined) {
      this.#unfoldedBytes = 0;
      return undefined;
    }
    const bytesMax = this.#limits.thingsAtOnceMax * heardBytes;
    if (oldest.length > bytesMax) this.#waiting.unshift(oldest.subarray(bytesMax));
    return oldest.subarray(0, bytesMax);
  }

  #fold(): void {
    const latest = new LatestTimes();
    for (const things of this.#waiting) latest.noteAll(things);
    this.#waiting = [latest.all()];
    this.#unfoldedBytes = 0;
  }

  /** Notes that everything is in Postgres that was heard until then. */
  async #noteHearing({ fromMs, toMs }: Hearing): Promise<void> {
    if (performance.now() - this.#hearingNotedAt < this.#limits.hearingEveryMs) return;
    const hearing = { fromMs: Math.max(fromMs, this.#beganMs), toMs };
    if (hearing.fromMs <= toMs) await noteHearing(this.#pool, this.#logId, hearing);
    this.#hearingNotedAt = performance.now();
  }

  /** Notes that everything before the position is in Postgres. */
  async #save(position: Position): Promise<void> {
    await writePosition(this.#path, position);
    if (this.#upTo === position) this.#upTo = undefined;
  }

  /** Notes the things in the log after the position up to which Postgres has all; of a log that fails, those before that. */
  async #replay(): Promise<void> {
    const committed = this.#committed();
    const from = await readPosition(this.#path);
    if (from === undefined) return this.#save(committed);
    const latest = new LatestTimes();
    try {
      for (const format of ['senml', 'json', 'webhook'] as const) {
        await this.#noteFrames(latest, format, from, committed);
      }
    } finally {
      if (!latest.isEmpty) {
        this.#waiting.push(latest.all());
        this.#wake.resolve();
      }
    }
  }

  async #noteFrames(
    latest: LatestTimes,
    format: MessageFormat,
    from: Position,
    committed: Position,
  ): Promise<void> {
    const reader = this.#openReader(format);
    const limits = { bytesMax: this.#limits.replayBytesMax, framesMax: Number.MAX_SAFE_INTEGER };
    let position = from;
    while (!this.#stopping.aborted && before(position, committed)) {
      const batch = await reader.read(position, limits);
      if (batch === undefined) break;
      await this.#noteAll(latest, batch, thingAt[format]);
      position = batch.to;
    }
  }

  /** The log has no time for a frame: the time of the last write to its segment stands for it. Nor has it gateways. */
  async #noteAll(latest: LatestTimes, { from, body, ends }: Batch, at: number): Promise<void> {
    if (ends.length === 0) return;
    const { mtimeMs } = await stat(join(this.#directory, segmentName(from.segment)));
    for (const [frame] of ends.entries()) {
      const start = (ends[frame - 1] ?? 0) + at;
      const id = body.toString('latin1', start, start + idBytes);
      latest.note(id, Math.floor(mtimeMs), unknownGateway);
    }
  }
}
