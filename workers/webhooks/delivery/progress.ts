import type { Job } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { BusyInterval } from '../../../infra/runtime/process/busy-interval.ts';
import { limits } from '../../limits.ts';

const rememberedMax = 10_000;

/**
 * Which deliveries of a job need no attempt any more, by their places in it. It is saved in the job while others are
 * still under way, so that a killed worker repeats only the latest; and remembered until the queue knows that the job
 * is done, since the queue may give it again after Redis was away.
 */
export class Progress {
  readonly #known = new LRUCache<string, Set<number>>({ max: rememberedMax });
  readonly #underWay = new Set<{ save: () => void }>();
  readonly #saving = new BusyInterval(() => {
    for (const { save } of this.#underWay) save();
    return this.#underWay.size > 0;
  }, limits.saveEveryMs);

  /** Runs `work` with the places that are done, those known from before included, and saves the places that it adds. */
  async saveWhile(job: Job<unknown>, work: (done: Set<number>) => Promise<void>): Promise<void> {
    const done = this.#doneIn(job);
    const saved = { size: done.size, ended: Promise.resolve() };
    const entry = {
      save() {
        if (done.size === saved.size) return;
        saved.size = done.size;
        // If it fails, these deliveries are repeated after a kill.
        saved.ended = job.updateProgress([...done]).catch(() => undefined);
      },
    };
    this.#underWay.add(entry);
    this.#saving.start();
    try {
      await work(done);
    } finally {
      this.#underWay.delete(entry);
      entry.save();
      await saved.ended;
    }
  }

  forget(job: Job<unknown>): void {
    this.#known.delete(nameOf(job));
  }

  stop(): void {
    this.#saving.stop();
  }

  #doneIn(job: Job<unknown>): Set<number> {
    const done = this.#known.get(nameOf(job)) ?? new Set();
    this.#known.set(nameOf(job), done);
    if (Array.isArray(job.progress)) {
      for (const place of job.progress) if (Number.isInteger(place)) done.add(place);
    }
    return done;
  }
}

/** The same job added again, to repeat it, is another one. */
const nameOf = (job: Job<unknown>): string => `${job.id} ${job.timestamp}`;
