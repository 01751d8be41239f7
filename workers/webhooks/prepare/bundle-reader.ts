import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { type BundledMessages, readBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import { type BundleKey, webhookBundleId } from '../../../schemas/internal/webhook-job.ts';
import { bundlesAgeMsMax, bundlesBytesMax } from '../../limits.ts';
import { retryUntilBack } from '../retry-until-back.ts';

const bundlesAtOnceMax = 16;

type Wanted = PromiseWithResolvers<BundledMessages | undefined> & { key: BundleKey };

/** Reads bundles for deliveries, and waits while Postgres is away. */
export class BundleReader {
  readonly #pool: Pool;
  readonly #log: Logger;
  readonly #stopping: AbortSignal;
  readonly #known = new LRUCache<string, BundledMessages>({
    maxSize: bundlesBytesMax,
    sizeCalculation: (bundle) =>
      [...bundle.values()].reduce((sum, { payload }) => sum + payload.length, 1),
    ttl: bundlesAgeMsMax,
  });
  readonly #wanted = new Map<string, Wanted>();
  #isReading = false;

  constructor(pool: Pool, log: Logger, stopping: AbortSignal) {
    this.#pool = pool;
    this.#log = log;
    this.#stopping = stopping;
  }

  /** All messages of a bundle, for a job of many deliveries: empty if it is not kept, undefined if stopped. */
  async read(key: BundleKey): Promise<BundledMessages | undefined> {
    const read = () => readBundles(rowsOf(this.#pool), [key]);
    const found = await retryUntilBack(read, this.#log, this.#stopping);
    return found === undefined ? undefined : (found[0] ?? new Map());
  }

  /** The same for single deliveries: those of one bundle are often due together, so it is remembered for a moment. */
  readShared(key: BundleKey): BundledMessages | undefined | Promise<BundledMessages | undefined> {
    const id = webhookBundleId(key);
    const found = this.#known.get(id);
    if (found !== undefined) return found;
    const wanted = this.#wanted.get(id) ?? { ...Promise.withResolvers(), key };
    this.#wanted.set(id, wanted);
    if (!this.#isReading) {
      this.#isReading = true;
      // Those asked for in the same turn are read in the same query.
      setImmediate(() => void this.#readWanted());
    }
    return wanted.promise;
  }

  async #readWanted(): Promise<void> {
    while (this.#wanted.size > 0) {
      const batch = [...this.#wanted].slice(0, bundlesAtOnceMax);
      const keys = batch.map(([, { key }]) => key);
      const read = await retryUntilBack(
        () => readBundles(rowsOf(this.#pool), keys),
        this.#log,
        this.#stopping,
      );
      for (const [at, [id, { resolve }]] of batch.entries()) {
        const bundle = read?.[at];
        if (bundle !== undefined) this.#known.set(id, bundle);
        resolve(bundle);
        this.#wanted.delete(id);
      }
    }
    this.#isReading = false;
  }
}
