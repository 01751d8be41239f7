import { sleep } from '../process/sleep.ts';

/** Runs one statement and gives its rows. */
type Query = (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>;

const lookEveryMs = 25;

/** An edge that was silent for longer counts as gone, and so does its log. */
const silentSecondsMax = 3_600;

/**
 * Waits until everything that the edges acknowledged before the call is in the store. `announce` tells the edges at
 * once; an edge that is not reached finds it at its next look.
 *
 * @returns false if some log still holds messages when `waiting` is aborted.
 */
export async function passLogBarrier(
  query: Query,
  announce: () => void,
  waiting: AbortSignal,
): Promise<boolean> {
  const [drawn] = await query(`SELECT nextval('log_barriers')::text AS barrier`, []);
  announce();
  for (;;) {
    const late = await query(
      `SELECT id FROM logs
       WHERE settled < $1 AND seen_at > now() - make_interval(secs => $2) LIMIT 1`,
      [drawn?.['barrier'], silentSecondsMax],
    );
    if (late.length === 0) return true;
    if (waiting.aborted) return false;
    await sleep(lookEveryMs, waiting);
  }
}
