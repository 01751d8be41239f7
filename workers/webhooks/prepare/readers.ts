import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { type BundledMessages, readBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import { type BundleKey, webhookBundleId } from '../../../schemas/internal/webhook-job.ts';
import { limits } from '../../limits.ts';
import { retryUntilBack } from '../retry-until-back.ts';
import { findWebhooks } from './sql.ts';
import { type Webhook, webhookOf } from './webhook.ts';

const webhooksAtOnceMax = 1_000;
const bundlesAtOnceMax = 16;

type Wanted<Key, Value> = PromiseWithResolvers<Value | undefined> & { key: Key };

type ReaderOptions<Key, Value> = {
  /** Values in the order of their keys; undefined for one that is not there. */
  read: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>;
  idOf: (key: Key) => string;
  atOnceMax: number;
  /** Values that were read a moment ago. */
  known: LRUCache<string, { value: Value }>;
};

/**
 * Reads from Postgres for many callers: keys asked for in the same turn are read in one query, and values are
 * remembered for a moment. Waits while Postgres is away.
 */
class Reader<Key, Value> {
  readonly #options: ReaderOptions<Key, Value>;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  readonly #wanted = new Map<string, Wanted<Key, Value>>();
  #isReading = false;

  constructor(options: ReaderOptions<Key, Value>, logger: Logger, stopping: AbortSignal) {
    this.#options = options;
    this.#logger = logger;
    this.#stopping = stopping;
  }

  /** Undefined: it is not there, or the stop came first. */
  read(key: Key): Value | undefined | Promise<Value | undefined> {
    const { idOf, known } = this.#options;
    const id = idOf(key);
    const found = known.get(id);
    if (found !== undefined) return found.value;
    const wanted = this.#wanted.get(id) ?? { ...Promise.withResolvers(), key };
    this.#wanted.set(id, wanted);
    if (!this.#isReading) {
      this.#isReading = true;
      setImmediate(() => void this.#readWanted());
    }
    return wanted.promise;
  }

  /** The next `read` asks Postgres again. */
  forget(key: Key): void {
    this.#options.known.delete(this.#options.idOf(key));
  }

  async #readWanted(): Promise<void> {
    const { read, atOnceMax, known } = this.#options;
    while (this.#wanted.size > 0) {
      const batch = [...this.#wanted].slice(0, atOnceMax);
      // A key asked for from here on is read after that: its value may have changed.
      for (const [id] of batch) this.#wanted.delete(id);
      const keys = batch.map(([, { key }]) => key);
      const values = await retryUntilBack(() => read(keys), this.#logger, this.#stopping);
      for (const [at, [id, { resolve }]] of batch.entries()) {
        const value = values?.[at];
        if (value !== undefined) known.set(id, { value });
        resolve(value);
      }
    }
    this.#isReading = false;
  }
}

/** Webhooks as they are now, or were half a second ago. `null`: it is deleted. */
export type WebhookReader = Reader<string, Webhook | null>;

export function createWebhookReader(
  { pool, vault }: { pool: Pool; vault: KeyVault },
  logger: Logger,
  stopping: AbortSignal,
): WebhookReader {
  const options: ReaderOptions<string, Webhook | null> = {
    async read(ids) {
      const rows = await findWebhooks(pool, ids);
      const webhooks = new Map(rows.map((row) => [row.id, webhookOf(row, vault)]));
      return ids.map((id) => webhooks.get(id) ?? null);
    },
    idOf: (id) => id,
    atOnceMax: webhooksAtOnceMax,
    known: new LRUCache({ max: limits.webhooksMax, ttl: limits.webhookAgeMsMax }),
  };
  return new Reader(options, logger, stopping);
}

/** Bundles, for single deliveries: those of one bundle are often due together. */
export type BundleReader = Reader<BundleKey, BundledMessages>;

export function createBundleReader(
  pool: Pool,
  logger: Logger,
  stopping: AbortSignal,
): BundleReader {
  const options: ReaderOptions<BundleKey, BundledMessages> = {
    read: (keys) => readBundles(rowsOf(pool), keys),
    idOf: webhookBundleId,
    atOnceMax: bundlesAtOnceMax,
    known: new LRUCache({
      maxSize: limits.bundlesBytesMax,
      sizeCalculation: ({ value }) =>
        [...value.values()].reduce((sum, { payload }) => sum + payload.length, 1),
      ttl: limits.bundlesAgeMsMax,
    }),
  };
  return new Reader(options, logger, stopping);
}
