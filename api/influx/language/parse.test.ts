import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import type { Expression } from './ast.ts';
import { parseQuery } from './parse.ts';

/** The detail of the failure. */
function failureOf(text: string): string | undefined {
  try {
    parseQuery(text);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.detail;
    throw error;
  }
}

/** The only field of a SELECT. */
function fieldOf(text: string): Expression | undefined {
  const [statement] = parseQuery(`SELECT ${text} FROM m`);
  return statement?.kind === 'select' ? statement.fields[0]?.expression : undefined;
}

describe('parseQuery', () => {
  it('reads what Grafana sends', () => {
    const text = `SELECT mean("value") AS "mean" FROM "autogen"."temperature"
      WHERE ("thing" =~ /^(a|b\\/c)$/ AND "unit" = 'Cel') AND time >= now() - 6h and time <= 1700000000000ms
      GROUP BY time(1m, 30s), "thing" fill(null) ORDER BY time DESC LIMIT 10 SLIMIT 2 tz('Europe/Berlin')`;
    expect(parseQuery(text)).toEqual([
      expect.objectContaining({
        kind: 'select',
        fields: [
          {
            expression: {
              kind: 'call',
              name: 'mean',
              arguments: [{ kind: 'reference', name: 'value', type: undefined }],
            },
            alias: 'mean',
          },
        ],
        sources: [
          {
            database: undefined,
            retentionPolicy: 'autogen',
            measurement: { kind: 'name', name: 'temperature' },
          },
        ],
        fill: { kind: 'null' },
        order: 'desc',
        limit: 10,
        offset: 0,
        seriesLimit: 2,
        zone: 'Europe/Berlin',
      }),
    ]);
  });

  it('binds operators as InfluxDB does', () => {
    const value = (n: bigint): Expression => ({ kind: 'integer', value: n });
    expect(fieldOf('1 + 2 * 3 - 4')).toEqual({
      kind: 'binary',
      operator: '-',
      left: {
        kind: 'binary',
        operator: '+',
        left: value(1n),
        right: { kind: 'binary', operator: '*', left: value(2n), right: value(3n) },
      },
      right: value(4n),
    });
  });

  it('reads names, texts and durations with their escapes', () => {
    expect(fieldOf(String.raw`"a \"b\" \\ c"`)).toMatchObject({ name: 'a "b" \\ c' });
    expect(fieldOf(String.raw`'it\'s'`)).toEqual({ kind: 'string', value: "it's" });
    expect(fieldOf('a.b."c d"::float')).toMatchObject({ name: 'a.b.c d', type: 'float' });
    expect(fieldOf('1h30m')).toEqual({ kind: 'duration', nanoseconds: 5_400_000_000_000n });
    expect(fieldOf(String.raw`/a\/b/`)).toEqual({ kind: 'regex', pattern: 'a/b' });
  });

  it('takes several statements and comments', () => {
    const text = 'SHOW DATABASES; -- one\n;SHOW /* two */ TAG KEYS; CREATE DATABASE x WITH NAME y';
    expect(parseQuery(text).map(({ kind }) => kind)).toEqual([
      'showDatabases',
      'showTagKeys',
      'createDatabase',
    ]);
  });

  it('puts the values of parameters in', () => {
    const where = (parameters: Record<string, unknown>) =>
      parseQuery('SELECT x FROM m WHERE a = $p', parameters)[0];
    expect(where({ p: "o'" })).toMatchObject({
      condition: { right: { kind: 'string', value: "o'" } },
    });
    expect(where({ p: 1.5 })).toMatchObject({ condition: { right: { value: 1.5 } } });
    expect(failureOf('SELECT x FROM m WHERE a = $p')).toBe(
      'error parsing query: missing parameter: p',
    );
  });

  it.each([
    ['SELECT FROM m', 'found FROM, expected identifier, string, number, bool at line 1, char 8'],
    ['SELECT x', 'found EOF, expected FROM at line 1, char 10'],
    ['SELECT x\nFROM', 'found EOF, expected identifier at line 2, char 6'],
    ['SELECT mean(x FROM m', 'found FROM, expected ) at line 1, char 15'],
    ['SELECT x FROM m LIMIT -1', 'found -, expected integer at line 1, char 23'],
    ['SELECT x FROM m extra', 'found extra, expected ; at line 1, char 17'],
    ["SELECT x FROM 'm'", 'found m, expected identifier at line 1, char 14'],
    [
      "SELECT x FROM m WHERE a = 'b",
      'found b, expected identifier, string, number, bool at line 1, char 26',
    ],
    ['SELECT x FROM m WHERE a =~ b', 'found b, expected regex at line 1, char 28'],
    ['SELECT x FROM m WHERE a =~ /b', 'bad regex:  at line 1, char 27'],
    ['SELECT - FROM m', 'found FROM, expected identifier, number, duration, ( at line 1, char 10'],
    ['SELECT *::foo FROM m', 'found foo, expected field, tag at line 1, char 11'],
    ['SELECT 99999999999999999999 FROM m', 'unable to parse integer at line 1, char 8'],
    ['SHOW TAG VALUES WITH KEY > a', 'found >, expected IN, =, =~ at line 1, char 26'],
    ['SHOW RETENTION', 'found EOF, expected POLICIES at line 1, char 16'],
    ['SELECT x FROM m GROUP BY time(1x)', 'invalid duration'],
    ['SELECT x FROM m fill(foo)', 'expected number argument in fill()'],
    ["SELECT x FROM m tz('Foo/Bar')", 'unable to find time zone Foo/Bar'],
  ])('refuses %s in the words of InfluxDB', (text, problem) => {
    expect(failureOf(text)).toBe(`error parsing query: ${problem}`);
  });

  it.each([
    ['DROP MEASUREMENT m', 'found DROP, expected SELECT, SHOW, CREATE at line 1, char 1'],
    ['SELECT x FROM (SELECT y FROM m)', 'subqueries are not supported at line 1, char 15'],
    ['SELECT x INTO y FROM m', 'found INTO, expected FROM at line 1, char 10'],
  ])('refuses %s, which InfluxDB takes', (text, problem) => {
    expect(failureOf(text)).toBe(`error parsing query: ${problem}`);
  });

  it('bounds depth, operators, statements, regular expressions and length', () => {
    const nested = (times: number) => `SELECT ${'('.repeat(times)}x${')'.repeat(times)} FROM m`;
    expect(failureOf(nested(limits.influxDepthMax))).toBeUndefined();
    expect(failureOf(nested(limits.influxDepthMax + 1))).toMatch('within each other');
    expect(failureOf(nested(10_000))).toMatch('within each other');
    expect(failureOf(`SELECT ${'-('.repeat(10_000)}`)).toMatch('within each other');
    expect(failureOf(`SELECT ${'f('.repeat(10_000)}`)).toMatch('within each other');
    const sum = (times: number) => `SELECT x${'+x'.repeat(times)} FROM m`;
    expect(failureOf(sum(limits.influxOperatorsMax))).toBeUndefined();
    expect(failureOf(sum(limits.influxOperatorsMax + 1))).toMatch('operators');
    expect(failureOf('SHOW DATABASES;'.repeat(101))).toMatch('more than 100 statements');
    expect(failureOf(`SELECT x FROM /${'a'.repeat(5_000)}/`)).toMatch('regex: is longer');
    expect(failureOf(' '.repeat(70_000))).toMatch('longer than 65536 characters');
  });

  it('fails only with its own error, whatever the text', () => {
    const pieces = fc.constantFrom(
      ...`SELECT FROM WHERE GROUP BY time(1m) fill( null ) ORDER LIMIT 1 SHOW TAG VALUES WITH KEY IN = =~ !~ < , ; . ::
          ( ) "a" 'b' /c/ / * + - x mean( now() 1h 1.5 .5 $p \\ " ' -- /* */ tz('UTC') DISTINCT AS AND OR µ \u{1F600} 5.
          \n`.split(' '),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((words) => words.join(' ')),
      fc.array(pieces).map((words) => words.join('')),
    );
    fc.assert(
      fc.property(text, (query) => {
        const detail = failureOf(query);
        if (detail !== undefined) expect(detail).toMatch(/^error parsing query: /);
      }),
      { numRuns: 1_000 },
    );
  });
});
