import type {
  Alarm,
  AlarmFilters,
  alarmOrders,
  AlarmsQuery,
} from '../../../schemas/resources/alarm.ts';
import type { UserCaller } from '../../access/caller.ts';
import { addPlace, addReach } from '../../access/reach.ts';
import { withTimes } from '../../http/query/time.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type Values = Alarm['began_values'];

export type AlarmRow = {
  id: string;
  rule_id: string;
  rule_name: string;
  severity: Alarm['severity'];
  thing_id: string;
  thing_name: string;
  group_id: string;
  episode: number;
  state: Alarm['state'];
  clock: Alarm['clock'];
  began_at: Date;
  fired_at: Date;
  ended_at: Date | null;
  ended_why: NonNullable<Alarm['ended_why']> | null;
  began_values: Values;
  ended_values: Values | null;
  history: boolean;
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  acknowledged_by_email: string | null;
  note: string | null;
};

/** Uses `alarm_states_alarm_id`. */
const isClearing = `EXISTS (SELECT FROM alarm_states WHERE alarm_id = alarms.id AND state = 'clearing')`;
const state = `CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN ${isClearing} THEN 'clearing' ELSE 'firing' END`;

/** Uses the primary key of things. */
export const columns = `id, rule_id, rule_name, severity, thing_id,
  (SELECT name FROM things WHERE things.id = alarms.thing_id) AS thing_name,
  group_id, episode, ${state} AS state, clock, began_at, fired_at, ended_at, ended_why,
  began_values::json AS began_values, ended_values::json AS ended_values, history,
  acknowledged_at, acknowledged_by, acknowledged_by_email, note`;

const orders: Readonly<Record<(typeof alarmOrders)[number], string>> = {
  id: 'id',
  fired_at: 'fired_at',
  severity: `array_position(ARRAY['info', 'warning', 'critical'], severity)`,
};

/** Whose alarms, and who asks. */
export type AlarmPlace = { user: UserCaller } & (
  | { of: 'thing'; id: string }
  | { of: 'group' | 'org'; id: string }
  | { of: 'all' }
);

/**
 * Bounds alarms to a place, and to the groups that the user is in: a thing may have been in another one before. Uses
 * `alarms_thing`, `alarms_group`, or `alarms_fired` for all there are.
 */
export function addAlarmPlace(conditions: Conditions, place: AlarmPlace): void {
  if (place.of === 'thing') conditions.equals('thing_id', place.id);
  else addPlace(conditions, 'group_id', place);
  addReach(conditions, 'group_id', place.user);
}

export async function findAlarms(
  db: Database,
  place: AlarmPlace,
  query: AlarmsQuery,
): Promise<ListPage<Alarm>> {
  const conditions = conditionsOf(place, query);
  const isWalked = place.of === 'org' || place.of === 'all';
  const walked = isWalked
    ? { table: 'alarms', joined: '', orders: ['id', 'fired_at'], isSearched: false }
    : undefined;
  const list = { columns, from: 'alarms', conditions, orders, id: 'id', walked };
  const { total, rows } = await findPage<AlarmRow>(db, list, { order: 'fired_at', ...query });
  return { total, rows: rows.map(toAlarm) };
}

/**
 * All of a place that pass the filters, some at a time: group by group, as they fired. Uses `alarms_group`, or
 * `alarms_thing`.
 */
export async function* findAllAlarms(
  db: Database,
  place: AlarmPlace,
  filters: AlarmFilters,
): AsyncGenerator<Alarm[]> {
  for (const group of await findGroups(db, place)) {
    let after: { at: string; id: string } | undefined;
    do {
      const conditions = conditionsOf(place, filters);
      conditions.equals('group_id', group);
      if (after !== undefined) {
        const last = `(${conditions.bind(after.at)}, ${conditions.bind(after.id)})`;
        conditions.add(`(fired_at, id) > ${last}`);
      }
      const rows = await db.rows<AlarmRow & { at: string }>(
        `SELECT ${columns}, fired_at::text AS at FROM alarms WHERE ${conditions.text}
         ORDER BY fired_at, id LIMIT ${conditions.bind(limits.alarmRowsAtOnce)}`,
        conditions.values,
      );
      yield rows.map(toAlarm);
      after = rows.length < limits.alarmRowsAtOnce ? undefined : rows.at(-1);
    } while (after !== undefined);
  }
}

/** The groups that alarms of a place may be of. Uses `alarms_thing` or `groups_name`. */
async function findGroups(db: Database, place: AlarmPlace): Promise<string[]> {
  if (place.of === 'group') return [place.id];
  const conditions = new Conditions();
  addAlarmPlace(conditions, place);
  const from = place.of === 'thing' ? 'alarms' : '(SELECT id AS group_id FROM groups) AS of_all';
  const rows = await db.rows<{ id: string }>(
    `SELECT DISTINCT group_id AS id FROM ${from} WHERE ${conditions.text} ORDER BY 1`,
    conditions.values,
  );
  return rows.map(({ id }) => id);
}

/** Uses the primary key. */
export async function findAlarm(db: Statements, id: string): Promise<Alarm | undefined> {
  const [row] = await db.rows<AlarmRow>(`SELECT ${columns} FROM alarms WHERE id = $1`, [id]);
  return row && toAlarm(row);
}

/**
 * Notes that a user has acknowledged an alarm, and tells the audit log of it. Gives the alarm; undefined if there is
 * none. Uses the primary key.
 */
export async function acknowledge(
  db: Database,
  id: string,
  user: UserCaller,
  note: string | undefined,
): Promise<Alarm | undefined> {
  return db.transaction(async (work) => {
    const [before] = await work.rows<{ note: string | null }>(
      'SELECT note FROM alarms WHERE id = $1 FOR NO KEY UPDATE',
      [id],
    );
    if (before === undefined) return undefined;
    const [row] = await work.rows<AlarmRow>(
      `UPDATE alarms
       SET acknowledged_at = now(), acknowledged_by = $2, acknowledged_by_email = $3, note = $4
       WHERE id = $1
       RETURNING ${columns}`,
      [id, user.id, user.email, note ?? null],
    );
    await work.rows(
      `SELECT audit_done('alarm', 'update',
                         jsonb_build_object('id', id, 'group_id', group_id, 'name', rule_name), $2::jsonb)
       FROM alarms WHERE id = $1`,
      [id, JSON.stringify(acknowledgement(before.note, row))],
    );
    return row && toAlarm(row);
  });
}

/** The changes that the audit log tells. */
function acknowledgement(noteBefore: string | null, row: AlarmRow | undefined) {
  const { note = null, acknowledged_at = null, thing_name = '' } = row ?? {};
  const changed = {
    ...(noteBefore === null ? {} : { from: noteBefore }),
    ...(note === null ? {} : { to: note }),
  };
  return {
    ...(acknowledged_at === null ? {} : { acknowledged_at: { to: acknowledged_at.toISOString() } }),
    ...(noteBefore === note ? {} : { note: changed }),
    thing_name: { to: thing_name },
  };
}

/** Tells the audit log of an export. Uses the primary key of things. */
export async function noteExport(db: Database, place: AlarmPlace, told: string): Promise<void> {
  if (place.of === 'all') {
    await noteExportOfAll(db, place.user, told);
    return;
  }
  const row = {
    thing: `jsonb_build_object('group_id', (SELECT group_id FROM things WHERE id = $1))`,
    group: `jsonb_build_object('group_id', $1::uuid)`,
    org: `jsonb_build_object('org_id', $1::uuid)`,
  }[place.of];
  await db.change(`SELECT audit_done('alarm', 'export', ${row}, $2::jsonb)`, [place.id, told]);
}

/** An entry for each org that has a group of the user's; of the platform admin's export one, of no org. */
async function noteExportOfAll(db: Database, user: UserCaller, told: string): Promise<void> {
  const conditions = new Conditions();
  const changes = conditions.bind(told);
  addReach(conditions, 'id', user);
  const orgs = user.platformAdmin
    ? `(VALUES ('{}'::jsonb)) AS place (told)`
    : `(SELECT DISTINCT jsonb_build_object('org_id', org_id) AS told FROM groups WHERE ${conditions.text}) AS place`;
  await db.change(
    `SELECT audit_done('alarm', 'export', place.told, ${changes}::jsonb) FROM ${orgs}`,
    conditions.values,
  );
}

function conditionsOf(place: AlarmPlace, filters: AlarmFilters): Conditions {
  const conditions = new Conditions();
  addAlarmPlace(conditions, place);
  addState(conditions, filters.state);
  conditions.equals('severity', filters.severity);
  conditions.equals('rule_id', filters.rule_id);
  const { acknowledged } = filters;
  if (acknowledged !== undefined) {
    conditions.add(`acknowledged_at IS ${acknowledged ? 'NOT NULL' : 'NULL'}`);
  }
  const { from, to } = withTimes(filters);
  const at = (time: bigint) => `at_us(${conditions.bind(String(time / 1_000n))})`;
  if (from !== undefined) conditions.add(`ended_at IS NULL OR ended_at >= ${at(from)}`);
  if (to !== undefined) conditions.add(`fired_at <= ${at(to)}`);
  return conditions;
}

/** Uses `alarms_open` for what goes on. */
function addState(conditions: Conditions, wanted: AlarmFilters['state']): void {
  if (wanted === undefined) return;
  conditions.add(`ended_at IS ${wanted === 'ended' ? 'NOT NULL' : 'NULL'}`);
  if (wanted === 'clearing') conditions.add(isClearing);
  if (wanted === 'firing') conditions.add(`NOT ${isClearing}`);
}

export function toAlarm(row: AlarmRow): Alarm {
  const { ended_at, ended_why, ended_values, acknowledged_at, acknowledged_by, note } = row;
  const { acknowledged_by_email: email } = row;
  return {
    id: row.id,
    rule_id: row.rule_id,
    rule_name: row.rule_name,
    severity: row.severity,
    thing_id: row.thing_id,
    thing_name: row.thing_name,
    group_id: row.group_id,
    episode: row.episode,
    state: row.state,
    clock: row.clock,
    began_at: row.began_at.toISOString(),
    fired_at: row.fired_at.toISOString(),
    ...(ended_at === null ? {} : { ended_at: ended_at.toISOString() }),
    ...(ended_why === null ? {} : { ended_why }),
    began_values: row.began_values,
    ...(ended_values === null ? {} : { ended_values }),
    history: row.history,
    ...(acknowledged_at === null ? {} : { acknowledged_at: acknowledged_at.toISOString() }),
    ...(acknowledged_by === null ? {} : { acknowledged_by }),
    ...(email === null ? {} : { acknowledged_by_email: email }),
    ...(note === null ? {} : { note }),
  };
}
