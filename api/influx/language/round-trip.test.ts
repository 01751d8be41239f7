import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Expression, Select, Source, Statement } from './ast.ts';

import { parseQuery } from './parse.ts';

const name = fc.string({ minLength: 1, maxLength: 8, unit: 'binary' });
const pattern = fc.stringMatching(/^[a-z/.|]{1,8}$/);
const count = fc.nat({ max: 1_000 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const anyMeasurement = fc.oneof(
  fc.record({ kind: fc.constant('name' as const), name }),
  fc.record({ kind: fc.constant('regex' as const), pattern }),
);
const source = fc
  .record({ database: maybe(name), retentionPolicy: maybe(name), measurement: anyMeasurement })
  .filter((one) => one.measurement.kind === 'name' || one.measurement.pattern !== '');
const regex = fc.record({ kind: fc.constant('regex' as const), pattern });

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.record({
    kind: fc.constant('reference' as const),
    name,
    type: maybe(fc.constantFrom('float' as const, 'tag' as const)),
  }),
  fc.record({ kind: fc.constant('distinct' as const), name }),
  fc.record({
    kind: fc.constant('wildcard' as const),
    type: maybe(fc.constantFrom('field' as const, 'tag' as const)),
  }),
  fc.record({
    kind: fc.constant('integer' as const),
    value: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  }),
  fc.record({ kind: fc.constant('duration' as const), nanoseconds: fc.bigInt(0n, 2n ** 62n) }),
  fc.record({ kind: fc.constant('string' as const), value: fc.string({ unit: 'binary' }) }),
  fc.record({ kind: fc.constant('boolean' as const), value: fc.boolean() }),
  fc.nat({ max: 1_000_000 }).map((n) => ({ kind: 'number' as const, value: n / 8 })),
);

const { expression } = fc.letrec<{ expression: Expression; call: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('call'),
    fc
      .record({
        operator: fc.constantFrom('+' as const, '*' as const, 'AND' as const, '<=' as const),
        left: tie('expression'),
        right: tie('expression'),
      })
      .map(({ operator, left, right }) => ({
        kind: 'binary' as const,
        operator,
        left: { kind: 'parentheses' as const, expression: left },
        right: { kind: 'parentheses' as const, expression: right },
      })),
  ),
  call: fc
    .record({
      name: fc.constantFrom('mean', 'time', 'percentile'),
      given: fc.array(fc.oneof(tie('expression'), regex), { maxLength: 2 }),
    })
    .map((one) => ({ kind: 'call' as const, name: one.name, arguments: one.given })),
}));

const anyOrder = fc.constantFrom('asc' as const, 'desc' as const);
const range = { order: anyOrder, limit: count, offset: count };
const shown = { database: maybe(name), sources: fc.array(source, { maxLength: 2 }) };
const where = maybe(expression);

/** The kinds that have between them all clauses. */
type Made = Extract<
  Statement,
  {
    kind:
      | 'select'
      | 'showTagKeys'
      | 'showTagValues'
      | 'showSeries'
      | 'showMeasurements'
      | 'createDatabase';
  }
>;

const statement: fc.Arbitrary<Made> = fc.oneof(
  fc.record({
    kind: fc.constant('select' as const),
    fields: fc.array(fc.record({ expression: fc.oneof(expression, regex), alias: maybe(name) }), {
      minLength: 1,
      maxLength: 2,
    }),
    sources: fc.array(source, { minLength: 1, maxLength: 2 }),
    condition: where,
    dimensions: fc.array(fc.oneof(expression, regex), { maxLength: 2 }),
    fill: fc.oneof(
      fc.constantFrom({ kind: 'null' as const }, { kind: 'none' as const }),
      fc.record({ kind: fc.constant('number' as const), value: fc.integer() }),
    ),
    ...range,
    seriesLimit: count,
    seriesOffset: count,
    zone: maybe(fc.constant('Europe/Berlin')),
  }),
  fc.record({
    kind: fc.constant('showTagKeys' as const),
    ...shown,
    condition: where,
    ...range,
    seriesLimit: count,
    seriesOffset: count,
  }),
  fc.record({
    kind: fc.constant('showTagValues' as const),
    ...shown,
    keys: fc.oneof(
      fc.record({
        kind: fc.constant('names' as const),
        names: fc.array(name, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('notMatching' as const), pattern }),
    ),
    condition: where,
    ...range,
  }),
  fc.record({ kind: fc.constant('showSeries' as const), ...shown, condition: where, ...range }),
  fc.record({
    kind: fc.constant('showMeasurements' as const),
    database: maybe(name),
    measurement: maybe(source),
    condition: where,
    ...range,
  }),
  fc.record({ kind: fc.constant('createDatabase' as const), name }),
);

it('reads a printed statement as the same statement', () => {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 3 }), (statements) => {
      expect(parseQuery(statements.map(printed).join(';'))).toEqual(statements);
    }),
    { numRuns: 300 },
  );
});

const quoted = (text: string, quote: string) =>
  `${quote}${text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\n', '\\n')}${quote}`;
const printedName = (text: string) => quoted(text, '"');
const printedRegex = (text: string) => `/${text.replaceAll('/', '\\/')}/`;

function printedExpression(one: Expression): string {
  switch (one.kind) {
    case 'binary':
      return `${printedExpression(one.left)} ${one.operator} ${printedExpression(one.right)}`;
    case 'call':
      return `${one.name}(${one.arguments.map(printedExpression).join(', ')})`;
    case 'reference':
      return printedName(one.name) + (one.type === undefined ? '' : `::${one.type}`);
    case 'distinct':
      return `DISTINCT ${printedName(one.name)}`;
    case 'wildcard':
      return one.type === undefined ? '*' : `*::${one.type}`;
    case 'regex':
      return printedRegex(one.pattern);
    case 'number':
      return Number.isInteger(one.value) ? `${one.value}.` : String(one.value);
    case 'integer':
    case 'boolean':
      return String(one.value);
    case 'duration':
      return `${one.nanoseconds}ns`;
    case 'string':
      return quoted(one.value, "'");
    case 'parentheses':
      break;
  }
  return `(${printedExpression(one.expression)})`;
}

function printedSource({ database, retentionPolicy, measurement }: Source): string {
  const before = database === undefined ? '' : `${printedName(database)}.`;
  const policy = retentionPolicy === undefined ? '' : printedName(retentionPolicy);
  const place = before === '' && policy === '' ? '' : `${before}${policy}.`;
  return (
    place +
    (measurement.kind === 'name'
      ? printedName(measurement.name)
      : printedRegex(measurement.pattern))
  );
}

/** Clauses that come after the first words of a statement. */
type Clauses = Partial<Omit<Select, 'kind' | 'sources' | 'fields'>> & {
  database?: string | undefined;
  sources?: readonly Source[];
  words?: string;
};

function printedClauses(clauses: Clauses): string {
  const { database, sources = [], words = '', condition, dimensions = [], fill } = clauses;
  const { order, limit = 0, offset = 0, seriesLimit = 0, seriesOffset = 0, zone } = clauses;
  return [
    database === undefined ? '' : `ON ${printedName(database)}`,
    sources.length === 0 ? '' : `FROM ${sources.map(printedSource).join(', ')}`,
    words,
    condition === undefined ? '' : `WHERE ${printedExpression(condition)}`,
    dimensions.length === 0 ? '' : `GROUP BY ${dimensions.map(printedExpression).join(', ')}`,
    fill === undefined ? '' : `fill(${fill.kind === 'number' ? fill.value : fill.kind})`,
    order === 'desc' ? 'ORDER BY time DESC' : '',
    limit === 0 ? '' : `LIMIT ${limit}`,
    offset === 0 ? '' : `OFFSET ${offset}`,
    seriesLimit === 0 ? '' : `SLIMIT ${seriesLimit}`,
    seriesOffset === 0 ? '' : `SOFFSET ${seriesOffset}`,
    zone === undefined ? '' : `tz('${zone}')`,
  ].join(' ');
}

function printed(one: Made): string {
  switch (one.kind) {
    case 'select': {
      const fields = one.fields.map(({ expression: value, alias }) =>
        [printedExpression(value), ...(alias === undefined ? [] : ['AS', printedName(alias)])].join(
          ' ',
        ),
      );
      return `SELECT ${fields.join(', ')} ${printedClauses(one)}`;
    }
    case 'showTagKeys':
      return `SHOW TAG KEYS ${printedClauses(one)}`;
    case 'showTagValues': {
      const { keys } = one;
      const names = keys.kind === 'names' ? keys.names.map(printedName).join(', ') : '';
      const words =
        keys.kind === 'notMatching' ? `!~ ${printedRegex(keys.pattern)}` : `IN (${names})`;
      return `SHOW TAG VALUES ${printedClauses({ ...one, words: `WITH KEY ${words}` })}`;
    }
    case 'showSeries':
      return `SHOW SERIES ${printedClauses(one)}`;
    case 'showMeasurements': {
      const { measurement: only } = one;
      const equals = only?.measurement.kind === 'regex' ? '=~' : '=';
      const words = only === undefined ? '' : `WITH MEASUREMENT ${equals} ${printedSource(only)}`;
      return `SHOW MEASUREMENTS ${printedClauses({ ...one, words })}`;
    }
    case 'createDatabase':
      break;
  }
  return `CREATE DATABASE ${printedName(one.name)}`;
}
