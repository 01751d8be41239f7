import { DomainError } from '../../../schemas/http/errors.ts';
import type { Expression, Operator } from '../language/ast.ts';
import { mathematicsOf, type Value } from './functions.ts';

/** Works a column out from the values of a row's slots. */
export type Evaluate = (slots: readonly Value[]) => Value;

/**
 * Makes the function of an expression. `slotOf` tells the slot of a reference or a call, or undefined of what has none.
 *
 * @throws DomainError `malformed` for what has no value in a row
 */
export function evaluation(
  expression: Expression,
  slotOf: (one: Expression) => number | undefined,
): Evaluate {
  const slot = slotOf(expression);
  if (slot !== undefined) return (slots) => slots[slot] ?? null;
  switch (expression.kind) {
    case 'parentheses':
      return evaluation(expression.expression, slotOf);
    case 'integer':
    case 'number': {
      const value = Number(expression.value);
      return () => value;
    }
    case 'string':
    case 'boolean':
      return () => expression.value;
    case 'binary': {
      const operator = arithmetic[expression.operator];
      if (operator === undefined) break;
      return ofNumbers(operator, [
        evaluation(expression.left, slotOf),
        evaluation(expression.right, slotOf),
      ]);
    }
    case 'call': {
      const known = mathematicsOf(expression.name);
      if (known === undefined) break;
      return ofNumbers(
        known.of,
        expression.arguments.map((one) => evaluation(one, slotOf)),
      );
    }
    case 'duration':
    case 'reference':
    case 'distinct':
    case 'wildcard':
    case 'regex':
      break;
  }
  throw new DomainError('malformed', 'invalid expression in SELECT');
}

/** As InfluxDB: without a number on each side there is none, and what is divided by zero is zero. */
function ofNumbers(
  operator: (...values: number[]) => number,
  operands: readonly Evaluate[],
): Evaluate {
  return (slots) => {
    const values = operands.map((one) => one(slots));
    if (!values.every((value) => typeof value === 'number')) return null;
    const result = operator(...values);
    return Number.isFinite(result) ? result : null;
  };
}

const arithmetic: Partial<Record<Operator, (one?: number, other?: number) => number>> = {
  '+': (one = 0, other = 0) => one + other,
  '-': (one = 0, other = 0) => one - other,
  '*': (one = 0, other = 0) => one * other,
  '/': (one = 0, other = 0) => (other === 0 ? 0 : one / other),
  '%': (one = 0, other = 0) => one % other,
  '&': (one = 0, other = 0) => ofIntegers(one, other, (a, b) => a & b),
  '|': (one = 0, other = 0) => ofIntegers(one, other, (a, b) => a | b),
  '^': (one = 0, other = 0) => ofIntegers(one, other, (a, b) => a ^ b),
};

function ofIntegers(
  one: number,
  other: number,
  operator: (a: bigint, b: bigint) => bigint,
): number {
  if (!Number.isInteger(one) || !Number.isInteger(other)) return Number.NaN;
  return Number(operator(BigInt(one), BigInt(other)));
}
