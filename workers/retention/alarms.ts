import type { Logger } from '../../infra/runtime/process/logger.ts';
import { startPolling } from '../../infra/runtime/process/poll.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';

/** So long alarms that ended are kept, where messages are kept for longer. */
const alarmDaysMax = 400;
const noticeDays = 30;
const silenceDays = 90;
/** Edges that were away from PostgreSQL for longer read all states anew when they start. */
const goneStateDays = 7;

const rowsAtOnce = 1_000;
const everyMs = 3_600_000;

/**
 * Deletes old rows of alarms, some at a time; several workers may do it at once. Rows that hold values of messages go as
 * these do, by the days of their group, or org.
 *
 * @returns how to stop, which waits for the step under way.
 */
export function startForgettingAlarms({
  pool,
  logger,
}: {
  pool: Pool;
  logger: Logger;
}): () => Promise<void> {
  return startPolling(async () => ((await forget(pool)) ? 'more' : 'some'), {
    everyMs,
    onFailure: (error) => logger.warn({ error }, 'alarms are kept for longer'),
  });
}

/** Whether there may be more. */
async function forget(pool: Pool): Promise<boolean> {
  const counts = [
    await count(pool, deletedAlarms, [alarmDaysMax, rowsAtOnce]),
    await count(pool, deletedOfPlaces, [rowsAtOnce]),
    await count(pool, emptiedAlarms, [rowsAtOnce]),
    await count(pool, deletedNotices, [noticeDays, rowsAtOnce]),
    await count(pool, deletedStates, [goneStateDays, rowsAtOnce]),
    await count(pool, deletedTold, [rowsAtOnce]),
    await count(pool, deletedSilences, [silenceDays, rowsAtOnce]),
  ];
  return counts.some((rows) => rows === rowsAtOnce);
}

async function count(pool: Pool, statement: string, values: unknown[]): Promise<number> {
  return (await pool.query(statement, values)).rowCount ?? 0;
}

/** Uses `alarms_fired`. */
const deletedAlarms = `
  DELETE FROM alarms WHERE id IN (
    SELECT id FROM alarms
    WHERE fired_at < now() - make_interval(days => $1) AND ended_at < now() - make_interval(days => $1)
    ORDER BY fired_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )`;

/**
 * Alarms that ended before what is kept of their groups' messages. Uses `orgs_retention`, `groups_retention` and
 * `alarms_group`; orgs with a quota are few.
 */
const expired = `
  alarms
  JOIN groups ON groups.id = alarms.group_id
  JOIN orgs ON orgs.id = groups.org_id
  LEFT JOIN org_quotas AS quota ON quota.org_id = orgs.id
  CROSS JOIN LATERAL (
    SELECT now() - make_interval(days => least(coalesce(groups.retention_days, orgs.retention_days), quota.storage_days))
  ) AS kept (since)
  WHERE groups.id IN (
    SELECT id FROM groups WHERE retention_days IS NOT NULL
    UNION SELECT groups.id FROM groups JOIN orgs ON orgs.id = org_id WHERE orgs.retention_days IS NOT NULL
    UNION SELECT groups.id FROM groups JOIN org_quotas USING (org_id) WHERE storage_days IS NOT NULL
  ) AND alarms.fired_at < kept.since AND alarms.ended_at < kept.since`;

/** By its number the next one is told apart from those before: of a rule that lives, the last one stays. */
const isLast = `
  EXISTS (SELECT FROM rules WHERE rules.id = alarms.rule_id)
  AND NOT EXISTS (
    SELECT FROM alarms AS later
    WHERE later.rule_id = alarms.rule_id AND later.thing_id = alarms.thing_id AND later.episode > alarms.episode
  )`;

const deletedOfPlaces = `
  DELETE FROM alarms WHERE id IN (
    SELECT alarms.id FROM ${expired} AND NOT (${isLast})
    LIMIT $1 FOR UPDATE OF alarms SKIP LOCKED
  )`;

/** It stays without what messages said, and without what was written about it. */
const emptiedAlarms = `
  UPDATE alarms SET began_values = '[]', ended_values = '[]', note = NULL
  WHERE id IN (
    SELECT alarms.id FROM ${expired} AND ${isLast}
      AND (began_values <> '[]' OR ended_values <> '[]' OR note IS NOT NULL)
    LIMIT $1 FOR UPDATE OF alarms SKIP LOCKED
  )`;

/** Uses `alarm_notices_sent`. */
const deletedNotices = `
  DELETE FROM alarm_notices WHERE id IN (
    SELECT id FROM alarm_notices WHERE sent_at < now() - make_interval(days => $1)
    LIMIT $2 FOR UPDATE SKIP LOCKED
  )`;

/** Uses `alarm_states_gone_at`. */
const deletedStates = `
  DELETE FROM alarm_states_gone WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM alarm_states_gone WHERE gone_at < now() - make_interval(days => $1)
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ))`;

/** Times that are over say nothing. Reads the table: there is a row for each rule at most. */
const deletedTold = `
  DELETE FROM alarm_rules_told WHERE rule_id IN (
    SELECT rule_id FROM alarm_rules_told WHERE until < now() - interval '1 day'
    LIMIT $1 FOR UPDATE SKIP LOCKED
  )`;

/** Uses `silences_until`. */
const deletedSilences = `
  DELETE FROM silences WHERE id IN (
    SELECT id FROM silences WHERE until < now() - make_interval(days => $1)
    LIMIT $2 FOR UPDATE SKIP LOCKED
  )`;
