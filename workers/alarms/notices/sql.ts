import type { Rows } from '../../../infra/runtime/stores/postgres.ts';
import type { Condition, Receivers } from '../../../schemas/resources/rule.ts';
import type { NoticeTransition } from '../../../schemas/resources/alarm-notice.ts';
import { orgsWith } from '../orgs-sql.ts';

/** A rule with notices that are due. */
type DueRule = { ruleId: string; dueMs: number };

/**
 * Rules with notices that are due: orgs take turns, and of each org those that wait for longest come first. Uses
 * `alarm_notices_waiting`.
 */
export async function findDueRules(
  rows: Rows,
  { perOrgMax, rulesMax }: { perOrgMax: number; rulesMax: number },
): Promise<DueRule[]> {
  return rows<DueRule>(
    `WITH RECURSIVE ${orgsWith('alarm_notices', 'sent_at IS NULL')}
     SELECT rule_id AS "ruleId", (extract(epoch FROM min(due_at)) * 1000)::float8 AS "dueMs"
     FROM orgs
     CROSS JOIN LATERAL (
       SELECT rule_id, due_at, row_number() OVER (ORDER BY due_at) AS nth
       FROM alarm_notices
       WHERE sent_at IS NULL AND org_id = orgs.org_id AND due_at <= now()
       ORDER BY due_at
       LIMIT $1
     ) AS due
     GROUP BY rule_id
     ORDER BY min(nth)
     LIMIT $2`,
    [perOrgMax, rulesMax],
    'find-due-rules',
  );
}

/** Those of these rules that no other worker has in hand, until the end of the transaction. */
export async function lockRules(rows: Rows, ruleIds: readonly string[]): Promise<string[]> {
  const locked = await rows<{ id: string }>(
    `SELECT id FROM unnest($1::uuid[]) AS asked (id)
     WHERE pg_try_advisory_xact_lock(hashtextextended(id::text, ${lockSeed}))`,
    [ruleIds],
  );
  return locked.map(({ id }) => id);
}

/** Tells these locks from others. */
const lockSeed = 44;

/**
 * Notices that were made while receivers were told of their rule wait until its time. Gives the rules that need not
 * wait. Uses the primary key, and `alarm_notices_rule`.
 */
export async function deferToldRules(rows: Rows, ruleIds: readonly string[]): Promise<string[]> {
  const told = await rows<{ id: string }>(
    `WITH told AS MATERIALIZED (
       SELECT rule_id, until FROM alarm_rules_told WHERE rule_id = ANY ($1::uuid[]) AND until > now()
     ),
     deferred AS (
       UPDATE alarm_notices AS notice SET due_at = told.until
       FROM told
       WHERE notice.rule_id = told.rule_id AND sent_at IS NULL AND due_at < told.until
     )
     SELECT rule_id AS id FROM told`,
    [ruleIds],
  );
  const waiting = new Set(told.map(({ id }) => id));
  return ruleIds.filter((id) => !waiting.has(id));
}

/**
 * Things that are silent by an alarm that goes on, and were not heard since it fired. Each is looked for once, under the rules
 * of silence of its group: it may have states under a hundred others. Uses `rules_silent`, and primary keys.
 */
const silentThings = `
  WITH asked AS MATERIALIZED (SELECT DISTINCT thing_id, group_id FROM due WHERE clock = 'record'),
  watching AS MATERIALIZED (
    SELECT id, group_id FROM rules
    WHERE conditions -> 0 ->> 'when' = 'silent' AND group_id IN (SELECT group_id FROM asked)
  )
  SELECT DISTINCT asked.thing_id
  FROM asked
  JOIN watching USING (group_id)
  JOIN alarm_states AS state ON state.rule_id = watching.id AND state.thing_id = asked.thing_id
  JOIN alarms AS silent ON silent.id = state.alarm_id AND silent.clock = 'receipt'
  LEFT JOIN things_seen AS seen ON seen.thing_id = asked.thing_id
  WHERE coalesce(seen.seen_at, '-infinity') <= silent.fired_at`;

const dueNotices = `
  SELECT notice.id, notice.rule_id, notice.org_id, notice.alarm_id, notice.transition, notice.at, notice.receivers,
         notice.made_at, notice.held_why, alarm.thing_id, alarm.group_id, alarm.clock, alarm.episode,
         alarm.ended_at IS NULL AS goes_on
  FROM alarm_notices AS notice JOIN alarms AS alarm ON alarm.id = notice.alarm_id
  WHERE notice.rule_id = ANY ($1::uuid[]) AND sent_at IS NULL AND due_at <= now()`;

/**
 * Things that are silent, and were heard last by a gateway that is silent as well. One that is back counts until its things have
 * had the time of their rule to be heard, too. `until`: how long their notices wait. Uses `alarms_thing`, and primary keys.
 */
const unreachedThings = `
  SELECT notice_id, max(coalesce(silent.ended_at, now())) + make_interval(secs => for_s) AS until
  FROM (
    SELECT due.id AS notice_id, due.group_id, gateway_id, for_s
    FROM due
    JOIN things_seen AS seen ON seen.thing_id = due.thing_id AND gateway_id IS NOT NULL
    JOIN rules ON rules.id = due.rule_id
    WHERE due.clock = 'receipt' AND due.transition <> 'ended' AND due.goes_on
  ) AS unheard
  JOIN alarms AS silent ON silent.thing_id = gateway_id AND silent.group_id = unheard.group_id AND silent.clock = 'receipt'
  WHERE silent.ended_at IS NULL OR silent.ended_at > now() - make_interval(secs => for_s)
  GROUP BY notice_id, for_s`;

/**
 * A gateway that is silent explains the silence of its things: these notices wait until it is back and they had the time to be
 * heard. Of one that is heard meanwhile nobody is told. So many are put off at once; gives how many there were. Uses
 * `rules_silent` and `alarm_notices_rule`.
 */
export async function deferUnreached(
  rows: Rows,
  ruleIds: readonly string[],
  noticesMax: number,
): Promise<number> {
  const [found] = await rows<{ count: number }>(
    `WITH due AS MATERIALIZED (
       ${dueNotices} AND notice.rule_id IN (SELECT id FROM rules WHERE conditions -> 0 ->> 'when' = 'silent')
         AND notice.transition = 'fired'
     ),
     unreached AS MATERIALIZED (${unreachedThings} LIMIT $2),
     deferred AS (
       UPDATE alarm_notices SET due_at = until, held_why = 'inhibited'
       FROM unreached
       WHERE alarm_notices.id = notice_id
     )
     SELECT count(*)::integer AS count FROM unreached`,
    [ruleIds, noticesMax],
  );
  return found?.count ?? 0;
}

/**
 * A thing whose silence has fired may just have come back with these values, which is known a moment later: until then
 * its notices wait. Uses `alarm_notices_rule`.
 */
export async function deferUnheard(
  rows: Rows,
  ruleIds: readonly string[],
  { heardWithinS, lookAgainS }: { heardWithinS: number; lookAgainS: number },
): Promise<void> {
  await rows(
    `WITH due AS MATERIALIZED (${dueNotices} AND made_at > now() - make_interval(secs => $2)),
     silent AS MATERIALIZED (${silentThings})
     UPDATE alarm_notices SET due_at = now() + make_interval(secs => $3)
     FROM due
     WHERE alarm_notices.id = due.id AND due.clock = 'record' AND due.thing_id IN (SELECT thing_id FROM silent)`,
    [ruleIds, heardWithinS, lookAgainS],
  );
}

/** A transition that receivers are told of, with all that they are told. */
export type ToldRow = {
  id: string;
  ruleId: string;
  ruleName: string;
  severity: 'info' | 'warning' | 'critical';
  /** As the rule has them now; null: it is gone. */
  conditions: readonly Condition[] | null;
  groupId: string;
  groupName: string;
  orgId: string;
  receivers: Receivers;
  /** Those of the receivers that are there and enabled. */
  webhookIds: string[];
  alarmId: string;
  episode: number;
  transition: NoticeTransition['transition'];
  clock: 'record' | 'receipt';
  thingId: string;
  thingName: string;
  at: Date;
  beganAt: Date;
  firedAt: Date;
  endedAt: Date | null;
  endedWhy: NonNullable<NoticeTransition['ended_why']> | null;
  values: NoticeTransition['values'];
  /** Of all transitions of the notice: its own place, from 1; how many there are, and of each kind. */
  nth: number;
  count: number;
  fired: number;
  ended: number;
};

/** How many notices were held, and why. */
export type HeldCounts = { silenced: number; inhibited: number; nobody: number };

const noId = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** Silences in force of the groups, and (`…_of`) those of whatever rule or thing. Uses `silences_group`. */
const silences = `
  SELECT group_id, coalesce(rule_id, ${noId}) AS rule_of, coalesce(thing_id, ${noId}) AS thing_of
  FROM silences
  WHERE until > now() AND group_id IN (SELECT group_id FROM due)`;

/** Who is there to hear, for each list of receivers. Uses the primary keys. */
const listeners = `
  SELECT org_id, receivers,
         array(
           SELECT webhooks.id
           FROM jsonb_array_elements_text(coalesce(receivers -> 'webhook_ids', '[]')) AS asked (id)
           JOIN webhooks ON webhooks.id = asked.id::uuid AND disabled_at IS NULL
           LEFT JOIN things ON things.id = webhooks.thing_id
           LEFT JOIN groups ON groups.id = coalesce(webhooks.group_id, things.group_id)
           WHERE coalesce(webhooks.org_id, groups.org_id) = lists.org_id
           ORDER BY webhooks.id
         ) AS webhook_ids
  FROM (SELECT DISTINCT org_id, receivers FROM due) AS lists`;

/** Whether a silence in force is about `due`. */
const isSilenced = `
  (due.group_id, ${noId}, ${noId}) IN (SELECT group_id, rule_of, thing_of FROM quiet)
  OR (due.group_id, due.rule_id, ${noId}) IN (SELECT group_id, rule_of, thing_of FROM quiet)
  OR (due.group_id, ${noId}, due.thing_id) IN (SELECT group_id, rule_of, thing_of FROM quiet)
  OR (due.group_id, due.rule_id, due.thing_id) IN (SELECT group_id, rule_of, thing_of FROM quiet)`;

/** Why receivers were not told that an alarm fired, if they were told nothing of it. Uses `alarm_notices_alarm`. */
const whyUnknown = `
  SELECT fired.held_why
  FROM alarm_notices AS fired
  WHERE fired.alarm_id = due.alarm_id AND fired.transition = 'fired' AND fired.held_why IN ('silenced', 'inhibited')
    AND NOT EXISTS (
      SELECT FROM alarm_notices AS told
      WHERE told.alarm_id = due.alarm_id AND told.sent_at IS NOT NULL AND told.held_why IS NULL
    )`;

/** Values as they are told: texts may be long. */
const toldValues = `
  SELECT coalesce(
    jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', one -> 'name', 'value',
      CASE WHEN jsonb_typeof(one -> 'value') = 'string' THEN to_jsonb(left(one ->> 'value', 1024)) ELSE one -> 'value' END,
      'unit', left(one ->> 'unit', 1024)))
      ORDER BY at),
    '[]')
  FROM jsonb_array_elements(CASE WHEN shown.transition = 'ended' THEN alarm.ended_values ELSE alarm.began_values END)
       WITH ORDINALITY AS told (one, at)`;

/** Transitions that are due, each with the reason why nobody is told of it, if there is one. */
const judgedNotices = `
  SELECT due.*, webhook_ids,
         CASE
           WHEN ${isSilenced} THEN 'silenced'
           WHEN due.clock = 'record' AND due.thing_id IN (SELECT thing_id FROM silent) THEN 'inhibited'
           WHEN due.held_why = 'inhibited' AND NOT due.goes_on THEN 'inhibited'
           WHEN due.id IN (SELECT notice_id FROM unreached) THEN 'inhibited'
           WHEN due.transition = 'ended' AND (${whyUnknown}) IS NOT NULL THEN (${whyUnknown})
           WHEN cardinality(webhook_ids) = 0 AND NOT jsonb_path_exists(due.receivers, '$.mails[*]') THEN 'nobody'
         END AS held
  FROM due JOIN listeners USING (org_id, receivers)`;

/** Of each rule and list of receivers the first transitions that are told, numbered, with the number of all. */
const shownNotices = `
  SELECT *
  FROM (
    SELECT judged.*,
           row_number() OVER (PARTITION BY rule_id, receivers ORDER BY at, thing_id, episode, transition = 'ended', id) AS nth,
           count(*) OVER notice AS count,
           count(*) FILTER (WHERE transition <> 'ended') OVER notice AS fired,
           count(*) FILTER (WHERE transition = 'ended') OVER notice AS ended
    FROM judged WHERE held IS NULL
    WINDOW notice AS (PARTITION BY rule_id, receivers)
  ) AS numbered
  WHERE nth <= $3`;

/** All that is told of these. Uses the primary keys. */
const toldNotices = `
  SELECT shown.id, shown.rule_id AS "ruleId", alarm.rule_name AS "ruleName", alarm.severity, rules.conditions,
         shown.group_id AS "groupId", groups.name AS "groupName", shown.org_id AS "orgId", shown.receivers,
         webhook_ids AS "webhookIds", shown.alarm_id AS "alarmId", shown.episode, shown.transition, shown.clock,
         shown.thing_id AS "thingId", things.name AS "thingName", shown.at, alarm.began_at AS "beganAt",
         alarm.fired_at AS "firedAt", alarm.ended_at AS "endedAt", alarm.ended_why AS "endedWhy",
         (${toldValues}) AS values,
         nth::integer, count::integer, fired::integer, ended::integer
  FROM shown
  JOIN alarms AS alarm ON alarm.id = shown.alarm_id
  JOIN things ON things.id = shown.thing_id
  JOIN groups ON groups.id = shown.group_id
  LEFT JOIN rules ON rules.id = shown.rule_id`;

/**
 * Marks those that are due of these rules as sent or held, and gives all that receivers are told: of each rule and list
 * of receivers the first `shownMax` transitions, with the number of all. So a rule of a hundred thousand things takes as
 * many rows as any other. Uses `alarm_notices_rule`.
 */
export async function takeDueNotices(
  rows: Rows,
  ruleIds: readonly string[],
  { noticesMax, shownMax }: { noticesMax: number; shownMax: number },
): Promise<{ told: ToldRow[]; held: HeldCounts }> {
  const found = await rows<HeldCounts & (ToldRow | { id: null })>(
    `WITH due AS MATERIALIZED (${dueNotices} ORDER BY due_at LIMIT $2),
     silent AS MATERIALIZED (${silentThings}),
     unreached AS MATERIALIZED (${unreachedThings}),
     quiet AS MATERIALIZED (${silences}),
     listeners AS MATERIALIZED (${listeners}),
     judged AS MATERIALIZED (${judgedNotices}),
     marked AS (
       UPDATE alarm_notices SET sent_at = now(), held_why = judged.held
       FROM judged WHERE alarm_notices.id = judged.id
     ),
     counted AS (
       SELECT count(*) FILTER (WHERE held = 'silenced')::integer AS silenced,
              count(*) FILTER (WHERE held = 'inhibited')::integer AS inhibited,
              count(*) FILTER (WHERE held = 'nobody')::integer AS nobody
       FROM judged
     ),
     shown AS (${shownNotices}),
     told AS (${toldNotices})
     SELECT counted.*, told.*
     FROM counted LEFT JOIN told ON true
     ORDER BY told."ruleId", told.receivers, told.nth`,
    [ruleIds, noticesMax, shownMax],
  );
  const { silenced = 0, inhibited = 0, nobody = 0 } = found[0] ?? {};
  const told = found.filter((row): row is HeldCounts & ToldRow => row.id !== null);
  return { told, held: { silenced, inhibited, nobody } };
}

/** Notes that receivers are told of rules now. Uses the primary key. */
export async function noteTold(
  rows: Rows,
  ruleIds: readonly string[],
  forS: number,
): Promise<void> {
  await rows(
    `INSERT INTO alarm_rules_told (rule_id, until)
     SELECT rule_id, now() + make_interval(secs => $2) FROM unnest($1::uuid[]) AS told (rule_id)
     ON CONFLICT (rule_id) DO UPDATE SET until = excluded.until`,
    [ruleIds, forS],
  );
}

/** A mail to be sent. */
export type Mail = { id: string; message: { to: string; subject: string; text: string } };

/** In the transaction that causes them. Uses the primary key. */
export async function insertMails(rows: Rows, mails: readonly Mail[]): Promise<void> {
  if (mails.length === 0) return;
  await rows(
    `INSERT INTO mail_outbox (id, message)
     SELECT id, message FROM json_to_recordset($1::json) AS mail (id uuid, message jsonb)
     ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(mails)],
  );
}
