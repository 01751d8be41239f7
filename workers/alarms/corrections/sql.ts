import { usOf } from '../../../infra/runtime/alarms/microseconds.ts';
import type { Rows } from '../../../infra/runtime/stores/postgres.ts';
import type { ActiveRule } from '../../../infra/runtime/alarms/rule.ts';
import { orgsWith } from '../orgs-sql.ts';
import type { KnownAlarm, PastEpisode, Plan } from './plan.ts';

/** History to be looked at again, by the worker that has taken it. */
export type Correction = {
  ruleId: string;
  thingId: string;
  groupId: string;
  fromUs: number;
  toUs: number;
  nowUs: number;
  /** Until when no other worker takes it. As long as it stands, no more records have come late. */
  lease: string;
  /** When it was taken. As long as it stands, no other worker has taken it since. */
  takenAt: string;
};

/**
 * Takes some that are due, for a while: after that another worker may. Orgs take turns, so that what one sends late doesn't
 * hold up the others. Uses `alarm_corrections_due`.
 */
export async function takeCorrections(
  rows: Rows,
  correctionsMax: number,
  leaseS: number,
): Promise<Correction[]> {
  return rows<Correction>(
    `WITH RECURSIVE ${orgsWith('alarm_corrections', 'true')},
     next AS MATERIALIZED (
       SELECT rule_id, thing_id, nth
       FROM orgs
       CROSS JOIN LATERAL (
         SELECT rule_id, thing_id, due_at, row_number() OVER (ORDER BY due_at) AS nth
         FROM alarm_corrections
         WHERE org_id = orgs.org_id AND due_at <= now()
         ORDER BY due_at
         LIMIT $1
       ) AS due
       ORDER BY nth, due_at
       LIMIT $1
     ),
     due AS MATERIALIZED (
       SELECT rule_id, thing_id, nth
       FROM alarm_corrections JOIN next USING (rule_id, thing_id)
       WHERE due_at <= now() FOR UPDATE OF alarm_corrections SKIP LOCKED
     ),
     taken AS (
       UPDATE alarm_corrections AS one SET due_at = now() + make_interval(secs => $2), noted_at = now()
       FROM due JOIN things ON things.id = due.thing_id
       WHERE one.rule_id = due.rule_id AND one.thing_id = due.thing_id
       RETURNING one.*, things.group_id, nth
     )
     SELECT rule_id AS "ruleId", thing_id AS "thingId", group_id AS "groupId", from_us::float8 AS "fromUs",
            to_us::float8 AS "toUs", ${usOf('now()')} AS "nowUs", due_at::text AS lease, noted_at::text AS "takenAt"
     FROM taken ORDER BY nth`,
    [correctionsMax, leaseS],
    'take-corrections',
  );
}

/** They are due again soon. Uses the primary key. */
export async function postponeCorrections(
  rows: Rows,
  corrections: readonly Correction[],
  seconds: number,
): Promise<void> {
  await rows(
    `UPDATE alarm_corrections AS taken SET due_at = now() + make_interval(secs => $4)
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS asked (rule_id, thing_id, lease)
     WHERE taken.rule_id = asked.rule_id AND taken.thing_id = asked.thing_id AND due_at = lease`,
    [
      corrections.map(({ ruleId }) => ruleId),
      corrections.map(({ thingId }) => thingId),
      corrections.map(({ lease }) => lease),
      seconds,
    ],
  );
}

/**
 * It is done. `goesOn`: it has waited for so long that it is written although more records have come late meanwhile, and is due
 * again. `notMine`: such records, or another worker, have taken it over, and nothing of it may be written. Uses the primary key.
 */
export async function endCorrection(
  rows: Rows,
  { ruleId, thingId, lease, takenAt }: Correction,
  waitS: number,
): Promise<'done' | 'goesOn' | 'notMine'> {
  const done = await rows(
    `DELETE FROM alarm_corrections
     WHERE rule_id = $1 AND thing_id = $2 AND due_at = $3::timestamptz
     RETURNING rule_id`,
    [ruleId, thingId, lease],
  );
  if (done.length > 0) return 'done';
  const begun = await rows(
    `UPDATE alarm_corrections SET since = now()
     WHERE rule_id = $1 AND thing_id = $2 AND noted_at = $3::timestamptz
       AND since <= now() - make_interval(secs => $4)
     RETURNING rule_id`,
    [ruleId, thingId, takenAt, waitS],
  );
  return begun.length > 0 ? 'goesOn' : 'notMine';
}

/** For how many seconds history has waited at most; 0: none waits. Reads the table. */
export async function findLongestWaitS(rows: Rows): Promise<number> {
  const [found] = await rows<{ waited: number }>(
    'SELECT coalesce(extract(epoch FROM now() - min(since)), 0)::float8 AS waited FROM alarm_corrections',
    [],
  );
  return found?.waited ?? 0;
}

/** The alarms of the rule and the thing by the times of records, in a range. Uses `alarms_episode`. */
export async function findKnownAlarms(
  rows: Rows,
  { ruleId, thingId }: Pick<Correction, 'ruleId' | 'thingId'>,
  { fromUs, toUs }: { fromUs: number; toUs: number },
): Promise<KnownAlarm[]> {
  return rows<KnownAlarm>(
    `SELECT alarms.id, ${usOf('began_at')} AS "beganUs", ${usOf('fired_at')} AS "firedUs", ${usOf('ended_at')} AS "endedUs",
            ended_why AS "endedWhy", history AS "isHistory", noted_at < rules.updated_at AS "isOfFormerRule"
     FROM alarms JOIN rules ON rules.id = alarms.rule_id
     WHERE alarms.rule_id = $1 AND thing_id = $2 AND clock = 'record'
       AND began_at <= at_us($4) AND coalesce(ended_at, 'infinity') >= at_us($3)
     ORDER BY began_at`,
    [ruleId, thingId, fromUs, toUs],
  );
}

/** Uses the primary key. */
export async function changeAlarms(rows: Rows, changed: Plan['changed']): Promise<void> {
  if (changed.length === 0) return;
  await rows(
    `UPDATE alarms
     SET began_at = at_us("beganUs"), fired_at = at_us("firedUs"), ended_at = at_us("endedUs"),
         began_values = "beganValues", ended_values = "endedValues"
     FROM json_to_recordset($1::json) AS past (
       "alarmId" uuid, "beganUs" bigint, "firedUs" bigint, "endedUs" bigint, "beganValues" jsonb, "endedValues" jsonb
     )
     WHERE id = "alarmId" AND ended_at IS NOT NULL`,
    [JSON.stringify(changed.map(({ id: alarmId, episode }) => ({ alarmId, ...episode })))],
  );
}

/** Alarms that nobody is told of. Uses `alarms_episode`. */
export async function addHistory(
  rows: Rows,
  { ruleId, thingId, groupId }: Correction,
  { name, severity }: Pick<ActiveRule, 'name' | 'severity'>,
  episodes: readonly PastEpisode[],
): Promise<void> {
  if (episodes.length === 0) return;
  await rows(
    `INSERT INTO alarms (id, rule_id, thing_id, group_id, episode, rule_name, severity, clock, history,
                         began_at, fired_at, ended_at, began_values, ended_values, ended_why)
     SELECT uuid_v7(), $2, $3, $4,
            row_number() OVER (ORDER BY "beganUs")
              + coalesce((SELECT max(episode) FROM alarms WHERE rule_id = $2 AND thing_id = $3), 0),
            $5, $6, 'record', true,
            at_us("beganUs"), at_us("firedUs"), at_us("endedUs"), "beganValues", "endedValues", 'cleared'
     FROM json_to_recordset($1::json) AS past (
       "beganUs" bigint, "firedUs" bigint, "endedUs" bigint, "beganValues" jsonb, "endedValues" jsonb
     )
     ORDER BY "beganUs"`,
    [JSON.stringify(episodes), ruleId, thingId, groupId, name, severity],
  );
}

/** Uses the primary key. */
export async function removeHistory(rows: Rows, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await rows(
    'DELETE FROM alarms WHERE id = ANY ($1::uuid[]) AND history AND ended_at IS NOT NULL',
    [ids],
  );
}
