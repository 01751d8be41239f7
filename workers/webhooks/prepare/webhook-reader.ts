import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import { webhookAgeMsMax, webhooksMax } from '../../limits.ts';
import { retryUntilBack } from '../retry-until-back.ts';
import { findWebhooks } from './sql.ts';
import { type Webhook, webhookOf } from './webhook.ts';

const idsAtOnceMax = 1_000;

/** Reads webhooks, many at a time, and remembers them for a moment. Waits while Postgres is away. */
export class WebhookReader {
  readonly #pool: Pool;
  readonly #vault: KeyVault;
  readonly #log: Logger;
  readonly #stopping: AbortSignal;
  readonly #known = new LRUCache<string, { webhook: Webhook | undefined }>({
    max: webhooksMax,
    ttl: webhookAgeMsMax,
  });
  #wanted = new Map<string, PromiseWithResolvers<Webhook | undefined>>();
  #isReading = false;

  constructor(
    { pool, vault }: { pool: Pool; vault: KeyVault },
    log: Logger,
    stopping: AbortSignal,
  ) {
    this.#pool = pool;
    this.#vault = vault;
    this.#log = log;
    this.#stopping = stopping;
  }

  /**
   * The webhook as it is now, or was half a second ago; undefined when there is none.
   *
   * @throws when the stop comes first.
   */
  find(id: string): Webhook | undefined | Promise<Webhook | undefined> {
    const found = this.#known.get(id);
    if (found !== undefined) return found.webhook;
    const wanted = this.#wanted.get(id) ?? Promise.withResolvers<Webhook | undefined>();
    this.#wanted.set(id, wanted);
    if (!this.#isReading) {
      this.#isReading = true;
      // Those asked for in the same turn are read in the same query.
      setImmediate(() => void this.#readWanted());
    }
    return wanted.promise;
  }

  /** Has it read anew. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  async #readWanted(): Promise<void> {
    while (this.#wanted.size > 0) {
      const batch = [...this.#wanted].slice(0, idsAtOnceMax);
      this.#wanted = new Map([...this.#wanted].slice(idsAtOnceMax));
      const ids = batch.map(([id]) => id);
      const rows = await retryUntilBack(
        () => findWebhooks(this.#pool, ids),
        this.#log,
        this.#stopping,
      );
      const webhooks = new Map(rows?.map((row) => [row.id, webhookOf(row, this.#vault)]));
      for (const [id, { resolve, reject }] of batch) {
        if (rows === undefined) {
          reject(new Error('stopped before the webhook was read'));
          continue;
        }
        const webhook = webhooks.get(id);
        this.#known.set(id, { webhook });
        resolve(webhook);
      }
    }
    this.#isReading = false;
  }
}
