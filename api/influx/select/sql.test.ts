import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Where } from '../../messages/query/where.ts';
import type { Select } from '../language/ast.ts';
import { parseQuery } from '../language/parse.ts';
import { tagsOf } from '../model/tags.ts';
import { planOf } from './plan.ts';
import { takeRange } from './range.ts';
import { type Asked, pointsSql, rowsSql } from './sql.ts';

const now = 1_700_000_000_000_000_000n;
const reach = { kind: 'groups' as const, groups: ['8e69a6b1-2d66-47ba-8bc5-5bb60ed10fce'] };
const scope = { groups: [], reach, profiles: new Map() };

function selectOf(text: string): Select {
  const [statement] = parseQuery(text);
  if (statement?.kind !== 'select') throw new Error(`no SELECT: ${text}`);
  return statement;
}

function askedBy(text: string): Asked {
  const { fields, condition, sources } = selectOf(text);
  const [source] = sources;
  const { range, rest } = takeRange(condition, { now, zone: undefined });
  const measurement = source?.measurement.kind === 'name' ? source.measurement.name : '';
  return {
    scope,
    source: { measurement, json: undefined },
    tags: tagsOf(scope, { all: [] }),
    plan: planOf(fields, rest, undefined, undefined),
    range,
    groupedBy: [],
  };
}

const quoted = (text: string, quote: string) =>
  `${quote}${text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`;

describe('statements of the store', () => {
  it('have no text of a client in them', () => {
    const text = fc.string({ minLength: 3, maxLength: 20 }).map((part) => `é${part}`);
    fc.assert(
      fc.property(text, text, text, text, (measurement, field, tag, value) => {
        const [m, f] = [quoted(measurement, '"'), quoted(field, '"')];
        const asked = askedBy(
          `SELECT ${f} FROM ${m} WHERE ${quoted(tag, '"')}::tag = ${quoted(value, "'")}
             AND ${f}::field != ${quoted(value, "'")} AND subtopic =~ /éx/`,
        );
        const where = new Where();
        expect(rowsSql(where, asked)).not.toContain('é');
        expect(Object.values(where.bound)).toContain(value);
      }),
    );
  });

  it('name the days of their range, and what is compared of tags, where points are chosen', () => {
    const where = new Where();
    const sql = pointsSql(
      where,
      askedBy(
        `SELECT value FROM m WHERE time >= 0 AND time < 86400s AND unit = 'Cel' AND value > 3`,
      ),
    );
    expect(sql).toContain('intDiv(time, 86400000000000) >= intDiv(');
    expect(sql).toMatch(/AND \(unit = \{p\d+:String\}\)/);
    expect(sql).not.toContain('f0');
  });
});

describe('takeRange', () => {
  const rangeOf = (condition: string) =>
    takeRange(selectOf(`SELECT x FROM m WHERE ${condition}`).condition, {
      now,
      zone: 'Europe/Berlin',
    });

  it.each([
    ['time >= now() - 1h', { from: now - 3_600_000_000_000n, to: undefined }],
    ['time > 5 AND time < 10', { from: 6n, to: 9n }],
    ['time > 5 AND (time > 7 AND time <= 10ms)', { from: 8n, to: 10_000_000n }],
    ['20s >= time', { from: undefined, to: 20_000_000_000n }],
    ["time = '1970-01-01T00:00:01Z'", { from: 1_000_000_000n, to: 1_000_000_000n }],
    ["time >= '1970-01-02'", { from: 82_800_000_000_000n, to: undefined }],
    ["time >= '1970-01-02 01:00:00.5' + 1s", { from: 86_401_500_000_000n, to: undefined }],
  ])('reads %s', (condition, range) => {
    expect(rangeOf(condition)).toEqual({ range, rest: undefined });
  });

  it('leaves the rest of the condition', () => {
    const { range, rest } = rangeOf("a = 'x' AND time > 5 OR b = 'y'");
    expect(range.from).toBe(6n);
    expect(rest).toMatchObject({ operator: 'OR', left: { operator: '=' } });
  });

  it.each([
    ["time > 'soon'", 'invalid operation: time and *influxql.StringLiteral are not compatible'],
    ["time > '2020-13-01'", 'invalid timestamp string'],
    ['time != 5', 'invalid time comparison operator: !='],
    ['time > 100000d + 100000d', 'time is not within 1677 to 2262'],
  ])('refuses %s', (condition, problem) => {
    expect(() => rangeOf(condition)).toThrow(problem);
  });
});
