import { insertNotices, type NewNotice } from '../../../infra/runtime/alarms/writes.ts';
import {
  type Pool,
  type Rows,
  rowsOf,
  transaction,
} from '../../../infra/runtime/stores/postgres.ts';
import type { Receivers } from '../../../schemas/resources/rule.ts';

type DueRepeat = {
  alarmId: string;
  ruleId: string;
  thingId: string;
  episode: number;
  repeatMs: number;
  nowMs: number;
  receivers: Receivers;
  isFiring: boolean;
};

/**
 * Writes notices of alarms that are still firing and that nobody has acknowledged, `repeat_every` after the last one.
 * Gives how many were looked at.
 */
export async function repeatNotices(pool: Pool, alarmsMax: number): Promise<number> {
  // One statement, where a transaction has three: mostly there are none.
  if (!(await areRepeatsDue(rowsOf(pool)))) return 0;
  return transaction(pool, async (client) => {
    const rows = rowsOf(client);
    const due = await takeDueRepeats(rows, alarmsMax);
    await insertNotices(rows, due.filter(({ isFiring }) => isFiring).map(noticeOf));
    return due.length;
  });
}

/** The time at which it was due tells it from other repetitions of the alarm. */
const noticeOf = ({ repeatMs, nowMs, ...of }: DueRepeat): NewNotice => ({
  ...of,
  transition: 'repeated',
  repeat: Math.round(repeatMs),
  atUs: Math.round(nowMs * 1_000),
});

/** Uses `alarm_states_repeat`. */
async function areRepeatsDue(rows: Rows): Promise<boolean> {
  const [found] = await rows<{ areDue: boolean }>(
    'SELECT EXISTS (SELECT FROM alarm_states WHERE repeat_at <= now()) AS "areDue"',
    [],
    'are-repeats-due',
  );
  return found?.areDue === true;
}

/**
 * Alarms whose repetition is due, with the time of the next one noted: none where the alarm was acknowledged, or is no
 * longer firing. Uses `alarm_states_repeat`, and primary keys.
 */
function takeDueRepeats(rows: Rows, alarmsMax: number): Promise<DueRepeat[]> {
  return rows<DueRepeat>(
    `WITH due AS MATERIALIZED (
       SELECT rule_id, thing_id, repeat_at
       FROM alarm_states WHERE repeat_at <= now()
       ORDER BY repeat_at LIMIT $1
       FOR UPDATE SKIP LOCKED
     ),
     judged AS MATERIALIZED (
       SELECT due.*, alarms.id AS alarm_id, alarms.episode, rules.repeat_s,
              receivers_of_rule(rules.id) AS receivers,
              state.state = 'firing' AND acknowledged_at IS NULL AND rules.repeat_s IS NOT NULL AND rules.enabled IS TRUE AS is_firing
       FROM due
       JOIN alarm_states AS state USING (rule_id, thing_id)
       JOIN alarms ON alarms.id = state.alarm_id
       LEFT JOIN rules ON rules.id = due.rule_id
     ),
     moved AS (
       UPDATE alarm_states AS state
       SET repeat_at = CASE WHEN is_firing THEN now() + make_interval(secs => judged.repeat_s) END
       FROM judged WHERE state.rule_id = judged.rule_id AND state.thing_id = judged.thing_id
     )
     SELECT alarm_id AS "alarmId", rule_id AS "ruleId", thing_id AS "thingId", episode, receivers,
            (extract(epoch FROM repeat_at) * 1000)::float8 AS "repeatMs",
            (extract(epoch FROM now()) * 1000)::float8 AS "nowMs", is_firing AS "isFiring"
     FROM judged`,
    [alarmsMax],
  );
}
