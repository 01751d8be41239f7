import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { JournalPlace, KeyChanges } from './things-sql.ts';
import { parseSnapshot, type Snapshot, sees } from './snapshot.ts';

export type KeyJournalTimes = {
  /** How often the journal is read without a notice. */
  pollMs: number;
  /** After this long without a look at the journal, what is remembered as unknown is looked up again. */
  freshMsMax: number;
  /** After this long the journal may have been cleared meanwhile: everything remembered is dropped. */
  gapMsMax: number;
  /** How long changes are remembered: longer than an entry lives in Redis. */
  rememberMs: number;
};

type Change = { xid: bigint; at: number };

/** A page of the journal: what `since` did not see, after `after`. */
export type LoadKeyChanges = (since: Snapshot, after?: JournalPlace) => Promise<KeyChanges>;

const seesNothing = parseSnapshot('1:1:');

/**
 * Follows the journal of changed keys in Postgres. A notice over Redis only makes it look at once; a
 * lost notice, or a Redis that is away, costs one poll interval.
 */
export class KeyJournal {
  readonly #load: LoadKeyChanges;
  readonly #times: KeyJournalTimes;
  readonly #logger: Logger;
  readonly #onChange: (lookup: string) => void;
  readonly #onGap: () => void;
  /** All changes of a lookup: one of an older transaction may come later. */
  readonly #changes = new Map<string, Change[]>();
  #since = seesNothing;
  #lastReadAt = 0;
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
    const changes = this.#changes.get(lookup);
    return changes === undefined || changes.every(({ xid }) => sees(snapshot, xid));
  }

  /** Whether the journal was read at all since the start. */
  hasStarted(): boolean {
    return this.#lastReadAt !== 0;
  }

  /** Whether the journal was read lately. */
  isFresh(): boolean {
    return Date.now() - this.#lastReadAt <= this.#times.freshMsMax;
  }

  /** Reads the journal. Called while it is read, it reads it once more after that. */
  poll(): Promise<void> {
    this.#again = this.#reading !== undefined;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      if (this.#stopped) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.poll(), this.#again ? 0 : this.#times.pollMs);
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const startedAt = Date.now();
    try {
      let page = await this.#load(this.#since);
      const { snapshot } = page;
      if (this.hasStarted() && startedAt - this.#lastReadAt > this.#times.gapMsMax) this.#onGap();
      this.#forget(startedAt - this.#times.rememberMs);
      for (;;) {
        for (const { lookup, xid } of page.changes) this.#note(lookup, xid, startedAt);
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

  #note(lookup: string, xid: bigint, at: number): void {
    const known = this.#changes.get(lookup) ?? [];
    if (known.some((change) => change.xid === xid)) return;
    const remembered = known.filter((change) => change.at > at - this.#times.rememberMs);
    this.#changes.delete(lookup);
    this.#changes.set(lookup, [...remembered, { xid, at }]);
    this.#onChange(lookup);
  }

  /** The map is in the order of each lookup's last change. */
  #forget(until: number): void {
    for (const [lookup, changes] of this.#changes) {
      if ((changes.at(-1)?.at ?? 0) > until) break;
      this.#changes.delete(lookup);
    }
  }
}
