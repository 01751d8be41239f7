import { type ActiveRule, activeRule, decidesAlike } from '../../../infra/runtime/alarms/rule.ts';
import {
  beforeAllThings,
  beginEnding,
  endEnding,
  type RuleEnding,
  reviewStates,
} from '../../../infra/runtime/alarms/endings.ts';
import type { Rows } from '../../../infra/runtime/stores/postgres.ts';
import type { RuleChange } from '../../../schemas/resources/rule.ts';
import { present } from '../../http/errors.ts';
import { limits } from '../../limits.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { changed, mustBeGood } from './rule.ts';
import { deleteRule, lockRule, setRepeat, type StoredRule, updateRule } from './sql.ts';

type Change = Pick<RuleEnding, 'ruleId' | 'why' | 'conditions' | 'told'>;

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
  change: Change,
): Promise<void> {
  if (!before.enabled) return;
  if (!rule.enabled) {
    await reviewSome(db, undefined, { ...change, why: 'rule_disabled' });
    return;
  }
  const [earlier, now] = [before, rule].map((one) =>
    activeRule({ ...one, receivers: change.told }),
  );
  if (earlier === undefined || now === undefined || !decidesAlike(earlier, now)) {
    await reviewSome(db, now, change);
  }
  if (before.repeat_s !== rule.repeat_s) await setRepeat(db, rule.id, rule.repeat_s);
}

/** Reviews as many states as a request has time for. Workers do the others. */
async function reviewSome(
  db: Statements,
  rule: ActiveRule | undefined,
  change: Change,
): Promise<void> {
  const rows: Rows = (text, values) => db.rows(text, values);
  const ending = await beginEnding(rows, change);
  const some = { kind: 'after', thing: beforeAllThings, rowsMax: limits.statesAtOnce } as const;
  const { next } = await reviewStates(rows, ending, rule, some);
  if (next === undefined) await endEnding(rows, ending);
}

/**
 * Deletes a rule: its alarms end.
 *
 * @throws DomainError `not_found`
 */
export async function removeRule(db: Database, id: string): Promise<void> {
  await db.transaction(async (work) => {
    const { conditions, told } = present(await lockRule(work, id), 'rule');
    await reviewSome(work, undefined, { ruleId: id, why: 'rule_deleted', conditions, told });
    await deleteRule(work, id);
  });
}
