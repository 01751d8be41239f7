import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../stores/database.ts';

const againMs = 50;

/**
 * Runs `work` while nobody else has the lock of this name, in this process or another; it is let go of
 * however the process ends. Gives `taken` where somebody has it for longer than `waitMsMax`.
 *
 * `mustBeHeld` throws where the connection that holds it broke meanwhile. The transaction that holds it does nothing else: it has no snapshot, so it keeps Postgres from nothing.
 */
export function withLock<Result>(
  db: Database,
  name: string,
  waitMsMax: number,
  work: (mustBeHeld: () => Promise<void>) => Promise<Result>,
): Promise<Result | 'taken'> {
  return db.transaction(async (connection) => {
    const deadline = performance.now() + waitMsMax;
    for (;;) {
      const [row] = await connection.rows<{ got: boolean }>(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS got',
        [name],
      );
      if (row?.got === true) break;
      if (performance.now() >= deadline) return 'taken';
      await delay(againMs);
    }
    return work(async () => void (await connection.rows('SELECT', [])));
  });
}
