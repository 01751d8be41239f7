import type { ClearCondition, Condition } from '../../../schemas/resources/rule.ts';

/** The value of a record. */
export type Value = number | string | boolean;

/** Whether a condition holds by a value; and whether it is over, once it has fired. */
export type Judged = Readonly<{ breach: boolean; clears: boolean }>;

/** All that there are: none is made for each value. */
const breach: Judged = { breach: true, clears: false };
const breachThatClears: Judged = { breach: true, clears: true };
const noBreach: Judged = { breach: false, clears: false };
const nothing: Judged = { breach: false, clears: true };

/** Undefined: the value is of another kind than the condition compares with, and says nothing of it. */
export function judge(condition: Condition, value: Value): Judged | undefined {
  const { when, clear } = condition;
  if (when === 'silent') return nothing;
  const isBreach = holds(when, condition, value);
  if (isBreach === undefined) return undefined;
  const clears = clear === undefined ? !isBreach : (holds(clear.when, clear, value) ?? false);
  if (isBreach) return clears ? breachThatClears : breach;
  return clears ? nothing : noBreach;
}

function holds(
  when: ClearCondition['when'],
  { value: wanted, low, high }: Omit<ClearCondition, 'when'>,
  value: Value,
): boolean | undefined {
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

/** The member of a JSON payload at a path, if it is one that conditions compare with. Arrays have none, as in the store. */
export function memberAt(payload: unknown, path: readonly string[]): Value | undefined {
  let at = payload;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return undefined;
    if (!Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return isValue(at) ? at : undefined;
}

/** Whether conditions compare with it. */
export const isValue = (value: unknown): value is Value =>
  typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';
