import type { RuleChange } from '../../../schemas/resources/rule.ts';
import { present } from '../../http/errors.ts';
import type { Database } from '../../stores/database.ts';
import { changed, mustBeGood } from './rule.ts';
import { deleteRule, lockRule, updateRule } from './sql.ts';

/**
 * Changes a rule, and with it what fires.
 *
 * @throws DomainError `not_found`, `malformed`
 */
export async function changeRule(db: Database, id: string, change: RuleChange): Promise<void> {
  await db.transaction(async (work) => {
    const before = present(await lockRule(work, id), 'rule');
    const rule = changed(before, change);
    await mustBeGood(work, rule, change);
    await updateRule(work, rule);
  });
}

/**
 * Deletes a rule: its alarms end.
 *
 * @throws DomainError `not_found`
 */
export async function removeRule(db: Database, id: string): Promise<void> {
  await db.transaction(async (work) => {
    present(await lockRule(work, id), 'rule');
    await deleteRule(work, id);
  });
}
