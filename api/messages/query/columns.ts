import { randomBytes } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Buckets } from '../aggregates/aggregates.ts';
import { placeBinder, placesOf, type Where } from './conditions.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import {
  cellAt,
  markedCells,
  mayHaveDottedName,
  mayHaveLongInteger,
  readablePayload,
} from './payload.ts';
import type { Store } from '../store/store.ts';
import { jsonTime, senmlTime, type TimeFormat, timestamp } from './times.ts';

/** What a file selects, and how ClickHouse writes it. `before` stands before the SELECT, `head` before the rows. */
export type Columns = { before?: string; select: string; head?: string; format: string };

/** Files with types of their own: times are timestamps, and text is text. What a message lacks is null. */
export const typedColumns: Readonly<Record<MessageFormat, string>> = {
  senml: `
    nullIf(toString(subtopic), '') AS subtopic, toString(publisher) AS publisher,
    toString(protocol) AS protocol, toString(name) AS name, nullIf(toString(unit), '') AS unit,
    if(kind = 'value', value, NULL) AS value, if(kind = 'string', text, NULL) AS string_value,
    if(kind = 'bool', toBool(value != 0), NULL) AS bool_value,
    if(kind = 'data', text, NULL) AS data_value, sum, ${timestamp('time')} AS time, update_time`,
  json: `
    ${timestamp('created')} AS created, nullIf(toString(subtopic), '') AS subtopic,
    toString(publisher) AS publisher, toString(protocol) AS protocol, payload`,
};

const senmlNames =
  'subtopic publisher protocol name unit value string_value bool_value data_value sum time update_time'.split(
    ' ',
  );

/** A CSV of SenML. What is done with a text of a dictionary is done once for all rows that have it. */
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
/** Names in all the places that columns could stand for: the query has each of them, and takes some 0.3 ms for one. */
const placeNamesMax = 20_000;
/** What stands in a CSV of JSON messages before the columns of their payloads. */
const fixedNames = ['created', 'subtopic', 'publisher', 'protocol'];

/** A CSV of JSON messages, with a column for each path of their payloads; an array stands in its cell as JSON. */
export async function payloadsCsv(store: Store, where: Where, times: TimeFormat): Promise<Columns> {
  const { paths, hasLongIntegers, hasDottedNames } = await findPayloadPaths(store, where);
  const places = paths.map((path) => placesOf(path, hasDottedNames));
  if (places.flat(2).length > placeNamesMax) {
    throw new DomainError(
      'malformed',
      `convert: names of members have dots in them, so that columns could stand for more than ${placeNamesMax} names; use json`,
    );
  }
  const { before, cellAt: cellOf } = hasLongIntegers
    ? markedCells(where.bind('String', `int${randomBytes(12).toString('hex')}x`))
    : { before: '', cellAt };
  const cells = { ofText: (text: string) => quoted(harmless(text)), ofJson: quoted };
  const written = placeBinder(where);
  const columns = places.map((all, at) => cellOf(`c${at}`, written(all), cells));
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

/** Each line is one text: only so a number stays bare and a text is quoted in one column. */
function jsonCsv(names: readonly string[], cells: readonly string[], times: TimeFormat): Columns {
  const time = jsonTime('created', times);
  const fixed = [
    times === 'unix' ? `toString(${time})` : quoted(time),
    `if(subtopic = '', '', ${quoted(harmless('toString(subtopic)'))})`,
    quoted('toString(publisher)'),
    quoted('toString(protocol)'),
  ];
  const line = [...fixed, ...cells.map((cell) => `ifNull(${cell}, '')`)];
  return {
    format: 'TabSeparatedRaw',
    head: csvHead([...fixedNames, ...names.map(apartFromFixed)]),
    select: `arrayStringConcat([${line.join(', ')}], ',')`,
  };
}

/** A member of a payload that is named as a column before it gets `payload.` before its name. */
function apartFromFixed(name: string): string {
  const [last = ''] = name.split(/^(?:payload\.)*/).slice(-1);
  return fixedNames.includes(last) ? `payload.${name}` : name;
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

/** Three columns; where nothing matches there are none. */
const PathsAndMore = Type.Array(Type.Array(Type.Union([Type.String(), Type.Number()])));

function csvHead(names: readonly string[]): string {
  return `${names.map((name) => `"${harmlessName(name).replaceAll('"', '""')}"`).join(',')}\n`;
}

/** In a CSV a text is quoted, what is null is not, and so is told from an empty text. */
function quoted(text: string): string {
  return `concat('"', replaceAll(${text}, '"', '""'), '"')`;
}

/*
 * A text that a spreadsheet would run as a formula gets a quote before it, and so does one that looks as if it
 * had got it: whoever takes away the first quote of each has what was sent.
 */
const formula = /^'*[=+@\t\r-]/;

function harmless(text: string): string {
  return `replaceRegexpOne(${text}, '^(\\'*[=+@\\\\t\\\\r-])', '''\\\\1')`;
}

function harmlessName(name: string): string {
  return formula.test(name) ? `'${name}` : name;
}
