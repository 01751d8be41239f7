import { DomainError } from '../../../../schemas/http/errors.ts';
import { EventStream } from '../../../http/connections/event-stream.ts';
import { limits } from '../../../limits.ts';
import type { AlarmNews, AlarmWatch } from './changes.ts';
import type { ChangedAlarm } from './sql.ts';

/** The source of a stream's alarms. */
export type AlarmSource = {
  watch: AlarmWatch;
  /** Whether news may be of the stream's alarms. */
  concerns: (news: AlarmNews) => boolean;
  /** Reads some alarms that changed, if the caller still may. @throws DomainError if they may not any more. */
  read: (range: { from: number; to: number }) => Promise<ChangedAlarm[]>;
  /** @throws DomainError if they may not any more. */
  check: () => Promise<void>;
};

/** Alarms that change as server-sent events, after a number, each change once, in the order of their numbers. */
export class AlarmStream {
  readonly events = new EventStream();
  readonly #source: AlarmSource;
  /** All up to this number was told. */
  #position: number;
  /** The end of the last news that was followed. */
  #followed: number | undefined;

  constructor(source: AlarmSource, position: number) {
    this.#source = source;
    this.#position = position;
  }

  async run(): Promise<void> {
    try {
      await this.events.write(`retry: ${limits.alarmPollMs}\nid: ${this.#position}\n\n`);
      while (this.events.isOpen) await this.#poll();
    } catch (error) {
      this.events.endFor(error);
    }
  }

  /** Tells of what changed. If PostgreSQL is away, or has no room for this caller, it is asked again later. */
  async #poll(): Promise<void> {
    try {
      const news = await this.#source.watch.next();
      if (this.events.isOpen) await this.#follow(news);
      if (this.events.isOpen && this.events.isQuiet) {
        await this.#source.check();
        await this.events.write(`: still here\nid: ${this.#position}\n\n`);
      }
    } catch (error) {
      const passes =
        error instanceof DomainError && (error.code === 'unavailable' || error.code === 'too_many');
      if (!passes) throw error;
    }
  }

  async #follow(news: AlarmNews): Promise<void> {
    const knowsAllBefore = this.#followed === news.from;
    this.#followed = undefined;
    const { to } = news;
    if (to > this.#position && (!knowsAllBefore || this.#source.concerns(news))) {
      await this.#tell(to);
    }
    if (!this.events.isOpen) return;
    this.#position = Math.max(this.#position, to);
    this.#followed = to;
  }

  async #tell(to: number): Promise<void> {
    for (;;) {
      const changed = await this.#source.read({ from: this.#position, to });
      for (const { alarm, change } of changed) {
        if (!this.events.isOpen) return;
        this.#position = change;
        await this.events.write(`id: ${change}\ndata: ${JSON.stringify(alarm)}\n\n`);
      }
      if (changed.length < limits.alarmStreamRowsMax) return;
    }
  }
}
