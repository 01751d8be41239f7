import type { Show, Source, TagKeys } from './ast.ts';
import { parseCount, parseOrder, parseSource, parseSources, parseWhere } from './clauses.ts';
import type { Cursor } from './cursor.ts';

/** The rest of a statement after SHOW. */
export function parseShow(cursor: Cursor): Show {
  const { next } = cursor;
  const parse = next.kind === 'keyword' ? shows[next.word] : undefined;
  if (parse === undefined) return cursor.fail(...Object.keys(shows));
  cursor.take();
  return parse(cursor);
}

const shows: Readonly<Record<string, (cursor: Cursor) => Show>> = {
  DATABASES: () => ({ kind: 'showDatabases' }),
  FIELD: parseFieldKeys,
  MEASUREMENT: (cursor) => parseCardinality(cursor, 'measurements', false),
  MEASUREMENTS: parseMeasurements,
  RETENTION: parseRetentionPolicies,
  SERIES: parseSeries,
  TAG: parseTags,
};

/** Of ON, which names the database. */
function parseDatabase(cursor: Cursor): string | undefined {
  return cursor.takeKeyword('ON') ? cursor.mustTakeName() : undefined;
}

function parseFrom(cursor: Cursor): Source[] {
  return cursor.takeKeyword('FROM') ? parseSources(cursor) : [];
}

/** The end of all SHOW statements. Members are evaluated in this order, which is that of the clauses. */
const parseRange = (cursor: Cursor) => ({
  order: parseOrder(cursor),
  limit: parseCount(cursor, 'LIMIT'),
  offset: parseCount(cursor, 'OFFSET'),
});

function parseFieldKeys(cursor: Cursor): Show {
  if (!cursor.takeKeyword('KEYS')) return cursor.fail('KEYS');
  return {
    kind: 'showFieldKeys',
    database: parseDatabase(cursor),
    sources: parseFrom(cursor),
    ...parseRange(cursor),
  };
}

function parseMeasurements(cursor: Cursor): Show {
  return {
    kind: 'showMeasurements',
    database: parseDatabase(cursor),
    measurement: parseWithMeasurement(cursor),
    condition: parseWhere(cursor),
    ...parseRange(cursor),
  };
}

function parseWithMeasurement(cursor: Cursor): Source | undefined {
  if (!cursor.takeKeyword('WITH')) return undefined;
  cursor.mustTakeKeyword('MEASUREMENT');
  if (cursor.takeSign('=~')) {
    const source = parseSource(cursor);
    return source.measurement.kind === 'regex' ? source : cursor.fail('regex');
  }
  if (!cursor.takeSign('=')) return cursor.fail('=', '=~');
  return parseSource(cursor);
}

function parseRetentionPolicies(cursor: Cursor): Show {
  cursor.mustTakeKeyword('POLICIES');
  return { kind: 'showRetentionPolicies', database: parseDatabase(cursor) };
}

function parseSeries(cursor: Cursor): Show {
  const exact = cursor.takeKeyword('EXACT');
  if (exact || cursor.isKeyword('CARDINALITY')) return parseCardinality(cursor, 'series', exact);
  return {
    kind: 'showSeries',
    database: parseDatabase(cursor),
    sources: parseFrom(cursor),
    condition: parseWhere(cursor),
    ...parseRange(cursor),
  };
}

function parseCardinality(cursor: Cursor, of: 'series' | 'measurements', isExact: boolean): Show {
  const exact = isExact || cursor.takeKeyword('EXACT');
  cursor.mustTakeKeyword('CARDINALITY');
  return {
    kind: 'showCardinality',
    of,
    exact,
    database: parseDatabase(cursor),
    sources: parseFrom(cursor),
    condition: parseWhere(cursor),
    ...parseRange(cursor),
  };
}

function parseTags(cursor: Cursor): Show {
  if (cursor.takeKeyword('VALUES')) return parseTagValues(cursor);
  if (!cursor.takeKeyword('KEYS')) return cursor.fail('KEYS', 'VALUES');
  return {
    kind: 'showTagKeys',
    database: parseDatabase(cursor),
    sources: parseFrom(cursor),
    condition: parseWhere(cursor),
    ...parseRange(cursor),
    seriesLimit: parseCount(cursor, 'SLIMIT'),
    seriesOffset: parseCount(cursor, 'SOFFSET'),
  };
}

function parseTagValues(cursor: Cursor): Show {
  return {
    kind: 'showTagValues',
    database: parseDatabase(cursor),
    sources: parseFrom(cursor),
    keys: parseWithKey(cursor),
    condition: parseWhere(cursor),
    ...parseRange(cursor),
  };
}

function parseWithKey(cursor: Cursor): TagKeys {
  cursor.mustTakeKeyword('WITH');
  cursor.mustTakeKeyword('KEY');
  if (cursor.takeKeyword('IN')) return { kind: 'names', names: parseNames(cursor) };
  if (cursor.takeSign('=')) return { kind: 'names', names: [cursor.mustTakeName()] };
  if (cursor.takeSign('!=')) return { kind: 'otherThan', name: cursor.mustTakeName() };
  const isNegative = cursor.isSign('!~');
  if (!isNegative && !cursor.isSign('=~')) return cursor.fail('IN', '=', '=~');
  cursor.take();
  const pattern = cursor.takeRegex() ?? cursor.fail('regex');
  return { kind: isNegative ? 'notMatching' : 'matching', pattern };
}

function parseNames(cursor: Cursor): string[] {
  cursor.mustTakeSign('(');
  const names = [cursor.mustTakeName()];
  while (cursor.takeSign(',')) names.push(cursor.mustTakeName());
  cursor.mustTakeSign(')');
  return names;
}
