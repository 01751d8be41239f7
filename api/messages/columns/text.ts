import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import {
  type Member,
  messageText,
  type MessageText,
  objectText,
  senmlMembers,
} from '../query/message-text.ts';
import { jsonTime, type TimeFormat } from '../query/times.ts';
import { Where } from '../query/where.ts';
import type { ChosenColumn } from './chosen.ts';
import { pathCells } from './paths.ts';
import { type ThingNames, thingName } from './thing-names.ts';

/** The text of chosen columns is made with these. Values and names are bound to `where`. */
type TextRequest = {
  format: MessageFormat;
  where: Where;
  times: TimeFormat;
  names: ThingNames | undefined;
};

/** The JSON text of an object that has the chosen columns of a message, or a bucket, and is as flat as a CSV's row. */
export function chosenText(columns: readonly ChosenColumn[], request: TextRequest): string {
  return request.format === 'senml' ? senmlObject(columns, request) : jsonObject(columns, request);
}

/** The text of a page's messages: whole, or of chosen columns. */
export function pageText(
  format: MessageFormat,
  columns: readonly ChosenColumn[] | undefined,
): MessageText {
  if (columns === undefined) return { sql: messageText[format], bound: {} };
  const where = new Where(undefined, 'text');
  const sql = chosenText(columns, { format, where, times: 'unix', names: undefined });
  return { sql, bound: where.bound };
}

function senmlObject(
  columns: readonly ChosenColumn[],
  { where, times, names }: TextRequest,
): string {
  const nameOfThing: Member = {
    sql: thingName(where, names),
    type: 'Nullable(String)',
  };
  const known: Readonly<Record<string, Member>> = {
    ...senmlMembers(times),
    thing_name: nameOfThing,
  };
  const members = columns.map(({ name }): [string, Member] => {
    const { sql, type } = known[name] ?? nameOfThing;
    // Those of a bucket may be null.
    return [name, { sql, type: type.startsWith('Nullable') ? type : `Nullable(${type})` }];
  });
  return objectText(Object.fromEntries(members));
}

function jsonObject(
  columns: readonly ChosenColumn[],
  { where, times, names }: TextRequest,
): string {
  const { before, cells } = pathCells(where, columns, {
    ofText: (text) => `toJSONString(${text})`,
    ofJson: (json) => json,
  });
  const fixed: Readonly<Record<string, () => string>> = {
    created: () => `toJSONString(${jsonTime('created', times)})`,
    subtopic: () => `toJSONString(nullIf(subtopic, ''))`,
    publisher: () => 'toJSONString(publisher)',
    protocol: () => 'toJSONString(protocol)',
    payload: () => 'payload',
    thing_name: () => `toJSONString(${thingName(where, names)})`,
  };
  const members = columns.map((column, at) => {
    const cell = cells[at] ?? fixed[column.name]?.() ?? 'NULL';
    const label = where.bind('String', `${JSON.stringify(column.name)}:`);
    return `ifNull(concat(${label}, nullIf(${cell}, 'null')), '')`;
  });
  const all = [...before.map((one) => `substring(${one}, 1, 0)`), ...members];
  return `
    concat('{', arrayStringConcat(arrayFilter(member -> member != '', [${all.join(', ')}]), ','), '}')`;
}
