import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { sleep } from '../../../infra/runtime/process/sleep.ts';
import { type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { miss, type Missed, noteMissed } from '../../../infra/runtime/webhooks/jobs.ts';
import { type BundleKey, webhookBundleId } from '../../../schemas/internal/webhook-job.ts';
import { limits } from '../../limits.ts';
import { type AttemptSign, failingChanges } from './failing.ts';
import { deleteJobs } from './jobs-sql.ts';
import { type AttemptRow, insertAttempts, noteFailing, noteSuccess, settleBundles } from './sql.ts';

/** An attempt that was made. */
type AttemptNote = AttemptRow & AttemptSign;
/** A job whose deliveries are all done or given up, or have become jobs of their own. */
type DoneNote = { id: string; bundle: BundleKey };

type Note =
  | { kind: 'attempt'; attempt: AttemptNote }
  | { kind: 'missed'; webhookId: string; receivedMs: number }
  | { kind: 'done'; job: DoneNote; resolve: (isWritten: boolean) => void };

const retryMs = 500;
/** How often the last write is tried at a stop. */
const lastWritesMax = 2;

/**
 * Writes to Postgres what was attempted or missed and which jobs are done, in that order and many at a time. While Postgres is
 * away notes wait here, and attempts wait to be admitted when there are too many.
 */
export class Recorder {
  readonly #pool: Pool;
  readonly #logger: Logger;
  #notes: Note[] = [];
  #attempts = 0;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #woken = Promise.withResolvers<void>();
  #isLeaving = false;

  constructor(pool: Pool, logger: Logger) {
    this.#pool = pool;
    this.#logger = logger;
    this.#ended = this.#run();
  }

  isFull(): boolean {
    return this.#attempts >= limits.rowsWaitingMax;
  }

  /** Waits until there is room for more, or `leave` is called. */
  async untilRoom(): Promise<void> {
    while (this.isFull() && !this.#isLeaving) await delay(limits.rowsEveryMs);
  }

  attempted(attempt: AttemptNote): void {
    this.#attempts += 1;
    this.#note({ kind: 'attempt', attempt });
  }

  /** Counts a delivery that its webhook does not get, as it is disabled. */
  missed(webhookId: string, receivedMs: number): void {
    this.#note({ kind: 'missed', webhookId, receivedMs });
  }

  /** Writes down that a job is done, before the queue forgets it. False if that was not possible before the stop. */
  done(job: DoneNote): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#note({ kind: 'done', job, resolve });
    if (this.#isLeaving) resolve(false);
    return promise;
  }

  /** Ends all waits for `done` and for room. */
  leave(): void {
    this.#isLeaving = true;
    for (const note of this.#notes) if (note.kind === 'done') note.resolve(false);
  }

  /** Writes what is left, and stops. */
  close(): Promise<void> {
    this.#stopping.abort();
    this.#woken.resolve();
    return this.#ended;
  }

  #note(note: Note): void {
    this.#notes.push(note);
    this.#woken.resolve();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted || this.#notes.length > 0) {
      try {
        await this.#writeSome();
        failures = 0;
      } catch (error) {
        if (failures === 0)
          this.#logger.warn({ error }, 'attempts at webhooks are not written yet');
        failures += 1;
      }
      if (signal.aborted && failures >= lastWritesMax) {
        this.#logger.error(
          { rows: this.#attempts },
          'rows of attempts at webhooks were lost at the stop',
        );
        return;
      }
      if (failures > 0) await delay(retryMs);
      else if (this.#notes.length === 0 && !signal.aborted) await this.#untilWoken();
      else if (this.#attempts < limits.rowsAtOnceMax) await sleep(limits.rowsEveryMs, signal);
    }
  }

  async #untilWoken(): Promise<void> {
    this.#woken = Promise.withResolvers<void>();
    await this.#woken.promise;
  }

  /** The oldest notes. A job is done for Postgres only when what it attempted is there. */
  async #writeSome(): Promise<void> {
    await this.#writeMissed();
    const attempts: AttemptNote[] = [];
    const done: Extract<Note, { kind: 'done' }>[] = [];
    let count = 0;
    for (const note of this.#notes) {
      if (note.kind === 'done') done.push(note);
      else if (attempts.length === limits.rowsAtOnceMax) break;
      else if (note.kind === 'attempt') attempts.push(note.attempt);
      else break;
      count += 1;
    }
    if (attempts.length > 0) {
      const failingBefore = await insertAttempts(this.#pool, attempts);
      this.#attempts -= attempts.length;
      this.#notes = [...done, ...this.#notes.slice(count)];
      await this.#writeFailing(attempts, failingBefore);
    }
    if (done.length > 0) {
      await this.#writeDone(done.map(({ job }) => job));
      this.#notes = this.#notes.slice(done.length);
      for (const { resolve } of done) resolve(true);
    }
  }

  async #writeMissed(): Promise<void> {
    const missed = new Map<string, Missed>();
    const written = new Set<Note>();
    for (const note of this.#notes) {
      if (note.kind !== 'missed') continue;
      miss(missed, note.webhookId, note.receivedMs);
      written.add(note);
    }
    if (missed.size === 0) return;
    await noteMissed(rowsOf(this.#pool), [...missed.values()]);
    this.#notes = this.#notes.filter((note) => !written.has(note));
  }

  /** If it fails, the next attempt notes the same. */
  async #writeFailing(
    attempts: readonly AttemptNote[],
    failingBefore: ReadonlySet<string>,
  ): Promise<void> {
    const { succeeded, failing } = failingChanges(attempts, failingBefore);
    if (succeeded.length > 0) await noteSuccess(this.#pool, succeeded);
    if (failing.length > 0) await noteFailing(this.#pool, failing);
  }

  /** Not in one transaction: of two workers that end the last two jobs of a bundle, one must see both ends. */
  async #writeDone(jobs: readonly DoneNote[]): Promise<void> {
    const bundles = new Map(jobs.map(({ bundle }) => [webhookBundleId(bundle), bundle]));
    await deleteJobs(
      rowsOf(this.#pool),
      jobs.map(({ id }) => id),
    );
    await settleBundles(this.#pool, [...bundles.values()]);
  }
}
