import { text } from 'node:stream/consumers';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { DomainError } from '../../../../schemas/http/errors.ts';
import { type MessageFormat, messageTables } from '../../../../schemas/messages/tables.ts';
import { limits } from '../../../limits.ts';
import { jsonPaths, numberAt } from '../../query/payload.ts';
import type { Where } from '../../query/where.ts';
import type { Store } from '../../store/store.ts';
import type { SeriesName } from './heads.ts';

/** A series: its key is a hash, an integer of 64 bits as text. */
export type Series = SeriesName & { key: string; holds: 'number' | 'bool' | 'text' };

/** SQL for the key of a row's series: of SenML; of JSON messages, that of the field at this place. */
export const keyOf = (format: MessageFormat, field = 0): string =>
  format === 'senml'
    ? 'sipHash64(publisher, subtopic, name, unit)'
    : `sipHash64(publisher, subtopic, toUInt16(${field}))`;

/**
 * The series of these messages. JSON messages have one for each of the fields that is somewhere a number. Uses the sort
 * key.
 *
 * @throws DomainError `malformed` if there are too many for columns.
 */
export async function findSeries(
  store: Store,
  format: MessageFormat,
  where: Where,
  fields: readonly string[],
): Promise<Series[]> {
  const found =
    format === 'senml' ? await senmlSeries(store, where) : await jsonSeries(store, where, fields);
  if (found.length > limits.wideColumnsMax) {
    throw new DomainError(
      'malformed',
      `shape: wide has at most ${limits.wideColumnsMax} columns, and there are more series; name a publisher or a name`,
    );
  }
  return found;
}

/** One more than there may be. */
const most = limits.wideColumnsMax + 1;

async function senmlSeries(store: Store, where: Where): Promise<Series[]> {
  const rows = await rowsOf(
    store,
    where,
    `SELECT toString(${keyOf('senml')}), toString(publisher), subtopic, toString(name), unit,
            arrayMap(one -> toString(one), groupUniqArray(kind))
     FROM ${messageTables.senml.name} WHERE ${where.text}
     GROUP BY publisher, subtopic, name, unit LIMIT ${most}`,
    Type.Tuple([Text, Text, Text, Text, Text, Type.Array(Text)]),
  );
  return rows.map(([key, publisher, subtopic, name, unit, kinds]) => {
    const [kind] = kinds;
    const holds = kinds.length > 1 ? 'text' : (holding[kind ?? ''] ?? 'text');
    return { key, publisher, subtopic, name, unit, holds };
  });
}

const holding: Readonly<Record<string, Series['holds']>> = { value: 'number', bool: 'bool' };

async function jsonSeries(
  store: Store,
  where: Where,
  fields: readonly string[],
): Promise<Series[]> {
  const keys = fields.map((_field, at) => `toString(${keyOf('json', at)})`);
  const counts = fields.map((field) => `count(${numberAt(jsonPaths(where, field))}) > 0`);
  const rows = await rowsOf(
    store,
    where,
    `SELECT [${keys.join(', ')}], toString(publisher), subtopic, [${counts.join(', ')}]
     FROM ${messageTables.json.name} WHERE ${where.text}
     GROUP BY publisher, subtopic LIMIT ${most}`,
    Type.Tuple([Type.Array(Text), Text, Text, Type.Array(Type.Integer())]),
  );
  return rows.flatMap(([all, publisher, subtopic, are]) =>
    fields.flatMap((name, at) =>
      are[at] === 1
        ? [{ key: all[at] ?? '0', publisher, subtopic, name, unit: '', holds: 'number' as const }]
        : [],
    ),
  );
}

const Text = Type.String();

async function rowsOf<Row extends TSchema>(
  store: Store,
  where: Where,
  query: string,
  row: Row,
): Promise<Static<Row>[]> {
  const lines = await text(await store.file(`${query} FORMAT JSONCompactEachRow`, where.bound));
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Value.Parse(row, JSON.parse(line)));
}
