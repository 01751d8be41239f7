import type { Rows } from '../stores/postgres.ts';

/** Records of a rule and a thing that came late, from the first to the last: their history is to be looked at again. */
export type LateRecords = {
  ruleId: string;
  thingId: string;
  fromUs: number;
  toUs: number;
  /** None of them is in breach: they matter only where there was an alarm. */
  onlyIfAlarm: boolean;
};

/** The store has all that the sink saw by then, as a rule; workers wait until it has. */
const correctedAfterS = 15;
/** Where more and more records come late. */
const correctedWithinS = 300;

/**
 * Notes history to be looked at again; where some is noted, the range grows. Uses `alarms_episode` and the primary keys.
 */
export async function noteCorrections(rows: Rows, late: readonly LateRecords[]): Promise<void> {
  if (late.length === 0) return;
  await rows(
    `INSERT INTO alarm_corrections AS known (rule_id, thing_id, org_id, from_us, to_us, due_at)
     SELECT "ruleId", "thingId", groups.org_id, "fromUs", "toUs", now() + make_interval(secs => $2)
     FROM json_to_recordset($1::json) AS late (
       "ruleId" uuid, "thingId" uuid, "fromUs" bigint, "toUs" bigint, "onlyIfAlarm" boolean
     )
     JOIN rules ON rules.id = "ruleId"
     JOIN groups ON groups.id = rules.group_id
     WHERE (NOT "onlyIfAlarm" OR EXISTS (
         SELECT FROM alarms
         WHERE rule_id = "ruleId" AND thing_id = "thingId"
           AND began_at <= at_us("toUs") AND coalesce(ended_at, 'infinity') >= at_us("fromUs")))
       AND EXISTS (SELECT FROM things WHERE id = "thingId")
     ORDER BY "ruleId", "thingId"
     ON CONFLICT (rule_id, thing_id) DO UPDATE
       SET from_us = least(known.from_us, excluded.from_us), to_us = greatest(known.to_us, excluded.to_us),
           due_at = least(excluded.due_at, known.noted_at + make_interval(secs => $3))`,
    [JSON.stringify(late), correctedAfterS, correctedWithinS],
  );
}
