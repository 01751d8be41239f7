import type { Alarm } from '../../../schemas/resources/alarm.ts';

/** The columns of a CSV: an alarm's members; values are JSON in their cells. */
export const alarmColumns = [
  'id',
  'rule_id',
  'rule_name',
  'severity',
  'thing_id',
  'thing_name',
  'group_id',
  'episode',
  'state',
  'clock',
  'began_at',
  'fired_at',
  'ended_at',
  'ended_why',
  'began_values',
  'ended_values',
  'history',
  'acknowledged_at',
  'acknowledged_by',
  'acknowledged_by_email',
  'note',
] as const satisfies (keyof Alarm)[];

export const csvHeadOf = (): string => `"${alarmColumns.join('","')}"\n`;
