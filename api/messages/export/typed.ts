import { json } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import type { ChosenColumn } from '../columns/chosen.ts';
import { pathCells } from '../columns/paths.ts';
import { type ThingNames, thingName } from '../columns/thing-names.ts';
import { jsonPaths, numberAt } from '../query/payload.ts';
import { timestamp } from '../query/times.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';

/** Columns of files with types, in the order of a whole row: times are timestamps, a value that is lacking is null. */
const columnsOf: Readonly<Record<MessageFormat, Readonly<Record<string, string>>>> = {
  senml: {
    subtopic: `nullIf(subtopic, '')`,
    publisher: 'toString(publisher)',
    protocol: 'protocol',
    name: 'toString(name)',
    unit: `nullIf(unit, '')`,
    value: `if(kind = 'value', value, NULL)`,
    string_value: `if(kind = 'string', text, NULL)`,
    bool_value: `if(kind = 'bool', toBool(value != 0), NULL)`,
    data_value: `if(kind = 'data', text, NULL)`,
    sum: 'sum',
    time: timestamp('time'),
    update_time: 'update_time',
  },
  json: {
    created: timestamp('created'),
    subtopic: `nullIf(subtopic, '')`,
    publisher: 'toString(publisher)',
    protocol: 'protocol',
    payload: 'payload',
  },
};

/** The SELECT of a file with types, and the one around it, which gives its columns their names. */
type TypedColumns = { before?: string; select: string; renamed: string };

/** All columns. */
export const typedColumns = (format: MessageFormat): TypedColumns =>
  named(Object.entries(columnsOf[format]));

/** The chosen columns of these rows. A path of which all values are numbers is a column of numbers, any other of texts. */
export async function chosenTyped(
  store: Store,
  format: MessageFormat,
  columns: readonly ChosenColumn[],
  { where, names, from }: { where: Where; names: ThingNames | undefined; from: string },
): Promise<TypedColumns> {
  const found = pathCells(where, columns, { ofText: (text) => text, ofJson: (text) => text });
  const before = found.before.length === 0 ? '' : `WITH ${found.before.join(', ')}`;
  const numbers = columns.map((column) =>
    column.kind === 'path' ? numberAt(jsonPaths(where, column.path)) : undefined,
  );
  const pairs = found.cells.flatMap((cell, at) =>
    cell === undefined ? [] : [`count(${cell}) = count(${numbers[at]})`],
  );
  const areNumbers = await told(
    store,
    where,
    `${before} SELECT [${pairs.join(', ')}] FROM ${from}`,
  );
  const all = columns.map(({ name }, at): [string, string] => {
    const cell = found.cells[at];
    if (cell !== undefined)
      return [name, areNumbers.shift() === true ? (numbers[at] ?? cell) : cell];
    const fixed = name === 'thing_name' ? thingName(where, names) : columnsOf[format][name];
    return [name, fixed ?? 'NULL'];
  });
  return { before, ...named(all) };
}

/** Answers to questions that are asked of all rows at once. */
async function told(store: Store, where: Where, query: string): Promise<boolean[]> {
  if (query.includes('SELECT []')) return [];
  const file = await store.file(`${query} FORMAT JSONCompactColumns`, where.bound);
  const [[answers = []] = []] = Value.Parse(Answers, await json(file));
  return answers.map((one) => one === 1);
}

const Answers = Type.Array(Type.Array(Type.Array(Type.Integer())));

/**
 * Through a Distributed table ClickHouse refuses an alias that has the name of a column which is an alias itself, as
 * `value` is. So columns get their names in a SELECT around the first.
 */
function named(columns: readonly (readonly [name: string, sql: string])[]) {
  return {
    select: columns.map(([, sql], at) => `${sql} AS column${at}`).join(', '),
    renamed: columns.map(([name], at) => `column${at} AS ${identifier(name)}`).join(', '),
  };
}

/** Any text as the name of a column. */
export function identifier(text: string): string {
  const escaped = text.replaceAll(/[\\`]/g, '\\$&').replaceAll(/\p{Cc}/gu, ' ');
  return `\`${escaped}\``;
}
