import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { KeyChanges } from './key-changes.ts';
import { parseSnapshot, type Snapshot } from './snapshot.ts';
import type { JournalPage, JournalPlace } from './sql.ts';

export type KeyJournalTimes = {
  /** How often the journal is read without a notice. */
  pollMs: number;
  /** After this long without a message the journal rests: it is read so seldom, and before the next message. */
  restAfterMs: number;
  restMs: number;
  /** After this long without a look at the journal, what is remembered as unknown is looked up again. */
  freshMsMax: number;
  /** After this long the journal may have been cleared meanwhile: everything remembered is dropped. */
  gapMsMax: number;
  /** How long changes are remembered: longer than an entry lives in Redis. */
  rememberMs: number;
};

/** A page of the journal: what `since` did not see, after `after`. */
type LoadKeyChanges = (since: Snapshot, after?: JournalPlace) => Promise<JournalPage>;

const seesNothing = parseSnapshot('1:1:');

/** A moment on two clocks: the one may be set, and the other stands still while the machine sleeps. */
type Moment = { wallMs: number; steadyMs: number };

const now = (): Moment => ({ wallMs: Date.now(), steadyMs: performance.now() });

const sinceMs = ({ wallMs, steadyMs }: Moment): number =>
  Math.max(Date.now() - wallMs, performance.now() - steadyMs);

/**
 * Follows the journal of changed keys in Postgres. A notice over Redis only makes it look at once; a
 * lost notice, or a Redis that is away, costs one poll interval. While no messages come the journal rests.
 */
export class KeyJournal {
  readonly #load: LoadKeyChanges;
  readonly #times: KeyJournalTimes;
  readonly #logger: Logger;
  readonly #onChange: (lookup: string) => void;
  readonly #onGap: () => void;
  readonly #changes = new KeyChanges();
  #since = seesNothing;
  #lastReadAt: Moment | undefined;
  #usedAt = now();
  #isUsed = true;
  #isResting = false;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(options: {
    load: LoadKeyChanges;
    times: KeyJournalTimes;
    logger: Logger;
    onChange: (lookup: string) => void;
    onGap: () => void;
  }) {
    this.#load = options.load;
    this.#times = options.times;
    this.#logger = options.logger;
    this.#onChange = options.onChange;
    this.#onGap = options.onGap;
  }

  /** Reads the journal now and from now on. */
  start(): Promise<void> {
    return this.poll();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#reading;
  }

  /** Whether what was read from Postgres in this snapshot still holds, as far as is known here. */
  isCurrent(lookup: string, snapshot: Snapshot): boolean {
    return this.#changes.areSeen(lookup, snapshot);
  }

  /** Whether the journal was read at all since the start. */
  hasStarted(): boolean {
    return this.#lastReadAt !== undefined;
  }

  /**
   * A key that was read before is used now, for a message. False: it may be out of date, because the journal rests; then
   * `catchUp` comes first.
   */
  use(): boolean {
    this.#isUsed = true;
    return !this.#isResting;
  }

  /** The journal rests: there was no message for a while, and it could be read. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** Reads what was written before the call. Rests no longer where it is used, whether it can be read or not. */
  async catchUp(): Promise<void> {
    // The reading under way may have begun too early.
    await this.#reading;
    await this.poll();
  }

  /** Whether the journal was read lately. */
  isFresh(): boolean {
    return this.#lastReadAt !== undefined && sinceMs(this.#lastReadAt) <= this.#times.freshMsMax;
  }

  /** Reads the journal. Called while it is read, it reads it once more after that. */
  poll(): Promise<void> {
    this.#again = this.#reading !== undefined;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      if (this.#stopped) return;
      clearTimeout(this.#timer);
      const pauseMs = this.#rests() ? this.#times.restMs : this.#times.pollMs;
      this.#timer = setTimeout(() => void this.poll(), this.#again ? 0 : pauseMs);
    });
    return this.#reading;
  }

  #rests(): boolean {
    if (this.#isUsed) this.#usedAt = now();
    this.#isUsed = false;
    this.#isResting = this.isFresh() && sinceMs(this.#usedAt) > this.#times.restAfterMs;
    return this.#isResting;
  }

  async #read(): Promise<void> {
    const startedAt = now();
    try {
      let page = await this.#load(this.#since);
      const { snapshot } = page;
      const { gapMsMax, rememberMs } = this.#times;
      if (this.#lastReadAt !== undefined && sinceMs(this.#lastReadAt) > gapMsMax) this.#onGap();
      this.#changes.forget(startedAt.steadyMs - rememberMs);
      for (;;) {
        for (const { lookup, xid } of page.changes) {
          if (this.#changes.note(lookup, xid, startedAt.steadyMs)) this.#onChange(lookup);
        }
        if (page.end === undefined) break;
        if (this.#stopped) return;
        page = await this.#load(this.#since, page.end);
      }
      // The snapshot of the first page: what commits while the others are read may stand before them.
      this.#since = snapshot;
      this.#lastReadAt = startedAt;
    } catch (error) {
      if (this.isFresh())
        this.#logger.warn({ error }, 'the journal of key changes can not be read');
    }
  }
}
