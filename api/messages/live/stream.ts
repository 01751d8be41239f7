import { DomainError } from '../../../schemas/http/errors.ts';
import { EventStream } from '../../http/connections/event-stream.ts';
import { limits } from '../../limits.ts';
import { isEmpty, type Reach } from '../reach/reach.ts';
import type { Head, Heads, HeadWatch } from './heads.ts';
import {
  type LogPlace,
  markOf,
  placeAfter,
  placeAt,
  type StreamPosition,
  writePosition,
} from './position.ts';
import type { LogRange, PlacedRow } from './rows.ts';

/** The source of a stream's messages, which also knows whether its caller may still have them. */
export type StreamSource = {
  heads: HeadWatch;
  /** The caller's reach at this moment. @throws DomainError if they may not read any more. */
  reach: () => Promise<Reach>;
  /** Whether all these publishers are within the reach at this moment. */
  reachesAll: (reach: Reach, publishers: readonly string[]) => Promise<boolean>;
  /** Reads some rows when it is the caller's turn: all streams want to read the same new messages at once. */
  read: (reach: Reach, range: LogRange) => Promise<{ rows: PlacedRow[]; more: boolean }>;
};

/** After how long a client connects again. */
const retryMs = limits.streamPollMs;

/**
 * Messages as server-sent events, from a position on, each once and in the order of its log. Each second the stream
 * looks for new batches, and checks what its caller may see before it reads them.
 */
export class Stream {
  /** It ends when the caller's permission ends. */
  readonly events = new EventStream();
  readonly #source: StreamSource;
  readonly #position: StreamPosition;
  /** The head of each log whose rows were all sent. */
  readonly #given = new Map<string, Head>();
  #reach: Reach;
  #checkedAt = performance.now();

  constructor(source: StreamSource, position: StreamPosition, reach: Reach) {
    this.#source = source;
    this.#position = position;
    this.#reach = reach;
  }

  async run(): Promise<void> {
    try {
      await this.events.write(`retry: ${retryMs}\nid: ${writePosition(this.#position)}\n\n`);
      while (this.events.isOpen) await this.#poll();
    } catch (error) {
      this.events.endFor(error);
    }
  }

  /** Sends new messages. If the store is unavailable, or has no room for this caller, it is asked again later. */
  async #poll(): Promise<void> {
    try {
      const heads = await this.#source.heads.next();
      if (this.events.isOpen) await this.#follow(heads);
    } catch (error) {
      const passes =
        error instanceof DomainError && (error.code === 'unavailable' || error.code === 'too_many');
      if (!passes) throw error;
    }
    if (this.events.isOpen && this.events.isQuiet) {
      await this.events.write(`: still here\nid: ${writePosition(this.#position)}\n\n`);
    }
  }

  /** Sends the new messages of each log, some of each log in turn, until there are no more. */
  async #follow(heads: Heads): Promise<void> {
    await this.#check();
    let left = [...heads].filter(([log, head]) => !isSameHead(this.#given.get(log), head));
    while (left.length > 0 && this.events.isOpen) {
      const more: typeof left = [];
      for (const [log, head] of left) {
        if (await this.#give(log, head)) more.push([log, head]);
        else this.#given.set(log, head);
      }
      left = more;
    }
  }

  /** Sends some rows of a log. Returns whether there may be more. */
  async #give(log: string, head: Head): Promise<boolean> {
    if (this.#isStale()) await this.#check();
    const mark = markOf(log);
    let place: LogPlace = this.#position.get(mark) ?? placeAt(0);
    const reach = this.#reach;
    if (!isEmpty(reach) && head.batch >= place.batch) {
      const { rows, more } = await this.#source.read(reach, { log, place, batch: head.batch });
      for (const [at, row] of rows.entries()) {
        if (!this.events.isOpen || !(await this.#mayStillGive(rows, at))) return true;
        place = placeAfter(place, row);
        this.#position.set(mark, place);
        await this.events.write(`id: ${writePosition(this.#position)}\ndata: ${row.text}\n\n`);
      }
      if (more) return true;
    }
    // When the head was read, all batches before it were stored whole.
    if (head.batch > place.batch) this.#position.set(mark, placeAt(head.batch));
    return false;
  }

  /** Whether the rows from here on may still be sent. If not, they must be read again. */
  async #mayStillGive(rows: readonly PlacedRow[], from: number): Promise<boolean> {
    if (!this.#isStale()) return true;
    await this.#check();
    const left = rows.slice(from).map(({ publisher }) => publisher);
    return this.#source.reachesAll(this.#reach, left);
  }

  #isStale(): boolean {
    return performance.now() - this.#checkedAt > limits.streamPollMs;
  }

  /** @throws DomainError if the credential ended, or nothing is in reach any more. */
  async #check(): Promise<void> {
    const startedAt = performance.now();
    const reach = await this.#source.reach();
    if (isEmpty(reach) && !isEmpty(this.#reach))
      throw new DomainError('forbidden', 'nothing is in reach any more');
    this.#reach = reach;
    this.#checkedAt = startedAt;
  }
}

function isSameHead(one: Head | undefined, other: Head): boolean {
  return one?.batch === other.batch && one.rows === other.rows;
}
