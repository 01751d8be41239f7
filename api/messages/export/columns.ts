import { json } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { DomainError } from '../../../schemas/http/errors.ts';
import { formulaPatterns, formulaStarts, neutralized } from '../../../schemas/csv.ts';
import type { Buckets } from '../aggregates/grouping.ts';
import { messageTables } from '../../../schemas/messages/tables.ts';
import { type ChosenColumn, senmlNames } from '../columns/chosen.ts';
import { allPathCells, pathCells } from '../columns/paths.ts';
import { type ThingNames, thingName } from '../columns/thing-names.ts';
import {
  mayHaveDottedName,
  mayHaveLongInteger,
  namesAlong,
  readablePayload,
} from '../query/payload.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';
import { jsonTime, senmlTime, type TimeFormat } from '../query/times.ts';

/** How a CSV is asked for. Without `columns`: all. */
type CsvRequest = {
  times: TimeFormat;
  columns?: readonly ChosenColumn[] | undefined;
  names?: ThingNames | undefined;
};

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

/** A CSV of SenML: all columns, or the chosen ones. */
export function senmlCsv(where: Where, { times, columns = allSenml, names }: CsvRequest): Columns {
  const cells = senmlCells(times, () => thingName(where, names));
  return {
    format: 'CSV',
    head: csvHead(columns.map(({ name }) => name)),
    select: columns.map(({ name }) => cells[name]?.() ?? 'NULL').join(', '),
  };
}

const allSenml: readonly ChosenColumn[] = senmlNames
  .filter((name) => name !== 'thing_name')
  .map((name) => ({ kind: 'senml', name }));

/** The cells of a CSV of SenML: null is an empty one. */
function senmlCells(
  times: TimeFormat,
  nameOfThing: () => string,
): Readonly<Record<string, () => string>> {
  const textOf = (kind: string) => `if(kind = '${kind}', ${harmless('text')}, NULL)`;
  return {
    subtopic: () => `nullIf(${harmless('subtopic')}, '')`,
    publisher: () => 'publisher',
    protocol: () => 'protocol',
    name: () => harmless('name'),
    unit: () => `nullIf(${harmless('unit')}, '')`,
    value: () => `if(kind = 'value', value, NULL)`,
    string_value: () => textOf('string'),
    bool_value: () => `if(kind = 'bool', toBool(value != 0), NULL)`,
    data_value: () => textOf('data'),
    sum: () => 'sum',
    time: () => senmlTime('time', times).time,
    update_time: () => 'update_time',
    thing_name: () => withoutFormula(nameOfThing()),
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
  const { before, cells } = allPathCells(where, ways, hasLongIntegers, csvCells);
  return { before, ...jsonCsv(paths, cells, times) };
}

const csvCells = { ofText: (text: string) => quoted(withoutFormula(text)), ofJson: quoted };

/** A CSV of the chosen columns of JSON messages. */
export function chosenJsonCsv(
  where: Where,
  columns: readonly ChosenColumn[],
  { times, names }: CsvRequest,
): Columns {
  const { before, cells } = pathCells(where, columns, csvCells);
  const fixed = fixedCells(times, () => thingName(where, names));
  return {
    before: before.length === 0 ? '' : `WITH ${before.join(', ')}`,
    ...lines(
      columns.map(({ name }) => name),
      columns.map(({ name }, at) => cells[at] ?? fixed[name]?.() ?? `''`),
    ),
  };
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

function jsonCsv(names: readonly string[], cells: readonly string[], times: TimeFormat): Columns {
  const fixed = fixedCells(times, () => 'NULL');
  return lines(
    [...fixedNames, ...names.map(distinctFromFixed)],
    [...fixedNames.map((name) => fixed[name]?.() ?? `''`), ...cells],
  );
}

/** The cells of a JSON message that are not of its payload. */
function fixedCells(
  times: TimeFormat,
  nameOfThing: () => string,
): Readonly<Record<string, () => string>> {
  const time = jsonTime('created', times);
  return {
    created: () => (times === 'unix' ? `toString(${time})` : quoted(time)),
    subtopic: () => `if(ifNull(subtopic, '') = '', '', ${quoted(withoutFormula('subtopic'))})`,
    publisher: () => quoted('toString(publisher)'),
    protocol: () => quoted('protocol'),
    payload: () => quoted('payload'),
    thing_name: () => quoted(withoutFormula(nameOfThing())),
  };
}

/** Each line is one text of our own: in one column, numbers are bare and texts are quoted. */
function lines(names: readonly string[], cells: readonly string[]): Columns {
  const line = cells.map((cell) => `ifNull(${cell}, '')`);
  return {
    format: 'TabSeparatedRaw',
    head: csvHead(names),
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

/** The first line of a CSV: no spreadsheet runs what stands in it. */
export function csvHead(names: readonly string[]): string {
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
export function harmless(column: string): string {
  return `if(ascii(${column}) IN (${formulaBytes.join(', ')}), ${withoutFormula(column)}, ${column})`;
}
