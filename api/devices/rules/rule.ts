import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { NewRule, Receivers, Rule, RuleChange } from '../../../schemas/resources/rule.ts';
import { includesRole, type Role } from '../../../schemas/roles.ts';
import { keysShowFrom } from '../../access/authorize.ts';
import type { Statements } from '../../stores/database.ts';
import { checkRule, type Deciding } from './check.ts';
import { findForeign, type Place, type RuleRow, type StoredRule } from './sql.ts';

/** A rule as a caller with `role` may see it: addresses of people are for editors and above. */
export function shownTo(role: Role | null, row: RuleRow): Rule {
  const { profile_id, thing_ids, for_s, clear_for_s, gap_s, repeat_s, receivers, ...others } = row;
  const { created_at, updated_at, ...alike } = others;
  const showsReceivers = role !== null && includesRole(role, keysShowFrom);
  return {
    ...alike,
    ...(profile_id === null ? {} : { profile_id }),
    ...(thing_ids === null ? {} : { thing_ids }),
    for: for_s,
    clear_for: clear_for_s,
    ...(gap_s === null ? {} : { gap: gap_s }),
    ...(repeat_s === null ? {} : { repeat_every: repeat_s }),
    ...(receivers === null || !showsReceivers ? {} : { receivers }),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

const fresh = {
  enabled: true,
  profile_id: null,
  thing_ids: null,
  match: 'all',
  for_s: 0,
  clear_for_s: 0,
  gap_s: null,
  severity: 'warning',
  repeat_s: null,
  receivers: null,
  metadata: {},
} as const;

/** A new rule of a group, with what is not given at its default. */
export function toInsert(groupId: string, given: NewRule): StoredRule {
  const { name, conditions } = given;
  return changed({ ...fresh, id: randomUUID(), group_id: groupId, name, conditions }, given);
}

/** A rule after a change: what is absent stays, `null` clears. */
export function changed(rule: StoredRule, change: RuleChange): StoredRule {
  const or = <Given>(given: Given | undefined, before: Given): Given =>
    given === undefined ? before : given;
  return {
    ...rule,
    name: or(change.name, rule.name),
    enabled: or(change.enabled, rule.enabled),
    profile_id: or(change.profile_id, rule.profile_id)?.toLowerCase() ?? null,
    thing_ids: or(change.thing_ids, rule.thing_ids)?.map((id) => id.toLowerCase()) ?? null,
    match: or(change.match, rule.match),
    conditions: or(change.conditions, rule.conditions),
    for_s: or(change.for, rule.for_s),
    clear_for_s: or(change.clear_for, rule.clear_for_s),
    gap_s: or(change.gap, rule.gap_s),
    severity: or(change.severity, rule.severity),
    repeat_s: or(change.repeat_every, rule.repeat_s),
    receivers: change.receivers ? onlyOnce(change.receivers) : or(change.receivers, rule.receivers),
    metadata: change.metadata === null ? {} : or(change.metadata, rule.metadata),
  };
}

const decidingOf = (rule: StoredRule): Deciding & { name: string } => ({
  name: rule.name,
  match: rule.match,
  conditions: rule.conditions,
  for: rule.for_s,
  clear_for: rule.clear_for_s,
  gap: rule.gap_s,
});

/**
 * Checks a rule as it would be, and that whatever the request names is of its group.
 *
 * @throws DomainError `malformed` naming the member.
 */
export async function mustBeGood(
  db: Statements,
  rule: StoredRule,
  given: Pick<RuleChange, 'profile_id' | 'thing_ids' | 'receivers'>,
): Promise<void> {
  checkRule(decidingOf(rule));
  await mustBeOf(db, { of: 'group', id: rule.group_id }, given);
}

/** @throws DomainError `malformed` naming the member that is not of the place. */
export async function mustBeOf(
  db: Statements,
  place: Place,
  {
    profile_id: profileId = null,
    thing_ids: thingIds,
    receivers,
  }: Pick<RuleChange, 'profile_id' | 'thing_ids' | 'receivers'>,
): Promise<void> {
  const webhookIds = receivers?.webhook_ids ?? [];
  const foreign = await findForeign(db, place, { profileId, thingIds: thingIds ?? [], webhookIds });
  const problem =
    (foreign.profile ? 'profile_id: is none of the group' : undefined) ??
    problemOf('thing_ids', thingIds ?? [], foreign.things, 'is no thing of the group') ??
    problemOf(
      'receivers.webhook_ids',
      webhookIds,
      foreign.webhooks,
      place.of === 'group'
        ? 'is no webhook of the group or of its org'
        : 'is no webhook of the org',
    );
  if (problem !== undefined) throw new DomainError('malformed', problem);
}

function problemOf(
  member: string,
  given: readonly string[],
  foreign: readonly string[],
  why: string,
): string | undefined {
  const at = given.findIndex((id) => foreign.includes(id.toLowerCase()));
  return at === -1 ? undefined : `${member}.${at}: ${why}`;
}

/** Each of them once: ids as they are stored, and addresses as they are written. */
export const onlyOnce = ({ webhook_ids: webhookIds, mails }: Receivers): Receivers => ({
  ...(webhookIds === undefined
    ? {}
    : { webhook_ids: [...new Set(webhookIds.map((id) => id.toLowerCase()))] }),
  ...(mails === undefined ? {} : { mails: [...new Set(mails)] }),
});
