import { recordNameOf } from '../../../schemas/messages/points.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { isWithin, timeBound } from '../../messages/query/conditions.ts';
import { cellAt, jsonPaths } from '../../messages/query/payload.ts';
import type { Where } from '../../messages/query/where.ts';
import type { Scope } from './scope.ts';
import type { Source } from './source.ts';

/** A field as a statement asks for it. Without a kind: whatever its values are. */
export type FieldWanted = { key: string; kind?: ValueKind };

/** A value is a number, a text or a boolean. */
export type ValueKind = 'value' | 'string' | 'bool';

/** Times in nanoseconds since 1970, both inclusive. */
export type TimeRange = { from?: bigint | undefined; to?: bigint | undefined };

/** Points that are asked for. `within` is SQL of a condition on their tags, over `publisher`, `subtopic` and `unit`. */
type Asked = { fields: readonly FieldWanted[]; range: TimeRange; within?: string };

/** The codes of the column `kind`. */
export const kindCodes = { value: 1, string: 2, bool: 3 } as const;

const placeInStore = '(batch, _part_offset)';

/** The same, where only records of the store are asked for: expressions by their names, and SQL of where they are from. */
type RecordPoints = { columns: Readonly<Record<string, string>>; from: string };

/**
 * SQL of the values of these fields of a measurement: a row for each, with the columns
 *
 * - `time` Int64, nanoseconds since 1970; `publisher` UUID, `subtopic` and `unit` String, which tell its tags;
 * - `field` UInt16, the place of its field among those wanted;
 * - `kind` UInt8, see `kindCodes`: a number and a boolean (0 or 1) are in `value` Float64, a text in `text` String;
 * - `place`: of two values of one field, time and series, the one with the greater place was stored later.
 *
 * Records of the store that are SenML, and members of JSON payloads of things whose profile has the measurement's name.
 * Uses the sort keys: a range of time is a short read for each of its days.
 */
export function pointsOf(where: Where, scope: Scope, source: Source, asked: Asked): string {
  const { columns, from } = recordPointsOf(where, scope, source, asked);
  const named = Object.entries(columns).map(([name, is]) =>
    is === name ? is : `${is} AS ${name}`,
  );
  const senml = `SELECT ${named.join(', ')} FROM ${from}`;
  const json = jsonPoints(where, scope, source, asked);
  return json === undefined ? senml : `${senml} UNION ALL ${json}`;
}

/** The conditions on rows of a table of messages that are in the scope and in the range. */
export function isInScope(
  where: Where,
  format: MessageFormat,
  { reach }: Scope,
  { from, to }: TimeRange,
): string {
  const bind = (time: bigint) => where.bind('Int64', String(time));
  return [
    isWithin(where, reach),
    ...(from === undefined ? [] : [timeBound(format, '>=', bind(from))]),
    ...(to === undefined ? [] : [timeBound(format, '<=', bind(to))]),
  ].join(' AND ');
}

/** Kinds of the column, by the kind of value that they are; that of a record without a value is none. */
const storedKinds: Readonly<Record<ValueKind, string>> = {
  value: `kind = 'value'`,
  string: `kind IN ('string', 'data')`,
  bool: `kind = 'bool'`,
};

/** Records of the store that are points of these fields, see `pointsOf`. */
export function recordPointsOf(
  where: Where,
  scope: Scope,
  { measurement }: Source,
  { fields, range, within = 'true' }: Asked,
): RecordPoints {
  const [only] = fields;
  const isOne = fields.length === 1 && only !== undefined;
  const records = isOne ? [] : fields.map((field) => recordsOf(where, measurement, field));
  const names = [...new Set(fields.flatMap(({ key }) => namesOf(measurement, key)))];
  const named = `name IN ${where.bind('Array(String)', names)}`;
  const places = records.map((is, place) => `${is}, ${place}`).join(', ');
  const is = isOne ? recordsOfNames(where, measurement, only) : `(${records.join(' OR ')})`;
  return {
    columns: {
      time: 'time',
      publisher: 'publisher',
      subtopic: 'subtopic',
      unit: 'unit',
      field: isOne ? 'toUInt16(0)' : `toUInt16(multiIf(${places}, ${fields.length}))`,
      kind: `toUInt8(multiIf(kind = 'value', ${kindCodes.value}, kind = 'bool', ${kindCodes.bool}, ${kindCodes.string}))`,
      value: 'value',
      text: 'text',
      place: placeInStore,
    },
    from: `${messageTables.senml.name}
    WHERE ${isInScope(where, 'senml', scope, range)}
      AND ${named} AND ${is} AND ${within}`,
  };
}

const hasValue = `kind != 'none'`;

/** Of a name without a field, the kind of its values is one: `value` finds the others as well, unless a kind is told. */
const kindFields: Readonly<Record<string, string>> = {
  value: hasValue,
  string: `kind = 'string'`,
  bool: `kind = 'bool'`,
  data: `kind = 'data'`,
};

function namesOf(measurement: string, key: string): string[] {
  const named = `${measurement}.${key}`;
  return Object.hasOwn(kindFields, key) ? [named, recordNameOf(measurement, 'value')] : [named];
}

/** The condition of one field on records that have a name of it: the same of both names, of nearly every field. */
function recordsOfNames(where: Where, measurement: string, field: FieldWanted): string {
  const { key, kind } = field;
  const ofBare = Object.hasOwn(kindFields, key) ? kindFields[key] : hasValue;
  if (ofBare !== hasValue) return recordsOf(where, measurement, field);
  return kind === undefined ? hasValue : storedKinds[kind];
}

function recordsOf(where: Where, measurement: string, { key, kind }: FieldWanted): string {
  const [named = '', bare] = namesOf(measurement, key).map((name) => where.bind('String', name));
  const isNamed = `name = ${named}`;
  const all =
    bare === undefined
      ? `${isNamed} AND ${hasValue}`
      : `(${isNamed} AND ${hasValue} OR name = ${bare} AND ${kindFields[key]})`;
  return kind === undefined ? `(${all})` : `(${all} AND ${storedKinds[kind]})`;
}

function jsonPoints(
  where: Where,
  scope: Scope,
  { json }: Source,
  { fields, range, within = 'true' }: Asked,
): string | undefined {
  if (json === undefined) return undefined;
  const cells = fields.map(({ key }, place) => {
    const written = {
      ofText: (text: string) => `concat('"', ${text})`,
      ofJson: (raw: string) => `concat('"', ${raw})`,
    };
    return `(toUInt16(${place}), ${cellAt(`c${place}`, jsonPaths(where, key).usual, written)})`;
  });
  const wanted = fields.map(({ kind }) => String(kind === undefined ? 0 : kindCodes[kind]));
  const kinds = where.bind('Array(String)', wanted);
  return `
    SELECT time, publisher, subtopic, unit, field, kind, value, text, place FROM (
      SELECT created AS time, publisher, subtopic, '' AS unit, member.1 AS field,
             assumeNotNull(member.2) AS written,
             toUInt8(multiIf(startsWith(written, '"'), ${kindCodes.string},
                             written IN ('true', 'false'), ${kindCodes.bool}, ${kindCodes.value})) AS kind,
             if(kind = ${kindCodes.bool}, written = 'true', toFloat64OrZero(written)) AS value,
             if(kind = ${kindCodes.string}, substring(written, 2), '') AS text, ${placeInStore} AS place
      FROM ${messageTables.json.name} ARRAY JOIN [${cells.join(', ')}] AS member
      WHERE ${isInScope(where, 'json', scope, range)} AND ${isWithin(where, json)}
        AND isNotNull(member.2) AND ${within})
    WHERE ${kinds}[field + 1] IN ('0', toString(kind))`;
}
