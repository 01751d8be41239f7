import { randomBytes } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { DomainError } from '../../../schemas/http/errors.ts';
import { formulaPatterns, formulaStarts, neutralized } from '../../../schemas/csv.ts';
import type { Buckets } from '../aggregates/grouping.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import {
  cellAt,
  markedCells,
  mayHaveDottedName,
  mayHaveLongInteger,
  namesAlong,
  pathBinder,
  readablePayload,
} from '../query/payload.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';
import { jsonTime, senmlTime, type TimeFormat, timestamp } from '../query/times.ts';

/**
 * The SELECT of a file, and ClickHouse's format for it. `before` comes before the SELECT, `head` before the rows.
 * `renamed` selects from the rows, where columns get other names at last.
 */
export type Columns = {
  before?: string;
  select: string;
  renamed?: string | undefined;
  head?: string;
  format: string;
};

/** Columns of files with types: times are timestamps. A value that a message lacks is null. */
export const typedColumns: Readonly<Record<MessageFormat, string>> = {
  senml: `
    nullIf(subtopic, '') AS subtopic, toString(publisher) AS publisher,
    protocol, toString(name) AS name, nullIf(unit, '') AS unit,
    if(kind = 'value', value, NULL) AS number, if(kind = 'string', text, NULL) AS string_value,
    if(kind = 'bool', toBool(value != 0), NULL) AS bool_value,
    if(kind = 'data', text, NULL) AS data_value, sum, ${timestamp('time')} AS time, update_time`,
  json: `
    ${timestamp('created')} AS created, nullIf(subtopic, '') AS subtopic,
    toString(publisher) AS publisher, protocol, payload`,
};

/**
 * Through a Distributed table ClickHouse refuses an alias that has the name of a column which is an alias itself,
 * as `value` is.
 */
export const renamedColumns: Readonly<Partial<Record<MessageFormat, string>>> = {
  senml: `subtopic, publisher, protocol, name, unit, number AS value, string_value, bool_value, data_value,
    sum, time, update_time`,
};

const senmlNames =
  'subtopic publisher protocol name unit value string_value bool_value data_value sum time update_time'.split(
    ' ',
  );

/** A CSV of SenML. */
export function senmlCsv(times: TimeFormat): Columns {
  const textOf = (kind: string) => `if(kind = '${kind}', ${harmless('text')}, NULL)`;
  return {
    format: 'CSV',
    head: csvHead(senmlNames),
    select: `
      nullIf(${harmless('subtopic')}, ''), publisher, protocol, ${harmless('name')},
      nullIf(${harmless('unit')}, ''), if(kind = 'value', value, NULL), ${textOf('string')},
      if(kind = 'bool', toBool(value != 0), NULL), ${textOf('data')}, sum,
      ${senmlTime('time', times).time}, update_time`,
  };
}

const payloadColumnsMax = 1_000;
/** The names on all possible ways of the columns' paths: the query holds each, and takes 0.3 ms for each. */
const pathNamesMax = 20_000;
/** The first columns in a CSV of JSON messages; those of the payloads follow. */
const fixedNames = ['created', 'subtopic', 'publisher', 'protocol'];

/**
 * A CSV of JSON messages, with a column for each path of their payloads. Arrays are JSON in their cells. Narrows `where` to
 * what is stored now: a message that comes after the columns were found could have a path without a column.
 */
export async function payloadsCsv(store: Store, where: Where, times: TimeFormat): Promise<Columns> {
  await addStoredNow(store, where);
  const { paths, hasLongIntegers, hasDottedNames } = await findPayloadPaths(store, where);
  const ways = paths.map((path) => namesAlong(path, hasDottedNames));
  if (ways.flat(2).length > pathNamesMax) {
    throw new DomainError(
      'malformed',
      `convert: names of members have dots in them, so that columns could stand for more than ${pathNamesMax} names; use json`,
    );
  }
  const { before, cellAt: cellOf } = hasLongIntegers
    ? markedCells(where.bind('String', `int${randomBytes(12).toString('hex')}x`))
    : { before: '', cellAt };
  const cells = { ofText: (text: string) => quoted(withoutFormula(text)), ofJson: quoted };
  const written = pathBinder(where);
  const columns = ways.map((all, at) => cellOf(`c${at}`, written(all), cells));
  return { before, ...jsonCsv(paths, columns, times) };
}

/** A CSV of aggregates of JSON messages, with a column for each field. */
export function bucketsCsv(
  { values }: Buckets,
  fields: readonly string[],
  times: TimeFormat,
): Columns {
  const columns = values.map(({ column }) => `toString(${column})`);
  return jsonCsv(fields, columns, times);
}

/** Each line is one text of our own: in one column, numbers are bare and texts are quoted. */
function jsonCsv(names: readonly string[], cells: readonly string[], times: TimeFormat): Columns {
  const time = jsonTime('created', times);
  const fixed = [
    times === 'unix' ? `toString(${time})` : quoted(time),
    `if(ifNull(subtopic, '') = '', '', ${quoted(withoutFormula('subtopic'))})`,
    quoted('toString(publisher)'),
    quoted('protocol'),
  ];
  const line = [...fixed, ...cells].map((cell) => `ifNull(${cell}, '')`);
  return {
    format: 'TabSeparatedRaw',
    head: csvHead([...fixedNames, ...names.map(distinctFromFixed)]),
    select: `arrayStringConcat([${line.join(', ')}], ',')`,
  };
}

/** A member of a payload that has the name of a fixed column is called `payload.` and its name. */
function distinctFromFixed(name: string): string {
  const [last = ''] = name.split(/^(?:payload\.)*/).slice(-1);
  return fixedNames.includes(last) ? `payload.${name}` : name;
}

/** Uses the projection `logs`. The batches of a log are stored in the order of their numbers. */
async function addStoredNow(store: Store, where: Where): Promise<void> {
  const file = await store.file(
    `SELECT toString(log), toString(max(batch)) FROM ${messageTables.json.name} GROUP BY log
     FORMAT JSONCompactColumns`,
    {},
  );
  const [logs = [], batches = []] = Value.Parse(
    Type.Array(Type.Array(Type.String())),
    await json(file),
  );
  if (logs.length === 0) return;
  const last = `arrayMap(batch -> toInt64(batch), ${where.bind('Array(String)', batches)})`;
  // A log that came meanwhile is not among them.
  where.add(`batch <= transform(toString(log), ${where.bind('Array(String)', logs)}, ${last}, -1)`);
}

async function findPayloadPaths(store: Store, where: Where) {
  const file = await store.file(
    `SELECT arrayJoin(JSONAllPaths(CAST(${readablePayload}, 'JSON'))) AS path,
            max(${mayHaveLongInteger}), max(${mayHaveDottedName})
     FROM ${messageTables.json.name} WHERE ${where.text}
     GROUP BY path ORDER BY path LIMIT ${payloadColumnsMax + 1}
     FORMAT JSONCompactColumns`,
    where.bound,
  );
  const [found = [], long = [], dotted = []] = Value.Parse(PathsAndMore, await json(file));
  const paths = found.map(String);
  if (paths.length > payloadColumnsMax) {
    throw new DomainError('malformed', `convert: more than ${payloadColumnsMax} columns; use json`);
  }
  return { paths, hasLongIntegers: long.includes(1), hasDottedNames: dotted.includes(1) };
}

/** Three columns, or none if no message matches. */
const PathsAndMore = Type.Array(Type.Array(Type.Union([Type.String(), Type.Number()])));

function csvHead(names: readonly string[]): string {
  return `${names.map((name) => `"${neutralized(name).replaceAll('"', '""')}"`).join(',')}\n`;
}

/** Texts are quoted, so that an empty text differs from null, which is not. */
function quoted(text: string): string {
  return `concat('"', replaceAll(${text}, '"', '""'), '"')`;
}

/** The bytes that a text which begins like a formula may begin with. */
const formulaBytes = [...new Set(["'", ...formulaStarts].map((char) => Buffer.from(char)[0]))];
const formula = formulaPatterns.re2.replaceAll('\\', '\\\\').replaceAll("'", "\\'");

/** As `neutralized`, in SQL. */
function withoutFormula(text: string): string {
  return `replaceRegexpOne(${text}, '(${formula})', '''\\\\1')`;
}

/** The same, of a column: only what begins like a formula is matched, which takes a tenth off a file's CPU time. */
function harmless(column: string): string {
  return `if(ascii(${column}) IN (${formulaBytes.join(', ')}), ${withoutFormula(column)}, ${column})`;
}
