import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import {
  type BundledMessages,
  readBundles,
  rowsOf,
} from '../../../infra/runtime/webhooks/bundles.ts';
import { type BundleKey, webhookBundleId } from '../../../schemas/internal/webhook-job.ts';
import { bundlesAgeMsMax, bundlesBytesMax } from '../limits.ts';
import { readPatiently } from './retry-until-back.ts';

/** A bundle's messages; undefined when it is not kept, or this process stops. */
export type ReadBundle = (key: BundleKey) => Promise<BundledMessages | undefined>;

const bundlesAtOnceMax = 16;

/** Reads bundles for single copies, several at a time: copies of one bundle are often tried at one time. */
export function createReadBundle(pool: Pool, log: Logger, signal: AbortSignal): ReadBundle {
  const known = new LRUCache<string, BundledMessages>({
    maxSize: bundlesBytesMax,
    sizeCalculation: (bundle) =>
      [...bundle.values()].reduce((sum, { payload }) => sum + payload.length, 1),
    ttl: bundlesAgeMsMax,
  });
  type Wanted = PromiseWithResolvers<BundledMessages | undefined> & { key: BundleKey };
  const wanted = new Map<string, Wanted>();
  let reading = false;

  async function readWanted(): Promise<void> {
    while (wanted.size > 0) {
      const batch = [...wanted].slice(0, bundlesAtOnceMax);
      const keys = batch.map(([, { key }]) => key);
      const read = await readPatiently(() => readBundles(rowsOf(pool), keys), log, signal);
      for (const [at, [id, { resolve }]] of batch.entries()) {
        const bundle = read?.[at];
        if (bundle !== undefined) known.set(id, bundle);
        resolve(bundle);
        wanted.delete(id);
      }
    }
    reading = false;
  }

  return async (key) => {
    const id = webhookBundleId(key);
    const found = known.get(id);
    if (found !== undefined) return found;
    const asked = wanted.get(id) ?? { ...Promise.withResolvers(), key };
    wanted.set(id, asked);
    if (!reading) {
      reading = true;
      // Who asks in the same turn is read in the same query.
      setImmediate(() => void readWanted());
    }
    return asked.promise;
  };
}
