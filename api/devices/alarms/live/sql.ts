import type { Alarm } from '../../../../schemas/resources/alarm.ts';
import { limits } from '../../../limits.ts';
import { Conditions } from '../../../stores/conditions.ts';
import type { Database } from '../../../stores/database.ts';
import { addAlarmPlace, type AlarmPlace, type AlarmRow, columns, toAlarm } from '../sql.ts';

/** An alarm as it is now, and the number of its last change in the range. */
export type ChangedAlarm = { alarm: Alarm; change: number };

/**
 * The first alarms of a place that changed by numbers after `from`, up to `to`, in the order of these. Uses `alarms_change`
 * and `alarm_states_change`.
 */
export async function findChanged(
  db: Database,
  place: AlarmPlace,
  { from, to }: { from: number; to: number },
): Promise<ChangedAlarm[]> {
  const conditions = new Conditions();
  const [after, last] = [conditions.bind(from), conditions.bind(to)];
  addAlarmPlace(conditions, place);
  const rows = await db.rows<AlarmRow & { changed: string }>(
    `SELECT ${columns}, changed
     FROM (
       SELECT id AS changed_id, max(number) AS changed
       FROM (
         SELECT id, change AS number FROM alarms
         WHERE change > ${after} AND change <= ${last} AND ${conditions.text}
         UNION ALL
         SELECT alarm_id, step.change
         FROM alarm_states AS step JOIN alarms ON alarms.id = step.alarm_id
         WHERE step.change > ${after} AND step.change <= ${last} AND ${conditions.text}
       ) AS numbered
       GROUP BY id ORDER BY changed LIMIT ${limits.alarmStreamRowsMax}
     ) AS told
     JOIN alarms ON id = changed_id
     ORDER BY changed`,
    conditions.values,
  );
  return rows.map((row) => ({ alarm: toAlarm(row), change: Number(row.changed) }));
}
