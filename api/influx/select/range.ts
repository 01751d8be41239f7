import { DomainError } from '../../../schemas/http/errors.ts';
import type { Expression, Operator } from '../language/ast.ts';
import type { TimeRange } from '../model/points.ts';
import { offsetAt } from '../model/zone.ts';

/** When a statement is carried out, in nanoseconds since 1970, and the zone of its times. */
type Moment = { now: bigint; zone: string | undefined };

/** The range of time that a condition sets, and the rest of the condition. */
type Ranged = { range: TimeRange; rest: Expression | undefined };

/**
 * Takes the comparisons with `time` out of a condition. As in InfluxDB all of them hold together, also those that stand
 * in an OR.
 *
 * @throws DomainError `malformed` for a comparison of time with what is no time
 */
export function takeRange(condition: Expression | undefined, moment: Moment): Ranged {
  if (condition === undefined) return { range: {}, rest: undefined };
  if (condition.kind === 'parentheses') return takeRange(condition.expression, moment);
  if (condition.kind !== 'binary') return { range: {}, rest: condition };
  const { operator, left, right } = condition;
  if (operator === 'AND' || operator === 'OR') {
    const [one, other] = [takeRange(left, moment), takeRange(right, moment)];
    const range = intersection(one.range, other.range);
    if (one.rest === undefined || other.rest === undefined) {
      return { range, rest: one.rest ?? other.rest };
    }
    return { range, rest: { ...condition, left: one.rest, right: other.rest } };
  }
  if (isTime(left)) return { range: rangeOf(operator, timeOf(right, moment)), rest: undefined };
  if (isTime(right)) {
    return { range: rangeOf(turned(operator), timeOf(left, moment)), rest: undefined };
  }
  return { range: {}, rest: condition };
}

const isTime = (one: Expression) =>
  one.kind === 'reference' && one.name.toLowerCase() === 'time' && one.type === undefined;

const turns: Partial<Record<Operator, Operator>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** The operator with its sides exchanged. */
export const turned = (operator: Operator): Operator => turns[operator] ?? operator;

/** InfluxDB tells the types of its own code. */
const literalNames: Partial<Record<Expression['kind'], string>> = {
  boolean: '*influxql.BooleanLiteral',
  string: '*influxql.StringLiteral',
  regex: '*influxql.RegexLiteral',
  reference: '*influxql.VarRef',
  call: '*influxql.Call',
};

/** The times of 64 bits. */
const [earliest, latest] = [-(2n ** 63n), 2n ** 63n - 1n];

function rangeOf(operator: Operator, time: bigint): TimeRange {
  if (operator === '=') return { from: time, to: time };
  if (operator === '<') return { to: within(time - 1n) };
  if (operator === '<=') return { to: time };
  if (operator === '>') return { from: within(time + 1n) };
  if (operator === '>=') return { from: time };
  throw new DomainError('malformed', `invalid time comparison operator: ${operator}`);
}

const within = (time: bigint) => (time < earliest ? earliest : time > latest ? latest : time);

function intersection(one: TimeRange, other: TimeRange): TimeRange {
  return {
    from: later(one.from, other.from),
    to: later(one.to, other.to, (a, b) => a < b),
  };
}

function later(
  one: bigint | undefined,
  other: bigint | undefined,
  isFirst = (a: bigint, b: bigint) => a > b,
): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isFirst(one, other) ? one : other;
}

/** @throws DomainError `malformed` for what is no time, or not within 64 bits of nanoseconds */
export function timeOf(expression: Expression, moment: Moment): bigint {
  const time = evaluate(expression, moment);
  if (time < earliest || time > latest) {
    throw new DomainError('malformed', 'time is not within 1677 to 2262');
  }
  return time;
}

function evaluate(expression: Expression, moment: Moment): bigint {
  switch (expression.kind) {
    case 'integer':
      return expression.value;
    case 'number':
      return BigInt(Math.trunc(expression.value));
    case 'duration':
      return expression.nanoseconds;
    case 'string':
      return timeIn(expression.value, moment.zone);
    case 'parentheses':
      return evaluate(expression.expression, moment);
    case 'call':
      if (expression.name === 'now' && expression.arguments.length === 0) return moment.now;
      break;
    case 'binary': {
      const { operator, left, right } = expression;
      if (operator === '+') return evaluate(left, moment) + evaluate(right, moment);
      if (operator === '-') return evaluate(left, moment) - evaluate(right, moment);
      break;
    }
    case 'reference':
    case 'distinct':
    case 'wildcard':
    case 'regex':
    case 'boolean':
      break;
  }
  throw new DomainError(
    'malformed',
    `invalid operation: time and ${literalNames[expression.kind] ?? expression.kind} are not compatible`,
  );
}

const written =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?)?(?:(Z)|([+-]\d\d:\d\d))?$/;

/** `2026-11-27`, `2026-11-27 06:00:00.5`, or RFC 3339; without an offset it is a time of the zone. */
function timeIn(text: string, zone: string | undefined): bigint {
  const problem = /^\d{4}-/.test(text)
    ? 'invalid timestamp string'
    : 'invalid operation: time and *influxql.StringLiteral are not compatible';
  const [found, date = '', clock = '00:00:00', fraction = '', utc, offset] =
    written.exec(text) ?? [];
  const ms = Date.parse(`${date}T${clock}${offset ?? 'Z'}`);
  if (found === undefined || Number.isNaN(ms)) {
    throw new DomainError('malformed', problem);
  }
  const time = BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
  if (utc !== undefined || offset !== undefined || zone === undefined) return time;
  const guess = time - offsetAt(zone, time);
  return time - offsetAt(zone, guess);
}
