import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../../infra/runtime/process/poll.ts';
import { type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { postgresFailure } from '../../../infra/runtime/stores/postgres-failure.ts';
import { limits } from '../../limits.ts';
import type { NoticeMetrics } from './metrics.ts';
import { repeatNotices } from './repeat.ts';
import { type Sent, sendDue } from './send.ts';
import { findDueRules } from './sql.ts';

type NoticeParts = { pool: Pool; publicUrl: string; metrics: NoticeMetrics; logger: Logger };

/**
 * Tells receivers of alarms that fired or ended: those of one rule together. Several workers share the work.
 *
 * @returns how to stop, which waits for the transaction under way.
 */
export function startNotices(parts: NoticeParts): () => Promise<void> {
  const stopSending = startPolling((stopping) => lookOnce(parts, stopping), {
    everyMs: limits.noticesEveryMs,
    retryMs: limits.noticesRetryMs,
    onFailure: (error) => parts.logger.warn({ error }, 'notices of alarms wait to be sent'),
  });
  const stopRepeating = startPolling(() => repeatOnce(parts.pool), {
    everyMs: limits.repeatsEveryMs,
    onFailure: (error) => parts.logger.warn({ error }, 'notices of alarms wait to be repeated'),
  });
  return async () => {
    await Promise.all([stopSending(), stopRepeating()]);
  };
}

async function repeatOnce(pool: Pool): Promise<Polled> {
  const repeated = await repeatNotices(pool, limits.repeatsAtOnceMax);
  return repeated === limits.repeatsAtOnceMax ? 'more' : 'some';
}

async function lookOnce(
  { pool, publicUrl, metrics }: NoticeParts,
  stopping: AbortSignal,
): Promise<Polled> {
  const due = await findDueRules(rowsOf(pool), {
    perOrgMax: limits.noticesPerOrgMax,
    rulesMax: limits.noticeRulesMax,
  });
  metrics.looked(Math.min(...due.map(({ dueMs }) => dueMs)));
  let transitions = 0;
  for (let at = 0; at < due.length && !stopping.aborted; at += limits.noticeRulesAtOnceMax) {
    const some = due.slice(at, at + limits.noticeRulesAtOnceMax).map(({ ruleId }) => ruleId);
    for await (const sent of sendApart(pool, some, publicUrl)) {
      metrics.sent(sent);
      transitions += transitionsOf(sent);
    }
  }
  // Rules that another worker has in hand are no reason to look again at once.
  const isFull = due.length === limits.noticeRulesMax;
  return isFull && transitions > 0 ? 'more' : 'some';
}

/** Of rules that can't be written together, one by one: what is wrong with one is no reason that others wait. */
async function* sendApart(
  pool: Pool,
  ruleIds: readonly string[],
  publicUrl: string,
): AsyncGenerator<Sent> {
  try {
    yield await sendDue(pool, ruleIds, publicUrl);
  } catch (error) {
    if (ruleIds.length === 1 || postgresFailure(error).decision === 'retry') throw error;
    let first: unknown;
    for (const ruleId of ruleIds) {
      try {
        yield await sendDue(pool, [ruleId], publicUrl);
      } catch (wrong) {
        first ??= wrong;
      }
    }
    if (first !== undefined) throw first;
  }
}

const transitionsOf = ({ transitions, held }: Sent): number =>
  transitions + held.silenced + held.inhibited + held.nobody;
