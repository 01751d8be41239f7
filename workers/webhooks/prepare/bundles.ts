import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import { type PackedMessages, readPacks, rowsOf } from '../../../infra/runtime/webhooks/bundles.ts';
import { type PackKey, webhookPackId } from '../../../schemas/internal/webhook-job.ts';
import { packsAgeMsMax, packsBytesMax } from '../limits.ts';
import { readPatiently } from './retry-until-back.ts';

/** A pack's messages; undefined when it is not kept, or this process stops. */
export type ReadPack = (key: PackKey) => Promise<PackedMessages | undefined>;

const packsAtOnceMax = 16;

/** Reads packs for single copies, several at a time: copies of one pack are often tried at one time. */
export function createReadPack(pool: Pool, log: Logger, signal: AbortSignal): ReadPack {
  const known = new LRUCache<string, PackedMessages>({
    maxSize: packsBytesMax,
    sizeCalculation: (pack) =>
      [...pack.values()].reduce((sum, { payload }) => sum + payload.length, 1),
    ttl: packsAgeMsMax,
  });
  type Wanted = PromiseWithResolvers<PackedMessages | undefined> & { key: PackKey };
  const wanted = new Map<string, Wanted>();
  let reading = false;

  async function readWanted(): Promise<void> {
    while (wanted.size > 0) {
      const batch = [...wanted].slice(0, packsAtOnceMax);
      const keys = batch.map(([, { key }]) => key);
      const read = await readPatiently(() => readPacks(rowsOf(pool), keys), log, signal);
      for (const [at, [id, { resolve }]] of batch.entries()) {
        const pack = read?.[at];
        if (pack !== undefined) known.set(id, pack);
        resolve(pack);
        wanted.delete(id);
      }
    }
    reading = false;
  }

  return async (key) => {
    const id = webhookPackId(key);
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
