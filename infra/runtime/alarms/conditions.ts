import type { ClearCondition, Condition } from '../../../schemas/resources/rule.ts';

/** The value of a record. */
export type Value = number | string | boolean;

/** Whether a condition holds by a value; and whether it is over, once it has fired. */
export type Judged = { breach: boolean; clears: boolean };

const nothing: Judged = { breach: false, clears: true };

/** Undefined: the value is of another kind than the condition compares with, and says nothing of it. */
export function judge(condition: Condition, value: Value): Judged | undefined {
  const { when, clear } = condition;
  if (when === 'silent') return nothing;
  const breach = holds({ ...condition, when }, value);
  if (breach === undefined) return undefined;
  return { breach, clears: clear === undefined ? !breach : (holds(clear, value) ?? false) };
}

function holds({ when, value: wanted, low, high }: ClearCondition, value: Value) {
  if (when === '==' || when === '!=') {
    if (typeof value !== typeof wanted) return undefined;
    return (value === wanted) === (when === '==');
  }
  if (typeof value !== 'number') return undefined;
  if (when === 'between' || when === 'outside') {
    if (low === undefined || high === undefined) return undefined;
    return (value >= low && value <= high) === (when === 'between');
  }
  if (typeof wanted !== 'number') return undefined;
  switch (when) {
    case '>':
      return value > wanted;
    case '>=':
      return value >= wanted;
    case '<':
      return value < wanted;
    case '<=':
      return value <= wanted;
    default:
      return when satisfies never;
  }
}
