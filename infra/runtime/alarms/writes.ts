import { createHash } from 'node:crypto';
import type { AlarmEnding } from '../../../schemas/resources/alarm.ts';
import type { Receivers } from '../../../schemas/resources/rule.ts';
import type { Rows } from '../stores/postgres.ts';
import type { SeriesValue } from './history.ts';
import type { Newest } from './machine.ts';

/*
 * Edges, the API and workers write this about alarms, in a transaction of theirs. Times are microseconds since 1970. Who holds
 * which rows before: locks.ts.
 */

/** An alarm that fires. */
export type NewAlarm = {
  ruleId: string;
  thingId: string;
  groupId: string;
  ruleName: string;
  severity: string;
  clock: 'record' | 'receipt';
  beganUs: number;
  firedUs: number;
  beganValues: readonly SeriesValue[];
  /** Which one it is of those of its rule and thing that are written together, from 1. */
  nth: number;
};

/** The id and the number that an alarm got. */
export type NumberedAlarm = { id: string; ruleId: string; thingId: string; episode: number };

/**
 * Writes alarms that fire. Those whose thing is gone, or in another group, are left out, and so are those that fire before the
 * last one of their rule and thing ended, as another edge has seen. Uses `alarms_episode` and the primary key of things.
 */
export async function insertAlarms(
  rows: Rows,
  alarms: readonly NewAlarm[],
): Promise<NumberedAlarm[]> {
  if (alarms.length === 0) return [];
  return rows<NumberedAlarm>(
    `INSERT INTO alarms (id, rule_id, thing_id, group_id, episode, rule_name, severity, clock,
                         began_at, fired_at, began_values)
     SELECT uuid_v7(), "ruleId", "thingId", "groupId",
            nth + coalesce((SELECT max(episode) FROM alarms WHERE rule_id = "ruleId" AND thing_id = "thingId"), 0),
            "ruleName", severity, clock, at_us("beganUs"), at_us("firedUs"), "beganValues"
     FROM json_to_recordset($1::json) AS fired (
       "ruleId" uuid, "thingId" uuid, "groupId" uuid, "ruleName" text, severity text, clock text,
       "beganUs" bigint, "firedUs" bigint, "beganValues" jsonb, nth integer
     )
     WHERE EXISTS (SELECT FROM things WHERE id = "thingId" AND group_id = "groupId")
       AND NOT EXISTS (
         SELECT FROM alarms
         WHERE rule_id = "ruleId" AND thing_id = "thingId"
           AND ended_at > at_us("firedUs") AND ended_why = 'cleared' AND NOT history
       )
     ORDER BY "thingId", "ruleId", nth
     RETURNING id, rule_id AS "ruleId", thing_id AS "thingId", episode`,
    [JSON.stringify(alarms)],
  );
}

/** The end of an alarm. */
export type AlarmEnd = {
  alarmId: string;
  endedUs: number;
  values: readonly SeriesValue[];
  why: AlarmEnding;
};

/** Ends alarms that go on. Uses the primary key. */
export async function endAlarms(rows: Rows, ends: readonly AlarmEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await rows(
    `UPDATE alarms SET ended_at = at_us("endedUs"), ended_values = "values", ended_why = why
     FROM json_to_recordset($1::json) AS ended ("alarmId" uuid, "endedUs" bigint, "values" jsonb, why text)
     WHERE id = "alarmId" AND ended_at IS NULL`,
    [JSON.stringify(ends)],
  );
}

/** A row of `alarm_states`. */
export type StateRow = {
  ruleId: string;
  thingId: string;
  state: 'pending' | 'firing' | 'clearing';
  sinceUs: number;
  gapUs: number;
  alarmId: string | null;
  episode: number | null;
  newest: readonly (Newest | null)[];
  /** The number of the change before: 0 for a new one. */
  sequence: number;
  /** Of a rule with `repeat_every`, when receivers are told again; null: never. */
  repeatInS: number | null;
};

/** The number that a change of a state got. */
type ChangedState = { ruleId: string; thingId: string; sequence: number };

/**
 * Writes the states of things that are not ok. Those of which another has changed meanwhile are left out, and so are those
 * whose rule is gone, or whose thing is no more in its group: then nothing of the transaction may stay. Uses the primary key.
 */
export async function saveStates(
  rows: Rows,
  states: readonly StateRow[],
  logId: string | null,
): Promise<ChangedState[]> {
  if (states.length === 0) return [];
  return rows<ChangedState>(
    `WITH asked AS MATERIALIZED (
       SELECT * FROM json_to_recordset($1::json) AS state (
         "ruleId" uuid, "thingId" uuid, state text, "sinceUs" bigint, "gapUs" bigint, "alarmId" uuid, episode integer,
         newest jsonb, sequence bigint, "repeatInS" integer
       )
     ),
     held AS MATERIALIZED (
       SELECT known.rule_id, known.thing_id
       FROM asked JOIN alarm_states AS known ON known.rule_id = "ruleId" AND known.thing_id = "thingId"
       WHERE known.sequence = asked.sequence
       ORDER BY known.thing_id, known.rule_id FOR UPDATE OF known
     ),
     changed AS (
       UPDATE alarm_states AS known
       SET state = asked.state, since_us = "sinceUs", gap_us = "gapUs", alarm_id = "alarmId", episode = asked.episode,
           newest = asked.newest, sequence = nextval('alarm_state_changes'), log_id = $2, updated_at = now(),
           repeat_at = CASE WHEN known.state = asked.state THEN known.repeat_at
                            ELSE now() + make_interval(secs => "repeatInS") END
       FROM held JOIN asked ON held.rule_id = "ruleId" AND held.thing_id = "thingId"
       WHERE known.rule_id = held.rule_id AND known.thing_id = held.thing_id
       RETURNING known.rule_id, known.thing_id, known.sequence
     ),
     made AS (
       INSERT INTO alarm_states
         (rule_id, thing_id, state, since_us, gap_us, alarm_id, episode, newest, log_id, repeat_at)
       SELECT "ruleId", "thingId", state, "sinceUs", "gapUs", "alarmId", episode, newest, $2,
              now() + make_interval(secs => "repeatInS")
       FROM asked
       WHERE sequence = 0
         AND EXISTS (
           SELECT FROM rules JOIN things USING (group_id) WHERE rules.id = "ruleId" AND things.id = "thingId"
         )
       ORDER BY "thingId", "ruleId"
       ON CONFLICT (rule_id, thing_id) DO NOTHING
       RETURNING rule_id, thing_id, sequence
     )
     SELECT rule_id AS "ruleId", thing_id AS "thingId", sequence::float8
     FROM (SELECT * FROM changed UNION ALL SELECT * FROM made) AS saved`,
    [JSON.stringify(states), logId],
  );
}

/** A state that goes: its thing is ok again. */
type GoneState = Pick<StateRow, 'ruleId' | 'thingId' | 'sequence' | 'newest'>;

/**
 * Removes the states of things that are ok again, and leaves a note for the edges that remember them. Returns how many
 * went, as `saveStates`. Uses the primary key.
 */
export async function removeStates(
  rows: Rows,
  states: readonly GoneState[],
  logId: string | null,
): Promise<number> {
  if (states.length === 0) return 0;
  const removed = await rows(
    `WITH asked AS MATERIALIZED (
       SELECT * FROM json_to_recordset($1::json) AS state ("ruleId" uuid, "thingId" uuid, sequence bigint, newest jsonb)
     ),
     held AS MATERIALIZED (
       SELECT known.rule_id, known.thing_id, asked.newest
       FROM asked JOIN alarm_states AS known ON known.rule_id = "ruleId" AND known.thing_id = "thingId"
       WHERE known.sequence = asked.sequence
       ORDER BY known.thing_id, known.rule_id FOR UPDATE OF known
     ),
     gone AS (
       DELETE FROM alarm_states AS known USING held
       WHERE known.rule_id = held.rule_id AND known.thing_id = held.thing_id
       RETURNING known.rule_id, known.thing_id, held.newest
     )
     INSERT INTO alarm_states_gone (rule_id, thing_id, newest, log_id)
     SELECT rule_id, thing_id, newest, $2 FROM gone
     RETURNING rule_id`,
    [JSON.stringify(states), logId],
  );
  return removed.length;
}

/** A notice that is due. `episode` is that of its alarm. */
export type NewNotice = {
  alarmId: string;
  ruleId: string;
  /** Absent: a trigger looks for it, which takes longer. */
  orgId?: string;
  thingId: string;
  episode: number;
  transition: 'fired' | 'ended' | 'repeated';
  /** Of `repeated`: which one. */
  repeat?: number;
  atUs: number;
  receivers: Receivers;
};

/** The id of a notice: the same for the same transition, whoever writes it. */
export function noticeId({ ruleId, thingId, episode, transition, repeat }: NewNotice): string {
  const told = [ruleId, thingId, episode, transition, repeat ?? ''].join('/');
  return createHash('sha256').update(told).digest('hex').slice(0, 32);
}

/**
 * Writes notices; one that is there stays as it is. What becomes due while the receivers of its rule were just told waits for
 * the end of that time. Uses primary keys.
 */
export async function insertNotices(rows: Rows, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await rows(
    `INSERT INTO alarm_notices (id, alarm_id, rule_id, org_id, transition, at, receivers, due_at)
     SELECT id, "alarmId", "ruleId", "orgId", transition, at_us("atUs"), receivers, greatest(now(), told.until)
     FROM json_to_recordset($1::json) AS due (
       id text, "alarmId" uuid, "ruleId" uuid, "orgId" uuid, transition text, "atUs" bigint, receivers jsonb
     )
     LEFT JOIN alarm_rules_told AS told ON told.rule_id = "ruleId"
     ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(notices.map((notice) => ({ ...notice, id: noticeId(notice) })))],
  );
}
