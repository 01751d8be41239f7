import type { Logger } from '../../infra/runtime/process/logger.ts';
import { sleep } from '../../infra/runtime/process/sleep.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { limits } from '../limits.ts';
import { acknowledgeCommands, releaseCommands } from './sql.ts';

/**
 * Writes down which commands things have, and which are due again: those of a moment together. While PostgreSQL is away
 * they wait here, up to a bound; what is lost with this process, or over the bound, is handed out again.
 */
export class CommandAcks {
  readonly #pool: Pool;
  readonly #logger: Logger;
  readonly #written: (count: number) => void;
  readonly #stopping = new AbortController();
  /** The thing of each. */
  #acks = new Map<string, string>();
  #released = new Set<string>();
  #writing: Promise<void> | undefined;

  constructor(pool: Pool, logger: Logger, written: (count: number) => void) {
    this.#pool = pool;
    this.#logger = logger;
    this.#written = written;
  }

  add(thingId: string, id: string): void {
    if (this.#acks.size >= limits.commandAcksMax) return;
    this.#acks.set(id, thingId);
    this.#released.delete(id);
    this.#write();
  }

  /** Commands that things have, which PostgreSQL is still to be told of. */
  waiting(): Iterable<string> {
    return this.#acks.keys();
  }

  /** The thing that had it is gone. */
  release(id: string): void {
    if (this.#released.size >= limits.commandAcksMax || this.#acks.has(id)) return;
    this.#released.add(id);
    this.#write();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#writing;
  }

  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
  }

  async #writeAll(): Promise<void> {
    let hasFailed = false;
    while (this.#acks.size > 0 || this.#released.size > 0) {
      const acks = [...this.#acks].slice(0, limits.commandAcksAtOnce);
      const released = [...this.#released].slice(0, limits.commandAcksAtOnce);
      try {
        if (acks.length > 0) {
          const given = acks.map(([id, thingId]) => ({ id, thingId }));
          this.#written((await acknowledgeCommands(this.#pool, given)).fresh);
          for (const [id] of acks) this.#acks.delete(id);
        }
        if (released.length > 0) await releaseCommands(this.#pool, released);
        for (const id of released) this.#released.delete(id);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) this.#logger.warn({ error }, 'acks of commands can not be written down');
        hasFailed = true;
        if (this.#stopping.signal.aborted) return;
        await sleep(limits.commandPollMs, this.#stopping.signal);
      }
    }
  }
}
