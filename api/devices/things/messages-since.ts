import type { Budgets } from '../../budgets/budgets.ts';
import {
  type MessageFormat,
  messageFormats,
  messageTables,
} from '../../../schemas/messages/tables.ts';
import type { Caller } from '../../access/caller.ts';
import { readTime } from '../../http/query/time.ts';
import { whereOf } from '../../messages/query/conditions.ts';
import {
  openStore,
  type Store,
  type StoreDependencies,
  takeTurn,
} from '../../messages/store/store.ts';

export type MessagesSinceDependencies = StoreDependencies & { budgets: Budgets };

/**
 * Counts, for each of these things, the stored messages whose own time is not before a time, as `messages_since`
 * gives it: one statement for each format. Things without any are left out.
 *
 * @throws DomainError `malformed` for what is no time; `too_many`, `unavailable`.
 */
export async function countMessagesSince(
  dependencies: MessagesSinceDependencies,
  caller: Caller,
  things: readonly string[],
  since: string | number,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const from = readTime('messages_since', since);
  const counts = new Map<string, number>();
  if (things.length === 0) return counts;
  const lease = await takeTurn(dependencies.budgets.reads, caller, signal);
  try {
    const store = openStore(dependencies, signal);
    const all = await Promise.all(
      messageFormats.map((format) => countEach(store, format, things, from)),
    );
    for (const [thing, count] of all.flat()) counts.set(thing, (counts.get(thing) ?? 0) + count);
    return counts;
  } finally {
    lease.release();
  }
}

/** Uses the sort key: the days since, and of each the things. */
async function countEach(
  store: Store,
  format: MessageFormat,
  publishers: readonly string[],
  from: bigint,
): Promise<[thing: string, count: number][]> {
  const where = whereOf(format, { from }, { kind: 'publishers', publishers });
  const text = await store.text(
    `SELECT publisher, count() FROM ${messageTables[format].name}
     WHERE ${where.text} GROUP BY publisher`,
    where.bound,
  );
  const lines = text === '' ? [] : text.split('\n');
  return lines.map((line) => {
    const [thing = '', count] = line.split('\t');
    return [thing, Number(count)];
  });
}
