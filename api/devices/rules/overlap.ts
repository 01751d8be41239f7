import type { ClearCondition } from '../../../schemas/resources/rule.ts';

/** The kind of values that a condition compares with. */
type ValueKind = 'number' | 'string' | 'boolean';

/** Numbers from `low` to `high`; each end belongs to them or not. */
type Range = { low: number; hasLow: boolean; high: number; hasHigh: boolean };

const range = (low: number, hasLow: boolean, high: number, hasHigh: boolean): Range => ({
  low,
  hasLow,
  high,
  hasHigh,
});

/** Undefined: a member that it needs is missing, or of a wrong type. */
export function kindOf({ when, value }: ClearCondition): ValueKind | undefined {
  if (when !== '==' && when !== '!=') return 'number';
  const kind = typeof value;
  return kind === 'number' || kind === 'string' || kind === 'boolean' ? kind : undefined;
}

/** Whether there is a value of their kind for which both hold. */
export function canBothHold(one: ClearCondition, other: ClearCondition): boolean {
  if (kindOf(one) !== 'number') return canBothHoldOfFew(one, other);
  return rangesOf(one).some((mine) => rangesOf(other).some((theirs) => meet(mine, theirs)));
}

/** Of texts and booleans, which are equal to a value or not. */
function canBothHoldOfFew(one: ClearCondition, other: ClearCondition): boolean {
  if (typeof one.value === 'boolean') {
    return [true, false].some((value) => isHeldBy(one, value) && isHeldBy(other, value));
  }
  if (one.when === '==') return isHeldBy(other, one.value);
  if (other.when === '==') return isHeldBy(one, other.value);
  // There are texts beside any two.
  return true;
}

const isHeldBy = ({ when, value: wanted }: ClearCondition, value: ClearCondition['value']) =>
  (value === wanted) === (when === '==');

/** The numbers for which a condition holds. */
function rangesOf({ when, value, low = 0, high = 0 }: ClearCondition): Range[] {
  const limit = typeof value === 'number' ? value : 0;
  switch (when) {
    case '>':
      return [range(limit, false, Infinity, false)];
    case '>=':
      return [range(limit, true, Infinity, false)];
    case '<':
      return [range(-Infinity, false, limit, false)];
    case '<=':
      return [range(-Infinity, false, limit, true)];
    case '==':
      return [range(limit, true, limit, true)];
    case '!=':
      return [range(-Infinity, false, limit, false), range(limit, false, Infinity, false)];
    case 'between':
      return [range(low, true, high, true)];
    case 'outside':
      return [range(-Infinity, false, low, false), range(high, false, Infinity, false)];
    default:
      return when satisfies never;
  }
}

/** Whether two ranges have a number in common. */
function meet(one: Range, other: Range): boolean {
  const low = Math.max(one.low, other.low);
  const high = Math.min(one.high, other.high);
  if (low !== high) return low < high;
  return isIn(low, one) && isIn(low, other);
}

const isIn = (number: number, { low, hasLow, high, hasHigh }: Range): boolean =>
  (number > low || (hasLow && number === low)) && (number < high || (hasHigh && number === high));
