import { isDeepStrictEqual } from 'node:util';
import type { RuleChange } from '../../../schemas/resources/rule.ts';
import { present } from '../../http/errors.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { keepOrEnd } from './firing.ts';
import { changed, mustBeGood } from './rule.ts';
import { deleteRule, lockRule, type StoredRule, updateRule } from './sql.ts';
import { type End, endAlarmsOf, setRepeat } from './states-sql.ts';

/**
 * Changes a rule, and with it what fires.
 *
 * @throws DomainError `not_found`, `malformed`
 */
export async function changeRule(db: Database, id: string, change: RuleChange): Promise<void> {
  await db.transaction(async (work) => {
    const { told, ...before } = present(await lockRule(work, id), 'rule');
    const rule = changed(before, change);
    await mustBeGood(work, rule, change);
    await updateRule(work, rule);
    const { conditions } = before;
    await changeWhatFires(work, before, rule, {
      ruleId: id,
      why: 'rule_changed',
      conditions,
      told,
    });
  });
}

/** Those who heard that an alarm fired hear that it ends: the receivers before the change. */
async function changeWhatFires(
  db: Statements,
  before: StoredRule,
  rule: StoredRule,
  end: End,
): Promise<void> {
  if (!before.enabled) return;
  if (!rule.enabled) {
    await endAlarmsOf(db, { ...end, why: 'rule_disabled' }, 'all');
    return;
  }
  if (!isDeepStrictEqual(decidingIn(before), decidingIn(rule))) await keepOrEnd(db, rule, end);
  if (before.repeat_s !== rule.repeat_s) await setRepeat(db, rule.id, rule.repeat_s);
}

/** The members of a rule that say when it fires, and for what. */
const decidingIn = ({
  match,
  conditions,
  for_s,
  clear_for_s,
  gap_s,
  profile_id,
  thing_ids,
}: StoredRule) => ({ match, conditions, for_s, clear_for_s, gap_s, profile_id, thing_ids });

/**
 * Deletes a rule: its alarms end.
 *
 * @throws DomainError `not_found`
 */
export async function removeRule(db: Database, id: string): Promise<void> {
  await db.transaction(async (work) => {
    const { conditions, told } = present(await lockRule(work, id), 'rule');
    await endAlarmsOf(work, { ruleId: id, why: 'rule_deleted', conditions, told }, 'all');
    await deleteRule(work, id);
  });
}
