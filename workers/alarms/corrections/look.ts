import { isSilent, loadRule } from '../../../infra/runtime/alarms/rule.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../../infra/runtime/process/poll.ts';
import { passLogBarrier } from '../../../infra/runtime/stores/log-barrier.ts';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import {
  type Pool,
  type Rows,
  rowsOf,
  transaction,
} from '../../../infra/runtime/stores/postgres.ts';
import { limits } from '../../limits.ts';
import { counted, type LookMetrics } from '../look-metrics.ts';
import { findEpisodes } from './episodes.ts';
import type { CorrectionMetrics } from './metrics.ts';
import { planCorrections, widened } from './plan.ts';
import {
  addHistory,
  changeAlarms,
  type Correction,
  endCorrection,
  findKnownAlarms,
  postponeCorrections,
  removeHistory,
  takeCorrections,
} from './sql.ts';

type CorrectionParts = {
  pool: Pool;
  clickhouse: ClickHouseClient;
  metrics: LookMetrics & CorrectionMetrics;
  logger: Logger;
};

/**
 * Looks at the past again where records came late, in the store. Several workers share the work.
 *
 * @returns how to stop, which waits for the correction under way.
 */
export function startCorrections(parts: CorrectionParts): () => Promise<void> {
  const { metrics, logger } = parts;
  const look = (stopping: AbortSignal) => correctSome(parts, stopping);
  return startPolling(counted(look, metrics), {
    everyMs: limits.correctionsEveryMs,
    retryMs: limits.correctionsRetryMs,
    onFailure: (error) =>
      logger.warn({ error }, 'the history of alarms waits for records that came late'),
  });
}

async function correctSome(parts: CorrectionParts, stopping: AbortSignal): Promise<Polled> {
  const { correctionsAtOnceMax: atOnceMax, correctionLeaseS } = limits;
  const { correctionStoredMsMax: storedMsMax, correctionPostponedS: postponeS } = limits;
  const due = await takeCorrections(rowsOf(parts.pool), atOnceMax, correctionLeaseS);
  if (due.length === 0) return 'some';
  const waiting = AbortSignal.any([stopping, AbortSignal.timeout(storedMsMax)]);
  const isStored = await passLogBarrier(rowsOf(parts.pool), () => undefined, waiting);
  if (!isStored) {
    await postponeCorrections(rowsOf(parts.pool), due, postponeS);
    throw new Error('an edge still holds messages in its log');
  }
  let failure: Error | undefined;
  for (const correction of due) {
    if (stopping.aborted) break;
    try {
      await correct(parts, correction);
    } catch (error) {
      // It is taken again once its lease is over; those after it need not wait.
      failure ??= ofCorrection(correction, error);
    }
  }
  if (failure !== undefined) throw failure;
  return due.length === atOnceMax ? 'more' : 'some';
}

const ofCorrection = ({ ruleId, thingId }: Correction, cause: unknown): Error =>
  new Error(`history of thing ${thingId} under rule ${ruleId}`, { cause });

async function correct(
  { pool, clickhouse, metrics, logger }: CorrectionParts,
  correction: Correction,
): Promise<void> {
  const { ruleId: rule_id, thingId: thing_id, nowUs } = correction;
  const { correctionOvertakenS: waitS } = limits;
  const rule = await loadRule(rowsOf(pool), rule_id);
  // A rule that is disabled, or about silence, has no history of records.
  if (rule === undefined || isSilent(rule)) {
    await endCorrection(rowsOf(pool), correction, waitS);
    return;
  }
  // An alarm that the late records may change is looked at as a whole.
  const late = widened(correction, await findKnownAlarms(rowsOf(pool), correction, correction));
  const found = await findEpisodes(clickhouse, rule, { thingId: thing_id, ...late }, nowUs);
  const isMine = await write(pool, async (rows) => {
    if (found.kind === 'found') {
      const known = await findKnownAlarms(rows, correction, found);
      const plan = planCorrections(found.episodes, known, late);
      await removeHistory(rows, plan.removed);
      await changeAlarms(rows, plan.changed);
      await addHistory(rows, correction, rule, plan.added);
    }
    // Last: edges note records that come late after their alarms.
    return (await endCorrection(rows, correction, waitS)) !== 'notMine';
  });
  if (!isMine) return;
  if (found.kind !== 'tooMany') return metrics.corrected();
  logger.warn(
    { rule_id, thing_id },
    'history of alarms stays as it was: too many records or alarms around those that came late',
  );
  metrics.givenUp();
}

/** More has come late, or another worker has taken it: nothing of it may be written. */
class NotMine extends Error {}

/** Writes all of a correction, or nothing where `step` gives false; gives whether it was written. */
async function write(pool: Pool, step: (rows: Rows) => Promise<boolean>): Promise<boolean> {
  try {
    await transaction(pool, async (client) => {
      if (!(await step(rowsOf(client)))) throw new NotMine();
    });
    return true;
  } catch (error) {
    if (error instanceof NotMine) return false;
    throw error;
  }
}
