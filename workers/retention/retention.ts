import type { ClickHouseClient } from '../../infra/runtime/stores/clickhouse.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { startPolling } from '../../infra/runtime/process/poll.ts';
import { type Pool, type PoolClient, transaction } from '../../infra/runtime/stores/postgres.ts';
import { rulesFor } from './rules.ts';
import { findKept, findWanted, isSweepDue, noteChange, noteSweep, tryLock } from './sql.ts';
import { findDigest, replaceKept, setRules, sweep } from './store.ts';

/** How often it looks for changed rules. */
const lookEveryMs = 5_000;
/** How often expired messages are deleted at least: twice a day, so that none stays a whole day longer. */
const sweepEveryMs = 12 * 3_600_000;
/** ClickHouse is compared again after so long, although nothing changed here: it may have been restored. */
const compareEveryMs = 60_000;

type RetentionParts = { pool: Pool; clickhouse: ClickHouseClient; logger: Logger };

/**
 * Keeps ClickHouse's TTL rules as orgs and groups have them in Postgres. One worker at a time does it.
 *
 * @returns how to stop, which waits for the step under way.
 */
export function startRetention(parts: RetentionParts): () => Promise<void> {
  const compared = { digest: '', atMs: Number.NEGATIVE_INFINITY };
  return startPolling(() => keepInStep(parts, compared), {
    everyMs: lookEveryMs,
    onFailure: (error) => parts.logger.warn({ error }, 'messages are kept for as long as before'),
  });
}

/** What ClickHouse had when it was last compared, and when that was. */
type Compared = { digest: string; atMs: number };

function keepInStep({ pool, clickhouse }: RetentionParts, compared: Compared): Promise<void> {
  return transaction(
    pool,
    async (client) => {
      if (await tryLock(client)) await update(client, clickhouse, compared);
    },
    'BEGIN ISOLATION LEVEL REPEATABLE READ',
  );
}

async function update(
  client: PoolClient,
  clickhouse: ClickHouseClient,
  compared: Compared,
): Promise<void> {
  const { digest, days } = await findWanted(client);
  const isKnown = digest === compared.digest && performance.now() - compared.atMs < compareEveryMs;
  if (isKnown && (days.length === 0 || !(await isSweepDue(client, sweepEveryMs)))) return;
  const differs = digest !== (await findDigest(clickhouse));
  if (differs) await replaceKept(clickhouse, await findKept(client));
  const rules = rulesFor(days);
  const ruled = await setRules(clickhouse, rules);
  compared.digest = digest;
  compared.atMs = performance.now();
  if (rules.length === 0) return;
  const due = differs || ruled || (await isSweepDue(client, sweepEveryMs));
  if (!due) return;
  if (await sweep(clickhouse, rules)) await noteSweep(client);
  else await noteChange(client);
}
