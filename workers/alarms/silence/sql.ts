import { usOf } from '../../../infra/runtime/alarms/microseconds.ts';
import type { Rows } from '../../../infra/runtime/stores/postgres.ts';
import type { Span } from './hearing.ts';

/** Whether this worker is the one that looks for silence, for a while from now. Uses the only row. */
export async function keepWatch(rows: Rows, worker: string, seconds: number): Promise<boolean> {
  const kept = await rows(
    `INSERT INTO silence_watch AS watch (worker, until) VALUES ($1, now() + make_interval(secs => $2))
     ON CONFLICT (is_only) DO UPDATE SET worker = excluded.worker, until = excluded.until
       WHERE watch.worker = excluded.worker OR watch.until < now()
     RETURNING worker`,
    [worker, seconds],
  );
  return kept.length > 0;
}

/** Another one may look from now on. Uses the only row. */
export async function leaveWatch(rows: Rows, worker: string): Promise<void> {
  await rows('DELETE FROM silence_watch WHERE worker = $1', [worker]);
}

/** The times in which each edge could hear things, without those that are away. Reads the table: edges are few. */
export async function findEdges(rows: Rows, awaySecondsMin: number): Promise<Span[]> {
  return rows<Span>(
    `SELECT ${usOf('from_at')} AS "fromUs", ${usOf('to_at')} AS "toUs"
     FROM edges_hearing WHERE noted_at > now() - make_interval(secs => $1)`,
    [awaySecondsMin],
  );
}

/** Reads the table, of which the last weeks are kept. */
export async function findSpans(rows: Rows): Promise<Span[]> {
  return rows<Span>(
    `SELECT ${usOf('from_at')} AS "fromUs", ${usOf('to_at')} AS "toUs" FROM alarm_hearing ORDER BY from_at`,
    [],
  );
}

/** Makes the last span longer. Uses the primary key. */
export async function lengthenSpan(rows: Rows, { fromUs, toUs }: Span): Promise<void> {
  await rows(
    'UPDATE alarm_hearing SET to_at = greatest(to_at, at_us($2)) WHERE from_at = at_us($1)',
    [fromUs, toUs],
  );
}

/** Begins a span, and forgets those that are too old for any rule. */
export async function beginSpan(
  rows: Rows,
  { fromUs, toUs }: Span,
  keptDays: number,
): Promise<void> {
  await rows('DELETE FROM alarm_hearing WHERE to_at < now() - make_interval(days => $1)', [
    keptDays,
  ]);
  await rows(
    `INSERT INTO alarm_hearing (from_at, to_at) VALUES (at_us($1), at_us($2))
     ON CONFLICT (from_at) DO UPDATE SET to_at = greatest(alarm_hearing.to_at, excluded.to_at)`,
    [fromUs, toUs],
  );
}

/** The things that a rule is about. Those of a list by their ids, so that the group is not read. */
const scope = `
  SELECT id, profile_id, created_at FROM things
  WHERE rules.thing_ids IS NULL AND things.group_id = rules.group_id
  UNION ALL
  SELECT id, profile_id, created_at FROM things
  WHERE things.id = ANY (rules.thing_ids) AND things.group_id = rules.group_id`;

/** When a thing was heard; of one that never was, when it was made. A rule counts from its last change. */
const base = 'greatest(seen.seen_at, thing.created_at, rules.updated_at)';

/** Of each rule: its things that are not silent by it yet. Uses `things_group`, and primary keys. */
const heardThings = `
  FROM (${scope}) AS thing
  LEFT JOIN things_seen AS seen ON seen.thing_id = thing.id
  WHERE (rules.profile_id IS NULL OR thing.profile_id = rules.profile_id)
    AND NOT EXISTS (
      SELECT FROM alarm_states AS state WHERE state.rule_id = rules.id AND state.thing_id = thing.id
    )`;

/**
 * For each rule, when the thing was heard that has been silent for longest (null: there is no thing), and whether it has others
 * from before a change.
 */
export async function findLongestSilent(
  rows: Rows,
  ruleIds: readonly string[],
): Promise<{ ruleId: string; heardUs: number | null; isEnding: boolean }[]> {
  return rows(
    `SELECT rules.id AS "ruleId", ${usOf('longest.heard_at')} AS "heardUs",
            EXISTS (SELECT FROM rule_endings AS ending WHERE ending.rule_id = rules.id) AS "isEnding"
     FROM unnest($1::uuid[]) AS asked (id)
     JOIN rules ON rules.id = asked.id
     CROSS JOIN LATERAL (SELECT min(${base}) AS heard_at ${heardThings}) AS longest`,
    [ruleIds],
  );
}

/** A thing that has become silent, and when it was heard. */
export type SilentThing = { thingId: string; groupId: string; heardUs: number };

/** The things of a rule that were not heard since then: some of them. */
export async function findSilent(
  rows: Rows,
  ruleId: string,
  beforeUs: number,
  thingsMax: number,
): Promise<SilentThing[]> {
  return rows<SilentThing>(
    `SELECT silent.id AS "thingId", rules.group_id AS "groupId", ${usOf('silent.heard_at')} AS "heardUs"
     FROM rules
     CROSS JOIN LATERAL (
       SELECT thing.id, ${base} AS heard_at ${heardThings} AND ${base} <= at_us($2) LIMIT $3
     ) AS silent
     WHERE rules.id = $1`,
    [ruleId, beforeUs, thingsMax],
  );
}

/** A thing that is heard again. */
export type HeardAgain = {
  ruleId: string;
  thingId: string;
  sequence: number;
  alarmId: string;
  episode: number;
  heardUs: number;
};

/** Things whose silence fires, and that were heard since: some of them. Uses `rules_silent` and primary keys. */
export async function findHeardAgain(rows: Rows, thingsMax: number): Promise<HeardAgain[]> {
  return rows<HeardAgain>(
    `SELECT state.rule_id AS "ruleId", state.thing_id AS "thingId", state.sequence::float8, alarm.id AS "alarmId",
            alarm.episode, ${usOf('greatest(seen.seen_at, alarm.fired_at)')} AS "heardUs"
     FROM rules
     JOIN alarm_states AS state ON state.rule_id = rules.id
     JOIN alarms AS alarm ON alarm.id = state.alarm_id
     JOIN things_seen AS seen ON seen.thing_id = state.thing_id
     WHERE enabled AND conditions -> 0 ->> 'when' = 'silent'
       AND alarm.clock = 'receipt' AND seen.seen_at > alarm.began_at
     LIMIT $1`,
    [thingsMax],
  );
}

/** Those of them that nobody has changed since, held until the end of the transaction. Uses the primary key. */
export async function holdHeardAgain(
  rows: Rows,
  heard: readonly HeardAgain[],
): Promise<HeardAgain[]> {
  const held = await rows<{ nth: number }>(
    `SELECT asked.nth::integer
     FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) WITH ORDINALITY AS asked (rule_id, thing_id, sequence, nth)
     JOIN alarm_states AS state USING (rule_id, thing_id)
     WHERE state.sequence = asked.sequence
     ORDER BY state.thing_id, state.rule_id
     FOR UPDATE OF state`,
    [
      heard.map(({ ruleId }) => ruleId),
      heard.map(({ thingId }) => thingId),
      heard.map(({ sequence }) => sequence),
    ],
  );
  return held.flatMap(({ nth }) => heard[nth - 1] ?? []);
}
