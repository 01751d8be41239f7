import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../infra/log.ts';
import type { Pool } from '../../infra/postgres.ts';
import {
  deleteOldDeliveries,
  deleteOldMessages,
  deleteSurplusDeliveries,
  deleteSurplusMessages,
} from './sql.ts';

/** How long a try, and a message that was forwarded, can be looked at and repeated. */
const keptDays = 7;
/** And how many of them, however fast they come. */
const keptDeliveriesMax = 20_000_000;
const keptMessagesMax = 5_000_000;

const lookEveryMs = 60_000;
const rowsAtOnceMax = 5_000;
/** Whoever else uses Postgres has it in between. */
const pauseMs = 50;

/** Deletes what is too old or too much, a little at a time. Several workers share the work. */
export function startCleaning(pool: Pool, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const sleep = (ms: number) =>
    delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function cleanAll(remove: (rowsMax: number) => Promise<number>): Promise<void> {
    while (!stopping.signal.aborted && (await remove(rowsAtOnceMax)) === rowsAtOnceMax) {
      await sleep(pauseMs);
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await cleanAll((rowsMax) => deleteOldDeliveries(pool, keptDays, rowsMax));
        await cleanAll((rowsMax) => deleteSurplusDeliveries(pool, keptDeliveriesMax, rowsMax));
        await cleanAll((rowsMax) => deleteOldMessages(pool, keptDays, rowsMax));
        // Postgres' count lags behind, so there is one step of these for each look.
        await deleteSurplusMessages(pool, keptMessagesMax, rowsAtOnceMax);
      } catch (error) {
        log.warn({ error }, 'old webhook deliveries were not deleted');
      }
      await sleep(lookEveryMs);
    }
  }

  const ended = loop();
  return () => {
    stopping.abort();
    return ended;
  };
}
