import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  Condition as ConditionSchema,
  Receivers as ReceiversSchema,
  type Condition,
  type Receivers,
} from '../../../schemas/resources/rule.ts';
import type { Rows } from '../stores/postgres.ts';

/** A rule that counts, in the form in which records are held against it. */
export type ActiveRule = {
  id: string;
  groupId: string;
  name: string;
  severity: string;
  match: 'any' | 'all';
  conditions: readonly Condition[];
  forUs: number;
  clearForUs: number;
  /** Undefined: the larger of `forUs`, or `clearForUs`, and three times the usual interval. */
  gapUs: number | undefined;
  repeatS: number | undefined;
  profileId: string | undefined;
  thingIds: ReadonlySet<string> | undefined;
  receivers: Receivers;
};

/** A rule with the org that it is in. */
export type OrgRule = ActiveRule & { orgId: string };

const isConditions = Compile(Type.Array(ConditionSchema));
const isReceivers = Compile(ReceiversSchema);

/** A row of `rules`, with the receivers that count for it. */
type RuleRow = {
  id: string;
  group_id: string;
  name: string;
  severity: string;
  match: 'any' | 'all';
  conditions: unknown;
  for_s: number;
  clear_for_s: number;
  gap_s: number | null;
  repeat_s: number | null;
  profile_id: string | null;
  thing_ids: string[] | null;
  receivers: unknown;
};

const usPerSecond = 1_000_000;

/** Undefined: they are none that the API takes. */
export const readConditions = (given: unknown): readonly Condition[] | undefined =>
  isConditions.Check(given) ? given : undefined;

export const readReceivers = (given: unknown): Receivers => (isReceivers.Check(given) ? given : {});

/** Undefined if its conditions are none that the API takes. */
export function activeRule(row: RuleRow): ActiveRule | undefined {
  const conditions = readConditions(row.conditions);
  if (conditions === undefined) return undefined;
  return {
    id: row.id,
    groupId: row.group_id,
    name: row.name,
    severity: row.severity,
    match: row.match,
    conditions,
    forUs: row.for_s * usPerSecond,
    clearForUs: row.clear_for_s * usPerSecond,
    gapUs: row.gap_s === null ? undefined : row.gap_s * usPerSecond,
    repeatS: row.repeat_s ?? undefined,
    profileId: row.profile_id ?? undefined,
    thingIds: row.thing_ids === null ? undefined : new Set(row.thing_ids),
    receivers: readReceivers(row.receivers),
  };
}

/** Whether a rule is about the silence of things, of which records say nothing. */
export const isSilent = ({ conditions }: Pick<ActiveRule, 'conditions'>): boolean =>
  conditions[0]?.when === 'silent';

/** Whether a rule is about a thing of its group. */
export const isAbout = (
  { profileId, thingIds }: ActiveRule,
  thingId: string,
  ofProfile: string,
): boolean =>
  (profileId === undefined || profileId === ofProfile) &&
  (thingIds === undefined || thingIds.has(thingId));

/** Whether a rule decides as it did before: then the states of its things stay. */
export const decidesAlike = (before: ActiveRule, now: ActiveRule): boolean =>
  isDeepStrictEqual(decidingIn(before), decidingIn(now));

/** The members of a rule that say when it fires, and for what. */
const decidingIn = ({
  match,
  conditions,
  forUs,
  clearForUs,
  gapUs,
  profileId,
  thingIds,
}: ActiveRule) => ({ match, conditions, forUs, clearForUs, gapUs, profileId, thingIds });

/** How often rules were changed: as long as it stays, they are what they were. Uses the only row. */
export async function findRulesVersion(rows: Rows): Promise<string> {
  const [found] = await rows<{ version: string }>(
    'SELECT version::text AS version FROM rules_version',
    [],
  );
  return found?.version ?? '';
}

/** Rules with the receivers that count for each, and their orgs. */
const rulesWithReceivers = `
  SELECT rules.id, rules.group_id, groups.org_id, rules.name, severity, match, conditions, for_s, clear_for_s, gap_s,
         repeat_s, profile_id, thing_ids,
         coalesce(rules.receivers, of_group.receivers, of_org.receivers, '{}') AS receivers,
         rules.updated_at::text AS revision
  FROM rules
  JOIN groups ON groups.id = rules.group_id
  LEFT JOIN alarm_receivers AS of_group ON of_group.id = groups.id
  LEFT JOIN alarm_receivers AS of_org ON of_org.id = groups.org_id`;

/** A rule as it was read, and when it was changed before that. */
type ReadRule = OrgRule & { revision: string };

/** All rules that are enabled. Reads the table. */
export async function loadRules(rows: Rows): Promise<ReadRule[]> {
  const found = await rows<RuleRow & { org_id: string; revision: string }>(
    `${rulesWithReceivers} WHERE enabled`,
    [],
  );
  return found.flatMap((row) => {
    const rule = activeRule(row);
    return rule === undefined ? [] : [{ ...rule, orgId: row.org_id, revision: row.revision }];
  });
}

/** Those about silence that are enabled. Uses `rules_silent`. */
export async function loadSilentRules(rows: Rows): Promise<ActiveRule[]> {
  const found = await rows<RuleRow>(
    `${rulesWithReceivers} WHERE enabled AND conditions -> 0 ->> 'when' = 'silent'`,
    [],
  );
  return found.map(activeRule).filter((rule) => rule !== undefined);
}

/** A rule that is enabled. Uses the primary key. */
export async function loadRule(rows: Rows, id: string): Promise<ActiveRule | undefined> {
  const [found] = await rows<RuleRow>(`${rulesWithReceivers} WHERE enabled AND rules.id = $1`, [
    id,
  ]);
  return found && activeRule(found);
}

/**
 * Holds a rule as it is, and its group, until the end of the transaction; undefined: it is gone, or disabled. Uses primary
 * keys.
 */
export async function holdRule(rows: Rows, id: string): Promise<ActiveRule | undefined> {
  await rows(
    'SELECT FROM groups WHERE id = (SELECT group_id FROM rules WHERE rules.id = $1) FOR KEY SHARE',
    [id],
  );
  const held = await rows('SELECT FROM rules WHERE id = $1 AND enabled FOR SHARE', [id]);
  return held.length > 0 ? loadRule(rows, id) : undefined;
}

/**
 * Holds rules as they were read until the end of the transaction. False if one of them was changed since, or no longer
 * counts. Uses the primary key.
 */
export async function holdRules(
  rows: Rows,
  rules: readonly { id: string; revision: string }[],
): Promise<boolean> {
  const held = await rows(
    `SELECT FROM rules
     JOIN unnest($1::uuid[], $2::timestamptz[]) AS known (id, revision) USING (id)
     WHERE enabled AND updated_at = revision
     ORDER BY rules.id FOR SHARE OF rules`,
    [rules.map(({ id }) => id), rules.map(({ revision }) => revision)],
  );
  return held.length === rules.length;
}
