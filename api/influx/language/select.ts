import { DomainError } from '../../../schemas/http/errors.ts';
import { timeZoneOf } from '../../../schemas/http/time.ts';
import type { Expression, Field, Fill, Select } from './ast.ts';
import { parseCount, parseOrder, parseSources, parseWhere } from './clauses.ts';
import type { Cursor } from './cursor.ts';
import { parseExpressionOrRegex } from './expressions.ts';

/** The rest of a statement after SELECT. */
export function parseSelect(cursor: Cursor): Select {
  const fields = [parseField(cursor)];
  while (cursor.takeSign(',')) fields.push(parseField(cursor));
  cursor.mustTakeKeyword('FROM');
  return {
    kind: 'select',
    fields,
    sources: parseSources(cursor),
    condition: parseWhere(cursor),
    dimensions: parseDimensions(cursor),
    fill: parseFill(cursor),
    order: parseOrder(cursor),
    limit: parseCount(cursor, 'LIMIT'),
    offset: parseCount(cursor, 'OFFSET'),
    seriesLimit: parseCount(cursor, 'SLIMIT'),
    seriesOffset: parseCount(cursor, 'SOFFSET'),
    zone: parseZone(cursor),
  };
}

function parseField(cursor: Cursor): Field {
  const expression = parseExpressionOrRegex(cursor);
  return { expression, alias: cursor.takeKeyword('AS') ? cursor.mustTakeName() : undefined };
}

function parseDimensions(cursor: Cursor): Expression[] {
  if (!cursor.takeKeyword('GROUP')) return [];
  cursor.mustTakeKeyword('BY');
  const dimensions = [parseExpressionOrRegex(cursor)];
  while (cursor.takeSign(',')) dimensions.push(parseExpressionOrRegex(cursor));
  return dimensions;
}

/** The one argument of `fill(…)` or `tz(…)`, if that is next. */
function parseOption(cursor: Cursor, name: string): Expression | undefined {
  const { next } = cursor;
  if (next.kind !== 'name' || next.name.toLowerCase() !== name) return undefined;
  cursor.take();
  cursor.mustTakeSign('(');
  const given = cursor.within(() => parseExpressionOrRegex(cursor));
  cursor.mustTakeSign(')');
  return given;
}

const fills: Readonly<Record<string, Fill>> = {
  null: { kind: 'null' },
  none: { kind: 'none' },
  previous: { kind: 'previous' },
  linear: { kind: 'linear' },
};

function parseFill(cursor: Cursor): Fill {
  const given = parseOption(cursor, 'fill');
  if (given === undefined) return { kind: 'null' };
  if (given.kind === 'number' || given.kind === 'integer') {
    return { kind: 'number', value: Number(given.value) };
  }
  const named = given.kind === 'reference' ? given.name.toLowerCase() : '';
  const fill = Object.hasOwn(fills, named) ? fills[named] : undefined;
  if (fill === undefined) throw refused('expected number argument in fill()');
  return fill;
}

function parseZone(cursor: Cursor): string | undefined {
  const given = parseOption(cursor, 'tz');
  if (given === undefined) return undefined;
  if (given.kind !== 'string') throw refused('expected string argument in tz()');
  const zone = timeZoneOf(given.value);
  if (zone === undefined) throw refused(`unable to find time zone ${given.value}`);
  return zone;
}

const refused = (problem: string) =>
  new DomainError('malformed', `error parsing query: ${problem}`);
