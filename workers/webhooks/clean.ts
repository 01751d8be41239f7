import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../infra/log.ts';
import type { Pool } from '../../infra/postgres.ts';
import {
  deleteOldDeliveries,
  deleteOldPacks,
  deleteSurplusDeliveries,
  deleteSurplusPacks,
} from './sql.ts';

/** How long a try, and a message that was forwarded, can be looked at and repeated. */
const keptDays = 7;
/** And how many of them, however fast they come. */
const keptDeliveriesMax = 20_000_000;
const keptPacksMax = 1_000_000;
/** A pack that still waits to be sent, or whose end was lost with a worker. */
const keptUnsettledDays = 30;

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
        const packDays = { settled: keptDays, unsettled: keptUnsettledDays };
        await cleanAll((rowsMax) => deleteOldPacks(pool, packDays, rowsMax));
        // Postgres' count lags behind, so there is one step of these for each look.
        await deleteSurplusPacks(pool, keptPacksMax, rowsAtOnceMax);
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
