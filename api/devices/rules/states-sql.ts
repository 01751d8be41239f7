import type { AlarmEnding } from '../../../schemas/resources/alarm.ts';
import type { Condition, Receivers } from '../../../schemas/resources/rule.ts';
import type { Statements } from '../../stores/database.ts';

/** Why alarms of a rule end that a user changes. */
export type End = {
  ruleId: string;
  why: AlarmEnding;
  /** The states were held against these. */
  conditions: readonly Condition[];
  /** These hear of it. */
  told: Receivers;
};

/**
 * Ends what fires for these things under a rule, or for all, and forgets their states. Uses primary keys.
 */
export async function endAlarmsOf(
  db: Statements,
  { ruleId, why, conditions, told }: End,
  thingIds: readonly string[] | 'all',
): Promise<void> {
  if (thingIds.length === 0) return;
  await db.rows('SELECT end_alarms($1, $2, $3, $4, $5)', [
    ruleId,
    thingIds === 'all' ? null : thingIds,
    why,
    JSON.stringify(conditions),
    JSON.stringify(told),
  ]);
}

/** Where a thing is, and how long nothing was heard of it. */
export type Whereabouts = { id: string; profile_id: string; silent_s: number };

/** Uses the primary keys of things and of when they were seen. */
export async function findWhereabouts(
  db: Statements,
  thingIds: readonly string[],
): Promise<Whereabouts[]> {
  return db.rows<Whereabouts>(
    `SELECT things.id, profile_id,
            extract(epoch FROM now() - greatest(seen_at, created_at))::float8 AS silent_s
     FROM things LEFT JOIN things_seen ON thing_id = things.id
     WHERE things.id = ANY ($1::uuid[])`,
    [thingIds],
  );
}

/** Tells receivers of what fires again after so many seconds from now; null: never. Uses the primary key. */
export async function setRepeat(
  db: Statements,
  ruleId: string,
  repeatS: number | null,
): Promise<void> {
  await db.rows(
    `UPDATE alarm_states SET repeat_at = now() + make_interval(secs => $2)
     WHERE rule_id = $1 AND state = 'firing'`,
    [ruleId, repeatS],
  );
}
