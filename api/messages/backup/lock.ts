import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../stores/database.ts';

const againMs = 50;

/**
 * Runs `work` while it holds the lock of this name, which no other process then has. The lock ends with the process,
 * even with a killed one. Returns `taken` if another process holds it for longer than `waitMsMax`.
 *
 * `mustBeHeld` throws if the connection that holds the lock broke meanwhile. Its transaction does nothing else and
 * has no snapshot, so it does not keep Postgres from cleaning up.
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
