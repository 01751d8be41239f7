import type { ClickHouseClient } from '../../infra/runtime/stores/clickhouse.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { startPolling } from '../../infra/runtime/process/poll.ts';
import { passLogBarrier } from '../../infra/runtime/stores/log-barrier.ts';
import { type Pool, rowsOf } from '../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { keyChangesChannel } from '../../schemas/internal/key-changes.ts';
import { messageTables } from '../../schemas/messages/tables.ts';
import { eraseFromBundles } from './bundles.ts';
import { deleteMessages, forgetThings, postpone, takeErasedThings } from './sql.ts';

/** How often it looks for things that were deleted. */
const lookEveryMs = 1_000;
const thingsAtOnceMax = 1_000;
/** How long a worker may take for one batch before another one takes it. */
const leaseMs = 120_000;
const retryMs = 5_000;
/** How long a batch waits for the logs of the edges before it is postponed. */
const storedMsMax = 10_000;

type EraseParts = { pool: Pool; redis: Redis; clickhouse: ClickHouseClient; logger: Logger };

/**
 * Erases the messages of deleted things, once all edges know of the deletion and have stored what was in their logs.
 * Several workers share the work.
 *
 * @returns how to stop, which waits for the batch under way.
 */
export function startErasing(parts: EraseParts): () => Promise<void> {
  const eraseSome = async (stopping: AbortSignal) =>
    (await eraseBatch(parts, stopping)) === thingsAtOnceMax ? 'more' : 'some';
  return startPolling(eraseSome, {
    everyMs: lookEveryMs,
    retryMs,
    onFailure: (error) =>
      parts.logger.warn({ error }, 'the messages of deleted things wait to be erased'),
  });
}

/** How many things were in the batch. */
async function eraseBatch(
  { pool, redis, clickhouse }: EraseParts,
  stopping: AbortSignal,
): Promise<number> {
  const ids = await takeErasedThings(pool, thingsAtOnceMax, leaseMs);
  if (ids.length === 0) return 0;
  try {
    const isStored = await passLogBarrier(
      rowsOf(pool),
      () => void redis.publish(keyChangesChannel, '').catch(() => undefined),
      AbortSignal.any([stopping, AbortSignal.timeout(storedMsMax)]),
    );
    if (!isStored) throw new Error('an edge still holds messages in its log');
    for (const { name } of Object.values(messageTables)) {
      await deleteMessages(clickhouse, name, ids);
    }
    await eraseFromBundles(pool, ids);
  } catch (error) {
    await postpone(pool, ids, retryMs);
    throw error;
  }
  await forgetThings(pool, ids);
  return ids.length;
}
