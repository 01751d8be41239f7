import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Logger } from '../../infra/log.ts';
import type { Pool } from '../../infra/postgres.ts';
import { frameLayout } from '../../infra/webhook-packs.ts';
import { heardBytes } from '../auth/known-things.ts';
import { uuidFromRowBinary } from '../codecs/row-binary.ts';
import { readIfThere, replaceFile } from '../log/files.ts';
import { before, type FrameFormat, type Position } from '../log/format.ts';
import type { LogReader } from '../log/reader.ts';
import { insertSeen } from './seen-sql.ts';

/** Things that were heard, as the edge's thread takes them down, and up to where in the log it had heard them. */
export type Heard = { things: Uint8Array<ArrayBuffer>; upTo: SeenUpTo | undefined };

/** All that was in the log up to here is told with this or was before; and when this is told. */
export type SeenUpTo = { position: Position; atMs: number };

export type SeenLimits = { thingsAtOnceMax: number; retryMs: number; replayBytesMax: number };

/** Up to where in the log all that were heard are in Postgres, and when that was. */
const SeenFile = Type.Object({
  segment: Type.Integer({ minimum: 0 }),
  offset: Type.Integer({ minimum: 0 }),
  at_ms: Type.Number(),
});

/** Where the thing stands in a frame of the log. */
const thingAt: Readonly<Record<FrameFormat, number>> = {
  senml: 0,
  json: 0,
  webhook: frameLayout.thing,
};

/**
 * Brings to Postgres when things were heard: many at a time, and of each the latest. What a killed edge had not
 * brought is found in its log again, with a time that is some seconds too early at most; save for messages that are
 * neither stored nor forwarded. While Postgres is away they wait here, of each thing one.
 */
export class SeenThings {
  readonly #path: string;
  readonly #pool: Pool;
  readonly #openReader: (format: FrameFormat) => LogReader;
  readonly #committed: () => Position;
  readonly #limits: SeenLimits;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  /** By thing: when it was heard last, in ms. */
  #waiting = new Map<string, number>();
  #upTo: SeenUpTo | undefined;
  #wake = Promise.withResolvers<void>();

  constructor(options: {
    directory: string;
    pool: Pool;
    openReader: (format: FrameFormat) => LogReader;
    committed: () => Position;
    limits: SeenLimits;
    logger: Logger;
    stopping: AbortSignal;
  }) {
    this.#path = join(options.directory, 'seen.json');
    this.#pool = options.pool;
    this.#openReader = options.openReader;
    this.#committed = options.committed;
    this.#limits = options.limits;
    this.#logger = options.logger;
    this.#stopping = options.stopping;
    this.#stopping.addEventListener('abort', () => this.#wake.resolve());
  }

  add({ things, upTo }: Heard): void {
    const bytes = Buffer.from(things.buffer, things.byteOffset, things.length);
    for (let at = 0; at < bytes.length; at += heardBytes) {
      this.#note(uuidFromRowBinary(bytes, at), bytes.readDoubleLE(at + heardBytes - 8));
    }
    this.#upTo = upTo;
    this.#wake.resolve();
  }

  /** Runs until `stopping`, and tries to bring what is left then. */
  async run(): Promise<void> {
    try {
      await this.#replay();
    } catch (error) {
      this.#logger.warn({ error }, 'what was heard before the last end is not known');
    }
    while (!this.#stopping.aborted) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      await this.#bring();
    }
    if (this.#waiting.size > 0) await this.#bring();
  }

  #note(thingId: string, atMs: number): void {
    const known = this.#waiting.get(thingId);
    if (known === undefined || known < atMs) this.#waiting.set(thingId, atMs);
  }

  /** Tries until all is brought, or it is to stop: then once. */
  async #bring(): Promise<void> {
    for (let failures = 0; ; ) {
      const batch = this.#some();
      const upTo = this.#upTo;
      try {
        if (batch.length > 0) await insertSeen(this.#pool, batch);
        for (const [thingId, atMs] of batch) {
          if (this.#waiting.get(thingId) === atMs) this.#waiting.delete(thingId);
        }
        if (this.#waiting.size > 0) continue;
        if (upTo !== undefined && upTo === this.#upTo) await this.#save(upTo);
        return;
      } catch (error) {
        if (failures === 0) {
          this.#logger.warn({ error }, 'when things were heard is not in Postgres yet');
        }
        failures += 1;
        if (this.#stopping.aborted) return;
        await delay(this.#limits.retryMs, undefined, { signal: this.#stopping }).catch(
          () => undefined,
        );
      }
    }
  }

  #some(): [thingId: string, atMs: number][] {
    const some: [string, number][] = [];
    for (const entry of this.#waiting) {
      some.push(entry);
      if (some.length === this.#limits.thingsAtOnceMax) break;
    }
    return some;
  }

  async #save({ position, atMs }: SeenUpTo): Promise<void> {
    await replaceFile(this.#path, `${JSON.stringify({ ...position, at_ms: atMs })}\n`);
    this.#upTo = undefined;
  }

  /** Takes down what the log has after the last that is known to be in Postgres. */
  async #replay(): Promise<void> {
    const text = await readIfThere(this.#path);
    if (text === undefined) return;
    const { at_ms: atMs, ...from } = Value.Parse(SeenFile, JSON.parse(text));
    const committed = this.#committed();
    for (const format of ['senml', 'json', 'webhook'] as const) {
      const reader = this.#openReader(format);
      const limits = { bytesMax: this.#limits.replayBytesMax, framesMax: Number.MAX_SAFE_INTEGER };
      let position: Position = from;
      while (!this.#stopping.aborted && before(position, committed)) {
        const batch = await reader.read(position, limits);
        if (batch === undefined) break;
        const { body, ends } = batch;
        let at = 0;
        for (const end of ends) {
          this.#note(uuidFromRowBinary(body, at + thingAt[format]), atMs);
          at = end;
        }
        position = batch.to;
      }
    }
    if (this.#waiting.size > 0) this.#wake.resolve();
  }
}
