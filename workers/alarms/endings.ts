import {
  beforeAllThings,
  endEnding,
  findEndings,
  holdEnding,
  type RuleEnding,
  reviewStates,
} from '../../infra/runtime/alarms/endings.ts';
import { holdRule } from '../../infra/runtime/alarms/rule.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../infra/runtime/process/poll.ts';
import { type Pool, rowsOf, transaction } from '../../infra/runtime/stores/postgres.ts';
import { limits } from '../limits.ts';

/**
 * Ends what fires, or lets it go on, where a rule was changed, disabled or deleted and had more alarms than a request has time
 * for: a step of each rule in turn. Several workers share the work.
 *
 * @returns how to stop, which waits for the step under way.
 */
export function startEndings({
  pool,
  logger,
}: {
  pool: Pool;
  logger: Logger;
}): () => Promise<void> {
  /** Of each the thing up to which its states are reviewed. */
  const places = new Map<string, string>();
  return startPolling((stopping) => reviewAll(pool, places, stopping), {
    everyMs: limits.endingsEveryMs,
    restMs: limits.endingsRestMs,
    retryMs: limits.endingsRetryMs,
    onFailure: (error) => logger.warn({ error }, 'alarms of a rule that was changed wait to end'),
  });
}

async function reviewAll(
  pool: Pool,
  places: Map<string, string>,
  stopping: AbortSignal,
): Promise<Polled> {
  const endings = await findEndings(rowsOf(pool));
  const ids = new Set(endings.map(({ id }) => id));
  for (const id of places.keys()) if (!ids.has(id)) places.delete(id);
  if (endings.length === 0) return 'nothing';
  let reviewed = 0;
  const busy = new Set<string>();
  for (const ending of endings) {
    if (stopping.aborted) break;
    // States are reviewed by the first change after them.
    if (busy.has(ending.ruleId)) continue;
    busy.add(ending.ruleId);
    reviewed += await reviewStep(pool, places, ending);
  }
  return reviewed > 0 ? 'more' : 'some';
}

/** Gives how many states were reviewed. */
function reviewStep(pool: Pool, places: Map<string, string>, ending: RuleEnding): Promise<number> {
  const after = places.get(ending.id) ?? beforeAllThings;
  return transaction(pool, async (client) => {
    const rows = rowsOf(client);
    if (!(await holdEnding(rows, ending))) return 0;
    const rule = await holdRule(rows, ending.ruleId);
    const { count, next } = await reviewStates(rows, ending, rule, {
      kind: 'after',
      thing: after,
      rowsMax: limits.endedAtOnceMax,
    });
    // An edge that was about to write a state has done so since: it is looked at from the begin once more.
    if (next === undefined && after === beforeAllThings) await endEnding(rows, ending);
    if (next === undefined) places.delete(ending.id);
    else places.set(ending.id, next);
    return count;
  });
}
