import { DomainError } from '../../../schemas/http/errors.ts';
import type { DefaultReceivers } from '../../../schemas/resources/alarm.ts';
import type { Condition, Receivers, Rule, ruleOrders } from '../../../schemas/resources/rule.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { UserCaller } from '../../access/caller.ts';
import { addPlace, addReach, roleColumn } from '../../access/reach.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

/** A rule as PostgreSQL has it. */
export type StoredRule = {
  id: string;
  group_id: string;
  name: string;
  enabled: boolean;
  profile_id: string | null;
  thing_ids: string[] | null;
  match: Rule['match'];
  conditions: Condition[];
  for_s: number;
  clear_for_s: number;
  gap_s: number | null;
  severity: Rule['severity'];
  repeat_s: number | null;
  receivers: Receivers | null;
  metadata: Record<string, unknown>;
};

export type RuleRow = StoredRule & { firing: number; created_at: Date; updated_at: Date };

// Lists pass `jsonb` on as it is, and `json` not.
const stored = `id, group_id, name, enabled, profile_id, thing_ids, match, conditions::json AS conditions, for_s,
  clear_for_s, gap_s, severity, repeat_s, receivers::json AS receivers, metadata`;

const columns = `${stored}, created_at, updated_at,
  (SELECT count(*) FROM alarm_states WHERE rule_id = rules.id AND state <> 'pending')::int AS firing`;

const orders: Readonly<Record<(typeof ruleOrders)[number], string>> = {
  id: 'id',
  name: 'name',
  severity: `array_position(ARRAY ['info', 'warning', 'critical'], severity)`,
  created_at: 'created_at',
  updated_at: 'updated_at',
};

/** Uses the primary keys of rules and of their states. */
export async function findRule(db: Statements, id: string): Promise<RuleRow | undefined> {
  const [row] = await db.rows<RuleRow>(`SELECT ${columns} FROM rules WHERE id = $1`, [id]);
  return row;
}

/**
 * The rules of a group, of an org, about a thing, or all: of the groups that the user is in. Each with the user's role there.
 * Uses `rules_group` and the primary keys of things and memberships.
 */
export async function findRules(
  db: Database,
  user: UserCaller,
  place: Place | { of: 'thing'; id: string } | { of: 'all' },
  query: ListQuery,
): Promise<ListPage<RuleRow & { role: Role | null }>> {
  const conditions = new Conditions();
  addReach(conditions, 'group_id', user);
  if (place.of !== 'thing') {
    addPlace(conditions, 'group_id', place);
  } else {
    const id = conditions.bind(place.id);
    conditions.add(`group_id = (SELECT group_id FROM things WHERE things.id = ${id})`);
    conditions.add(
      `profile_id IS NULL OR profile_id = (SELECT profile_id FROM things WHERE things.id = ${id})`,
    );
    conditions.add(`thing_ids IS NULL OR ${id}::uuid = ANY (thing_ids)`);
  }
  conditions.containsText('name', query.name);
  conditions.containsJson('metadata', metadataFilterOf(query));
  const role = roleColumn(conditions, 'rules.group_id', user);
  const list = { columns: `${columns}, ${role}`, from: 'rules', conditions, orders, id: 'id' };
  return findPage<RuleRow & { role: Role | null }>(db, list, query);
}

/**
 * Locks a rule, and its group before it, until the transaction ends; gives who hears of its alarms, too. An edge that is about
 * to write the state of a thing that was ok waits, and sees that the rule has changed. Uses primary keys.
 */
export async function lockRule(
  db: Statements,
  id: string,
): Promise<(StoredRule & { told: Receivers }) | undefined> {
  await db.rows(
    'SELECT FROM groups WHERE id = (SELECT group_id FROM rules WHERE rules.id = $1) FOR KEY SHARE',
    [id],
  );
  const [row] = await db.rows<StoredRule & { told: Receivers }>(
    `SELECT ${stored}, receivers_of_rule(id)::json AS told FROM rules WHERE id = $1 FOR UPDATE`,
    [id],
  );
  return row;
}

const valuesOf = (rule: StoredRule) => [
  rule.id,
  rule.name,
  rule.enabled,
  rule.profile_id,
  rule.thing_ids,
  rule.match,
  JSON.stringify(rule.conditions),
  rule.for_s,
  rule.clear_for_s,
  rule.gap_s,
  rule.severity,
  rule.repeat_s,
  rule.receivers === null ? null : JSON.stringify(rule.receivers),
  JSON.stringify(rule.metadata),
];

/**
 * Makes a rule. Its group is held meanwhile, so that those made at the same moment are counted. Uses primary keys and
 * `rules_group`.
 *
 * @throws DomainError `not_found` if the group is gone, `conflict` if it would have too many.
 */
export async function insertRule(db: Statements, rule: StoredRule): Promise<void> {
  const held = await db.rows('SELECT FROM groups WHERE id = $1 FOR NO KEY UPDATE', [rule.group_id]);
  if (held.length === 0) throw new DomainError('not_found', 'group');
  const [counted] = await db.rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM rules WHERE group_id = $1',
    [rule.group_id],
  );
  if ((counted?.count ?? 0) >= limits.rulesPerGroupMax) {
    throw new DomainError('conflict', `a group has at most ${limits.rulesPerGroupMax} rules`);
  }
  await db.rows(
    `INSERT INTO rules (id, name, enabled, profile_id, thing_ids, match, conditions, for_s, clear_for_s, gap_s,
                        severity, repeat_s, receivers, metadata, group_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [...valuesOf(rule), rule.group_id],
  );
}

/** Writes a rule as it is now. Uses the primary key. */
export async function updateRule(db: Statements, rule: StoredRule): Promise<void> {
  await db.rows(
    `UPDATE rules
     SET name = $2, enabled = $3, profile_id = $4, thing_ids = $5, match = $6, conditions = $7, for_s = $8,
         clear_for_s = $9, gap_s = $10, severity = $11, repeat_s = $12, receivers = $13, metadata = $14,
         updated_at = now()
     WHERE id = $1`,
    valuesOf(rule),
  );
}

/** Tells receivers of what fires again after so many seconds from now; null: never. Uses the primary key. */
export async function setRepeat(
  db: Statements,
  ruleId: string,
  repeatS: number | null,
): Promise<void> {
  await db.rows(
    `UPDATE alarm_states SET repeat_at = now() + make_interval(secs => $2)
     WHERE rule_id = $1 AND state = 'firing'`,
    [ruleId, repeatS],
  );
}

/** Deletes a rule: the alarms that go on then are left to workers, by a trigger. Uses the primary key. */
export async function deleteRule(db: Statements, id: string): Promise<void> {
  await db.rows('DELETE FROM rules WHERE id = $1', [id]);
}

/** A group or an org. */
export type Place = { of: 'group' | 'org'; id: string };

/** The entities that a rule, or receivers, name. */
type Named = {
  profileId: string | null;
  thingIds: readonly string[];
  webhookIds: readonly string[];
};

/** Those of them that are not of the place. */
type Foreign = { profile: boolean; things: string[]; webhooks: string[] };

/** Finds those that are not of the place. A webhook of its org is of a group, too. Uses primary keys. */
export async function findForeign(
  db: Statements,
  { of, id }: Place,
  named: Named,
): Promise<Foreign> {
  const [row] = await db.rows<Foreign>(
    `WITH place AS (
       SELECT groups.id AS group_id, org_id FROM groups WHERE $2 = 'group' AND groups.id = $1
       UNION ALL
       SELECT NULL, $1 WHERE $2 = 'org'
     )
     SELECT $3::uuid IS NOT NULL AND NOT EXISTS (
              SELECT FROM profiles, place WHERE profiles.id = $3 AND profiles.group_id = place.group_id
            ) AS profile,
            ARRAY(
              SELECT asked.id FROM unnest($4::uuid[]) AS asked (id)
              WHERE NOT EXISTS (
                SELECT FROM things, place WHERE things.id = asked.id AND things.group_id = place.group_id
              )
            ) AS things,
            ARRAY(
              SELECT asked.id FROM unnest($5::uuid[]) AS asked (id)
              WHERE NOT EXISTS (
                SELECT FROM webhooks, place
                WHERE webhooks.id = asked.id
                  AND (webhooks.group_id = place.group_id OR webhooks.org_id = place.org_id)
              )
            ) AS webhooks`,
    [id, of, named.profileId, named.thingIds, named.webhookIds],
  );
  return row ?? { profile: false, things: [], webhooks: [] };
}

/** Uses the primary key. */
export async function findReceivers(db: Statements, { id }: Place): Promise<DefaultReceivers> {
  const [row] = await db.rows<{ receivers: Receivers }>(
    'SELECT receivers::json AS receivers FROM alarm_receivers WHERE id = $1',
    [id],
  );
  return row ?? {};
}

/** Sets who hears of alarms whose rule names nobody; null: it names nobody either. Uses the primary key. */
export async function setReceivers(
  db: Statements,
  { of, id }: Place,
  receivers: Receivers | null,
): Promise<void> {
  if (receivers === null) {
    await db.rows('DELETE FROM alarm_receivers WHERE id = $1', [id]);
    return;
  }
  await db.rows(
    `INSERT INTO alarm_receivers (id, group_id, org_id, receivers)
     VALUES ($1, CASE WHEN $2 = 'group' THEN $1::uuid END, CASE WHEN $2 = 'org' THEN $1::uuid END, $3)
     ON CONFLICT (id) DO UPDATE SET receivers = excluded.receivers`,
    [id, of, JSON.stringify(receivers)],
  );
}
