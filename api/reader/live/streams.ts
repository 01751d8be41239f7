import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../../schemas/errors.ts';
import type { Caller } from '../../access/caller.ts';
import {
  awayRetrySeconds,
  streamsMax,
  streamsPerCallerMax,
  streamStopMsMax,
} from '../../limits.ts';

/** A stream that is open. `end` lets it say its last words. */
type Open = { caller: string; end: () => void; closed: Promise<void>; destroy: () => void };

/** The streams of this process: so many, and so many of one caller. */
export class Streams {
  readonly #open = new Set<Open>();
  #stopping = false;

  /** @throws DomainError `tooMany`, `unavailable` where there is no place for one more. */
  mustHaveRoom(caller: Caller): void {
    const mine = [...this.#open].filter((one) => one.caller === nameOf(caller));
    if (mine.length >= streamsPerCallerMax) {
      throw new DomainError('tooMany', 'streams', awayRetrySeconds);
    }
    if (this.#stopping || this.#open.size >= streamsMax) {
      throw new DomainError('unavailable', 'too many streams', awayRetrySeconds);
    }
  }

  add(caller: Caller, stream: Omit<Open, 'caller'>): void {
    const one = { caller: nameOf(caller), ...stream };
    this.#open.add(one);
    void one.closed.finally(() => this.#open.delete(one));
  }

  /** Ends them all; who takes nothing any more is cut off. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const all = [...this.#open];
    for (const one of all) one.end();
    const ended = Promise.all(all.map((one) => one.closed));
    await Promise.race([ended, delay(streamStopMsMax, undefined, { ref: false })]);
    for (const one of all) one.destroy();
  }
}

function nameOf({ kind, id }: Caller): string {
  return `${kind} ${id}`;
}
