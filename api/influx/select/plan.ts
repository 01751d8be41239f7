import { DomainError } from '../../../schemas/http/errors.ts';
import type { Expression, Field } from '../language/ast.ts';
import type { FieldWanted } from '../model/points.ts';
import { type Evaluate, evaluation } from './evaluate.ts';
import {
  type AggregateName,
  aggregates,
  isAggregate,
  isTransform,
  mathematicsOf,
  type Transform,
} from './functions.ts';
import { type Names, roleOf } from './names.ts';
import { type Test, testOf, withTagsTogether } from './condition.ts';

/** A value that is read for a row, or worked out of what is read; columns are made of these. */
type Slot =
  | { kind: 'field'; field: number }
  | { kind: 'tag'; tag: string }
  | { kind: 'call'; call: Call };

/** An aggregate of a field, a function over several of its points, or such a function of aggregates. */
export type Call = {
  field: number;
  aggregate: Aggregate | undefined;
  transform: Transform | undefined;
};

/** `percent`: of `percentile`. `distinct`: only of `count`, which then counts each value once. */
export type Aggregate = { name: AggregateName; percent: number; distinct: boolean };

type Column = { name: string; value: Evaluate };

/** How the rows of one measurement are made. */
export type Plan = {
  /** All that are read, also for the condition alone. */
  fields: readonly FieldWanted[];
  slots: readonly Slot[];
  /** Without the time. */
  columns: readonly Column[];
  timeColumn: string;
  test: Test | undefined;
};

/** The intervals that a SELECT groups by, in nanoseconds. */
export type Interval = { length: bigint; offset: bigint };

/** Makes the plan of a SELECT whose wildcards are replaced. @throws DomainError `malformed` in InfluxDB's words */
export function planOf(
  fields: readonly Field[],
  condition: Expression | undefined,
  interval: Interval | undefined,
  names: Names | undefined,
): Plan {
  const planner = new Planner(interval, names);
  const timeField = fields.find(({ expression }) => isTime(expression));
  const shown = fields.filter(({ expression }) => !isTime(expression));
  if (!shown.some(({ expression }) => hasVariable(expression))) {
    throw new DomainError('malformed', 'field must contain at least one variable');
  }
  const columnNames = namesOf(shown);
  const columns = shown.map(({ expression }, at) => ({
    name: columnNames[at] ?? '',
    value: evaluation(expression, (one) => planner.slotOf(one)),
  }));
  const plan = {
    ...planner.made(),
    columns,
    timeColumn: timeField?.alias ?? 'time',
    test: condition === undefined ? undefined : planner.testOf(condition),
  };
  mustFit(plan.slots, interval);
  return { ...plan, fields: planner.made().fields };
}

const isTime = (one: Expression) => one.kind === 'reference' && one.name.toLowerCase() === 'time';

function hasVariable(one: Expression): boolean {
  if (one.kind === 'reference' || one.kind === 'distinct') return true;
  if (one.kind === 'binary') return hasVariable(one.left) || hasVariable(one.right);
  if (one.kind === 'call') {
    return mathematicsOf(one.name) === undefined || one.arguments.some(hasVariable);
  }
  return one.kind === 'parentheses' && hasVariable(one.expression);
}

/** Which slots stand together. */
function mustFit(slots: readonly Slot[], interval: Interval | undefined): void {
  const calls = slots.flatMap((slot) => (slot.kind === 'call' ? [slot.call] : []));
  if (calls.length === 0) {
    if (interval === undefined) return;
    throw new DomainError('malformed', 'GROUP BY requires at least one aggregate function');
  }
  if (calls.some(({ aggregate }) => aggregate === undefined)) {
    const isMixed = calls.some(({ aggregate }) => aggregate !== undefined);
    if (isMixed || calls.length < slots.length) throw mixed();
    return;
  }
  if (calls.length === slots.length) return;
  const [first, ...others] = calls;
  if (!isSelector(first)) throw mixed();
  if (others.length > 0) {
    throw new DomainError(
      'malformed',
      'mixing multiple selector functions with tags or fields is not supported',
    );
  }
  if (first?.aggregate?.name === 'percentile') {
    throw new DomainError('malformed', 'percentile() with tags or fields is not supported');
  }
}

const mixed = () =>
  new DomainError('malformed', 'mixing aggregate and non-aggregate queries is not supported');

export const isSelector = (call: Call | undefined): boolean =>
  call?.aggregate !== undefined &&
  call.transform === undefined &&
  aggregates[call.aggregate.name].isSelector;

/** Gives every different value one slot, and every field one place. */
class Planner {
  readonly #interval: Interval | undefined;
  readonly #names: Names | undefined;
  readonly #fields: FieldWanted[] = [];
  readonly #slots: Slot[] = [];
  readonly #known = new Map<string, number>();

  constructor(interval: Interval | undefined, names: Names | undefined) {
    this.#interval = interval;
    this.#names = names;
  }

  made(): { fields: readonly FieldWanted[]; slots: readonly Slot[] } {
    return { fields: this.#fields, slots: this.#slots };
  }

  testOf(condition: Expression): Test {
    return withTagsTogether(
      testOf(condition, (reference) =>
        this.#isTag(reference) ? undefined : this.#placeOf(reference.name),
      ),
    );
  }

  /** The slot of a reference or a call; undefined of what is worked out of others. */
  slotOf(one: Expression): number | undefined {
    if (one.kind === 'reference') {
      return this.#slot(
        this.#isTag(one)
          ? { kind: 'tag', tag: one.name }
          : { kind: 'field', field: this.#placeOf(one.name) },
      );
    }
    if (one.kind === 'distinct') throw new DomainError('malformed', 'distinct is not supported');
    if (one.kind !== 'call') return undefined;
    const known = mathematicsOf(one.name);
    if (known === undefined) return this.#slot({ kind: 'call', call: this.#callOf(one) });
    mustHave(one, known.arguments, known.arguments);
    return undefined;
  }

  #isTag(reference: Extract<Expression, { kind: 'reference' }>): boolean {
    const role = roleOf(reference);
    if (role !== undefined) return role === 'tag';
    const names = this.#names;
    if (names === undefined || names.fields.some(({ key }) => key === reference.name)) return false;
    // A name that is nowhere is an absent tag in a condition, and an empty column in an answer: both are empty.
    return true;
  }

  #placeOf(key: string): number {
    const place = this.#fields.findIndex((field) => field.key === key);
    return place === -1 ? this.#fields.push({ key }) - 1 : place;
  }

  #slot(slot: Slot): number {
    const key = JSON.stringify(slot, (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const known = this.#known.get(key) ?? this.#slots.push(slot) - 1;
    this.#known.set(key, known);
    return known;
  }

  #callOf(call: CallExpression): Call {
    if (isAggregate(call.name)) return { ...this.#aggregateOf(call), transform: undefined };
    if (!isTransform(call.name)) {
      const isKnown = unsupported.has(call.name);
      const problem = isKnown
        ? `${call.name}() is not supported`
        : `undefined function ${call.name}()`;
      throw new DomainError('malformed', problem);
    }
    const transform = transformOf(call, this.#interval);
    const [of] = call.arguments;
    if (of?.kind === 'call' && isAggregate(of.name)) {
      if (this.#interval === undefined) {
        throw new DomainError('malformed', `${call.name} aggregate requires a GROUP BY interval`);
      }
      return { ...this.#aggregateOf(of), transform };
    }
    if (this.#interval !== undefined) {
      throw new DomainError(
        'malformed',
        `aggregate function required inside the call to ${call.name}`,
      );
    }
    return { field: this.#fieldOf(call.name, of), aggregate: undefined, transform };
  }

  #aggregateOf(call: CallExpression): { field: number; aggregate: Aggregate } {
    if (!isAggregate(call.name)) throw new DomainError('malformed', 'expected an aggregate');
    mustHave(call, aggregates[call.name].arguments, aggregates[call.name].arguments);
    const [of, percent] = call.arguments;
    const name = call.name;
    if (name === 'count' && isDistinct(of)) {
      const counted =
        of.kind === 'call'
          ? of.arguments[0]
          : { ...of, kind: 'reference' as const, type: undefined };
      return {
        field: this.#fieldOf('distinct', counted),
        aggregate: { name, percent: 0, distinct: true },
      };
    }
    if (percent !== undefined && percent.kind !== 'integer' && percent.kind !== 'number') {
      throw new DomainError('malformed', `expected float argument in ${name}()`);
    }
    return {
      field: this.#fieldOf(name, of),
      aggregate: { name, percent: Number(percent?.value ?? 0), distinct: false },
    };
  }

  #fieldOf(name: string, of: Expression | undefined): number {
    if (of?.kind !== 'reference' || isTime(of)) {
      throw new DomainError('malformed', `expected field argument in ${name}()`);
    }
    return this.#placeOf(of.name);
  }
}

type CallExpression = Extract<Expression, { kind: 'call' }>;

/** Functions of InfluxDB that have no meaning here yet. */
const unsupported = new Set(
  'distinct mode integral top bottom sample histogram holt_winters holt_winters_with_fit'.split(
    ' ',
  ),
);

const isDistinct = (
  one: Expression | undefined,
): one is Extract<Expression, { kind: 'distinct' | 'call' }> =>
  one?.kind === 'distinct' || (one?.kind === 'call' && one.name === 'distinct');

function mustHave({ name, arguments: given }: CallExpression, least: number, most: number): void {
  if (given.length >= least && given.length <= most) return;
  const expected = least === most ? String(least) : `at least ${least} but no more than ${most}`;
  throw new DomainError(
    'malformed',
    `invalid number of arguments for ${name}, expected ${expected}, got ${given.length}`,
  );
}

const second = 1_000_000_000n;

function transformOf(call: CallExpression, interval: Interval | undefined): Transform {
  const { name } = call;
  if (!isTransform(name)) throw new DomainError('malformed', `undefined function ${name}()`);
  if (name === 'moving_average') {
    mustHave(call, 2, 2);
    const [, count] = call.arguments;
    if (count?.kind !== 'integer') {
      throw new DomainError('malformed', 'second argument for moving_average must be an integer');
    }
    if (count.value < 2n) {
      throw new DomainError(
        'malformed',
        `moving_average window must be greater than 1, got ${count.value}`,
      );
    }
    return { name, unit: second, count: Number(count.value) };
  }
  const takesUnit = name.endsWith('derivative') || name === 'elapsed';
  mustHave(call, 1, takesUnit ? 2 : 1);
  const [, unit] = call.arguments;
  const usual = name === 'elapsed' ? 1n : (interval?.length ?? second);
  if (unit === undefined) return { name, unit: usual, count: 0 };
  if (unit.kind !== 'duration' || unit.nanoseconds <= 0n) {
    throw new DomainError('malformed', `second argument to ${name} must be a duration`);
  }
  return { name, unit: unit.nanoseconds, count: 0 };
}

/** The names of columns, as InfluxDB makes them: those that repeat are numbered, but for those that the client gave. */
function namesOf(fields: readonly Field[]): string[] {
  const taken = new Map<string, number>([['time', 1]]);
  for (const { alias } of fields) if (alias !== undefined) taken.set(alias, 1);
  return fields.map(({ expression, alias }) => {
    if (alias !== undefined) return alias;
    const name = nameOf(expression);
    let count = taken.get(name);
    if (count === undefined) {
      taken.set(name, 1);
      return name;
    }
    while (taken.has(`${name}_${count}`)) count += 1;
    taken.set(name, count + 1);
    taken.set(`${name}_${count}`, 1);
    return `${name}_${count}`;
  });
}

function nameOf(one: Expression): string {
  if (one.kind === 'parentheses') return nameOf(one.expression);
  return partNames(one).join('_');
}

/** Of an operation the names of all that it is made of. */
function partNames(one: Expression): string[] {
  if (one.kind === 'call' || one.kind === 'reference') return [one.name];
  if (one.kind === 'parentheses') return partNames(one.expression);
  return one.kind === 'binary' ? [...partNames(one.left), ...partNames(one.right)] : [];
}
