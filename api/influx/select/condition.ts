import { DomainError } from '../../../schemas/http/errors.ts';
import type { Expression, Operator } from '../language/ast.ts';
import type { TagTest } from '../model/tag-test.ts';
import { turned } from './range.ts';

/** A condition on the rows of a measurement: its tags and its fields. `field` is a place among the fields that are read. */
export type Test =
  | { kind: 'all'; tests: readonly Test[] }
  | { kind: 'any'; tests: readonly Test[] }
  | { kind: 'tag'; test: TagTest }
  | { kind: 'field'; field: number; operator: Comparison; value: string | number | boolean }
  | { kind: 'constant'; holds: boolean };

type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~';

/** The place of a field, or undefined of a tag. */
type PlaceOf = (reference: Extract<Expression, { kind: 'reference' }>) => number | undefined;

/**
 * Reads a condition in which no time is left.
 *
 * @throws DomainError `malformed` for what can not be compared
 */
export function testOf(expression: Expression, placeOf: PlaceOf): Test {
  if (expression.kind === 'parentheses') return testOf(expression.expression, placeOf);
  if (expression.kind === 'boolean') return { kind: 'constant', holds: expression.value };
  if (expression.kind !== 'binary') {
    throw invalid(expression.kind === 'reference' ? expression.name : expression.kind);
  }
  const { operator, left, right } = expression;
  if (operator === 'AND' || operator === 'OR') {
    const kind = operator === 'AND' ? 'all' : 'any';
    return joined(kind, [testOf(left, placeOf), testOf(right, placeOf)]);
  }
  if (!isComparison(operator)) throw invalid(operator);
  const [one, other] = [inner(left), inner(right)];
  if (one.kind === 'reference') return comparison(one, operator, other, placeOf);
  if (other.kind === 'reference')
    return comparison(other, turnedComparison(operator), one, placeOf);
  if (one.kind === 'binary' || other.kind === 'binary' || one.kind === 'call') {
    throw new DomainError('malformed', 'WHERE: arithmetic is only done with time');
  }
  const [a, b] = [literalOf(one), literalOf(other)];
  return { kind: 'constant', holds: a !== undefined && operator === '=' && a === b };
}

const comparisons: readonly string[] = ['=', '!=', '<', '<=', '>', '>=', '=~', '!~'];

const isComparison = (operator: Operator): operator is Comparison & Operator =>
  comparisons.includes(operator);

function turnedComparison(operator: Comparison & Operator): Comparison {
  const other = turned(operator);
  return isComparison(other) ? other : operator;
}

const inner = (one: Expression): Expression =>
  one.kind === 'parentheses' ? inner(one.expression) : one;

const invalid = (what: string) =>
  new DomainError('malformed', `invalid condition expression: ${what}`);

/** Chains of one operator become one test, so that no SQL is deeper than its statement's parentheses. */
function joined(kind: 'all' | 'any', tests: readonly Test[]): Test {
  const flat = tests.flatMap((test) => (test.kind === kind ? test.tests : [test]));
  return { kind, tests: flat };
}

function comparison(
  reference: Extract<Expression, { kind: 'reference' }>,
  operator: Comparison,
  other: Expression,
  placeOf: PlaceOf,
): Test {
  if (other.kind === 'binary' || other.kind === 'call' || other.kind === 'reference') {
    throw new DomainError('malformed', 'WHERE: fields and tags are only compared with values');
  }
  const field = placeOf(reference);
  const value = other.kind === 'regex' ? other.pattern : literalOf(other);
  const isPattern = operator === '=~' || operator === '!~';
  if (value === undefined || isPattern !== (other.kind === 'regex')) throw invalid(other.kind);
  if (field !== undefined) return { kind: 'field', field, operator, value };
  const kind = tagKinds[operator];
  // A tag is a text: it is neither a number nor less than another one.
  if (kind === undefined || typeof value !== 'string') return { kind: 'constant', holds: false };
  return { kind: 'tag', test: { tag: reference.name, kind, value } };
}

const tagKinds: Partial<Record<Comparison, TagTest['kind']>> = {
  '=': 'equal',
  '!=': 'unequal',
  '=~': 'matches',
  '!~': 'matchesNot',
};

function literalOf(one: Expression): string | number | boolean | undefined {
  if (one.kind === 'string' || one.kind === 'boolean') return one.value;
  if (one.kind === 'integer' || one.kind === 'number') return Number(one.value);
  return one.kind === 'duration' ? Number(one.nanoseconds) : undefined;
}

/**
 * The same condition with comparisons of one tag put together: dashboards compare it with each text that somebody chose.
 */
export function withTagsTogether(test: Test): Test {
  if (test.kind !== 'all' && test.kind !== 'any') return test;
  const joins = test.kind === 'any' ? 'equal' : 'unequal';
  const together = test.kind === 'any' ? 'matches' : 'matchesNot';
  const texts = new Map<string, string[]>();
  const others: Test[] = [];
  for (const one of test.tests.map(withTagsTogether)) {
    if (one.kind === 'tag' && one.test.kind === joins) {
      const { tag, value } = one.test;
      texts.set(tag, [...(texts.get(tag) ?? []), value]);
    } else others.push(one);
  }
  const tags = [...texts].map(([tag, values]): Test => {
    const [only = ''] = values;
    if (values.length === 1) return { kind: 'tag', test: { tag, kind: joins, value: only } };
    const pattern = `^(?:${values.map(escaped).join('|')})$`;
    return { kind: 'tag', test: { tag, kind: together, value: pattern } };
  });
  return { kind: test.kind, tests: [...tags, ...others] };
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** The tests that all hold where the condition does. */
export function requiredOf(test: Test): readonly Test[] {
  return test.kind === 'all' ? test.tests.flatMap(requiredOf) : [test];
}

export function tagTestsOf(test: Test): TagTest[] {
  if (test.kind === 'tag') return [test.test];
  return test.kind === 'all' || test.kind === 'any' ? test.tests.flatMap(tagTestsOf) : [];
}

export function hasFields(test: Test): boolean {
  if (test.kind === 'field') return true;
  return (test.kind === 'all' || test.kind === 'any') && test.tests.some(hasFields);
}
