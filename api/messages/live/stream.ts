import { PassThrough } from 'node:stream';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import type { Lease } from '../../../infra/runtime/budgets/budget.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Filters } from '../../../schemas/messages/query.ts';
import { limits } from '../../limits.ts';
import { selectMessages } from '../query/conditions.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { isEmpty, type Reach } from '../reach/reach.ts';
import type { Head, Heads, HeadWatch } from './heads.ts';
import { markOf, pass, placeAt, type Position, writePosition } from './place.ts';
import { type PlacedRow, readBehind } from './rows.ts';

/** What a stream follows, and how it finds out that it still may. */
export type Followed = {
  format: MessageFormat;
  asked: Filters;
  /** How far the caller may look now. @throws DomainError where their right has ended. */
  reach: () => Promise<Reach>;
  /** Whether all these publishers are within it at this moment. */
  reachesAll: (reach: Reach, publishers: readonly string[]) => Promise<boolean>;
  /** Waits until it may read: what comes is read by all streams at once. */
  turn: () => Promise<Lease>;
};

/** A client that was cut off, or lost its way here, comes back after so long. */
const retryMs = limits.streamPollMs;

/**
 * Messages as server-sent events, from a position on, each once and in the order of its log. Behind a
 * position are all batches that come into sight later: the stream looks for them each second, and looks at
 * the caller's right before it reads.
 */
export class Stream {
  /** What the client reads. It ends when the right ends, and breaks off where something failed. */
  readonly out = new PassThrough();
  readonly #clickhouse: ClickHouseClient;
  readonly #heads: HeadWatch;
  readonly #followed: Followed;
  readonly #position: Position;
  /** What each log had brought when all of it was given. */
  readonly #passed = new Map<string, Head>();
  #running = true;
  #reach: Reach;
  #checkedAt = performance.now();
  #saidAt = performance.now();

  constructor(
    clickhouse: ClickHouseClient,
    heads: HeadWatch,
    followed: Followed,
    position: Position,
    reach: Reach,
  ) {
    this.#clickhouse = clickhouse;
    this.#heads = heads;
    this.#followed = followed;
    this.#position = position;
    this.#reach = reach;
    this.out.once('close', () => {
      this.#running = false;
    });
  }

  /** Nothing is said any more; what was said gets out. */
  end(): void {
    this.#running = false;
    this.out.end();
  }

  async run(): Promise<void> {
    try {
      await this.#say(`retry: ${retryMs}\nid: ${writePosition(this.#position)}\n\n`);
      while (this.#running) await this.#look();
    } catch (error) {
      if (error instanceof DomainError) this.end();
      else this.out.destroy(error instanceof Error ? error : undefined);
    }
  }

  /** Gives what has come since the last look. While something is away, or it is not its turn, nothing has. */
  async #look(): Promise<void> {
    try {
      const heads = await this.#heads.next();
      if (this.#running) await this.#follow(heads);
    } catch (error) {
      const isForNow =
        error instanceof DomainError && (error.code === 'unavailable' || error.code === 'too_many');
      if (!isForNow) throw error;
    }
    if (this.#running && performance.now() - this.#saidAt >= limits.streamHeartbeatMs) {
      await this.#say(`: still here\nid: ${writePosition(this.#position)}\n\n`);
    }
  }

  /** Goes round the logs that have brought something, until all of it is given. */
  async #follow(heads: Heads): Promise<void> {
    await this.#check();
    let left = [...heads].filter(([log, head]) => !isSameHead(this.#passed.get(log), head));
    while (left.length > 0 && this.#running) {
      const more: typeof left = [];
      for (const [log, head] of left) {
        if (await this.#give(log, head)) more.push([log, head]);
        else this.#passed.set(log, head);
      }
      left = more;
    }
  }

  /** Gives some of what a log brought; whether there may be more. */
  async #give(log: string, head: Head): Promise<boolean> {
    if (this.#isStale()) await this.#check();
    const { format, asked } = this.#followed;
    const mark = markOf(log);
    let place = this.#position.get(mark) ?? placeAt(0);
    const reach = this.#reach;
    if (!isEmpty(reach) && head.batch >= place.batch) {
      const where = selectMessages(format, asked, reach);
      const upTo = { log, batch: head.batch };
      const { rows, more } = await this.#inTurn(() =>
        readBehind(this.#clickhouse, format, where, place, upTo),
      );
      for (const [at, row] of rows.entries()) {
        if (!this.#running || !(await this.#mayStillGive(rows, at))) return true;
        place = pass(place, row);
        this.#position.set(mark, place);
        await this.#say(`id: ${writePosition(this.#position)}\ndata: ${row.text}\n\n`);
      }
      if (more) return true;
    }
    // Whatever stood before the head was all there when it was looked for.
    if (head.batch > place.batch) this.#position.set(mark, placeAt(head.batch));
    return false;
  }

  async #inTurn<Result>(read: () => Promise<Result>): Promise<Result> {
    const lease = await this.#followed.turn();
    try {
      return await read();
    } finally {
      lease.release();
    }
  }

  /** Whether what was read and is left may still be given; if not, it is to be read again. */
  async #mayStillGive(rows: readonly PlacedRow[], from: number): Promise<boolean> {
    if (!this.#isStale()) return true;
    await this.#check();
    const left = rows.slice(from).map(({ publisher }) => publisher);
    return this.#followed.reachesAll(this.#reach, left);
  }

  #isStale(): boolean {
    return performance.now() - this.#checkedAt > limits.streamPollMs;
  }

  /** @throws DomainError where the right has ended: with the credential, or with all that was in reach. */
  async #check(): Promise<void> {
    const startedAt = performance.now();
    const reach = await this.#followed.reach();
    if (isEmpty(reach) && !isEmpty(this.#reach))
      throw new DomainError('forbidden', 'nothing is in reach any more');
    this.#reach = reach;
    this.#checkedAt = startedAt;
  }

  /** Waits for a client that is slower than this; one that takes nothing is cut off, and may come back. */
  async #say(text: string): Promise<void> {
    this.#saidAt = performance.now();
    if (this.out.write(text)) return;
    const stalled = setTimeout(() => this.out.destroy(), limits.streamStallMsMax);
    await drained(this.out);
    clearTimeout(stalled);
  }
}

/** Until there is room again, or it is closed. */
function drained(out: PassThrough): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    out.off('drain', done).off('close', done);
    resolve();
  };
  out.on('drain', done).on('close', done);
  return promise;
}

function isSameHead(one: Head | undefined, other: Head): boolean {
  return one?.batch === other.batch && one.rows === other.rows;
}
