import { dayOf, type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { limits } from '../../limits.ts';
import { Where } from '../../messages/query/where.ts';
import type { Store } from '../../messages/store/store.ts';
import { isInScope, type TimeRange } from '../model/points.ts';
import type { Scope } from '../model/scope.ts';

const daysMax = [365, 30, 7, 1] as const;
const dayNanoseconds = 86_400_000_000_000n;

/**
 * The last days that have no more records than a look for names may read; all time where a scope has few. A statement that
 * has a range of its own keeps it. Uses the projection `totals`, and the sort key alone.
 */
export async function lookedAt(
  store: Store,
  format: MessageFormat,
  scope: Scope,
  range: TimeRange,
  now: bigint,
): Promise<TimeRange> {
  if (range.from !== undefined) return range;
  const where = new Where();
  where.add(isInScope(where, format, scope, {}));
  if ((await count(store, format, where)) <= limits.namesLookedAtMax) return range;
  for (const days of daysMax) {
    const from = now - BigInt(days) * dayNanoseconds;
    const since = new Where();
    const day = dayOf(since.bind('Int64', String(from)));
    since.add(`${messageTables[format].day} >= ${day}`);
    const isFew = (await count(store, format, since)) <= limits.namesLookedAtMax;
    if (isFew || days === daysMax.at(-1)) return { ...range, from };
  }
  return range;
}

async function count(store: Store, format: MessageFormat, where: Where): Promise<number> {
  const { name } = messageTables[format];
  return Number(await store.text(`SELECT count() FROM ${name} WHERE ${where.text}`, where.bound));
}

/** However records are spread over days, a look reads no more; what it has found until then is its result. */
export const lookSettings = `max_rows_to_read = ${2 * limits.namesLookedAtMax}, read_overflow_mode = 'break'`;
