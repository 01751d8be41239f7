import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import type { Logger } from '../../infra/log.ts';
import type { Pool } from '../../infra/postgres.ts';
import { deleteMessages, noteErased, startAnew, takeErasedThings } from './sql.ts';

/** How often it looks for things that were deleted. */
const lookEveryMs = 1_000;
const thingsAtOnceMax = 1_000;
/** The waits between erasing the messages of a thing and erasing them again. */
const waitsMs = [5_000, 60_000, 15 * 60_000];
/** How long a worker may take for one batch before another one tries it. */
const leaseMs = 120_000;
const retryMs = 5_000;

/**
 * Erases the messages of deleted things, at once and again later: an edge may still hold some of them in
 * its log, all the more when ClickHouse was away: a failure starts the waits of its things anew.
 * Several workers share the work. Gives how to stop, which waits for the batch in hand.
 */
export function startErasing(parts: {
  pool: Pool;
  clickhouse: ClickHouseClient;
  log: Logger;
}): () => Promise<void> {
  const { log } = parts;
  const stopping = new AbortController();

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      let waitMs = lookEveryMs;
      try {
        if ((await eraseBatch(parts)) === thingsAtOnceMax) continue;
      } catch (error) {
        log.warn({ error }, 'the messages of deleted things were not erased');
        waitMs = retryMs;
      }
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const ended = loop();
  return () => {
    stopping.abort();
    return ended;
  };
}

/** How many things were in the batch. */
async function eraseBatch({
  pool,
  clickhouse,
}: {
  pool: Pool;
  clickhouse: ClickHouseClient;
}): Promise<number> {
  const things = await takeErasedThings(pool, thingsAtOnceMax, leaseMs);
  if (things.length === 0) return 0;
  const ids = things.map((thing) => thing.id);
  try {
    await deleteMessages(clickhouse, 'senml', ids);
    await deleteMessages(clickhouse, 'json', ids);
  } catch (error) {
    await startAnew(pool, things, retryMs);
    throw error;
  }
  await noteErased(pool, things, waitsMs);
  return things.length;
}
