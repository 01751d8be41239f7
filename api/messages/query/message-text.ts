import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import type { Bound } from '../../../infra/runtime/stores/clickhouse-ask.ts';
import { jsonTime, senmlTime, type TimeFormat } from './times.ts';

/*
 * ClickHouse writes each message's JSON text itself: no value passes through a number of JavaScript's.
 */

/** JSON text of a message, as SQL, and the values that are bound in it. */
export type MessageText = { sql: string; bound: Record<string, Bound[string]> };

/** A message's JSON text, as SQL, with its time in the reader's own format. */
export const messageText: Readonly<Record<MessageFormat, string>> = {
  senml: messageTextWith('senml', 'unix'),
  json: messageTextWith('json', 'unix'),
};

export function messageTextWith(format: MessageFormat, times: TimeFormat): string {
  return format === 'senml' ? senmlText(times) : jsonText(times);
}

/** A value of a message as SQL, null where the message has none, and its type. */
export type Member = { sql: string; type: string };

/** The members of a SenML message, in their order. */
export function senmlMembers(times: TimeFormat) {
  const { time, type } = senmlTime('time', times);
  return {
    publisher: { sql: 'publisher', type: 'UUID' },
    protocol: { sql: 'protocol', type: 'String' },
    subtopic: { sql: `nullIf(subtopic, '')`, type: 'Nullable(String)' },
    name: { sql: 'name', type: 'String' },
    unit: { sql: `nullIf(unit, '')`, type: 'Nullable(String)' },
    time: { sql: time, type },
    value: { sql: `if(kind = 'value', value, NULL)`, type: 'Nullable(Float64)' },
    string_value: { sql: `if(kind = 'string', text, NULL)`, type: 'Nullable(String)' },
    bool_value: { sql: `if(kind = 'bool', value != 0, NULL)`, type: 'Nullable(Bool)' },
    data_value: { sql: `if(kind = 'data', text, NULL)`, type: 'Nullable(String)' },
    sum: { sql: 'sum', type: 'Nullable(Float64)' },
    update_time: { sql: 'update_time', type: 'Nullable(Float64)' },
  };
}

function senmlText(times: TimeFormat): string {
  return objectText(senmlMembers(times));
}

/**
 * The text of an object, as SQL. A member that is null is left out: output_format_json_skip_null_value_in_named_tuples.
 * Names are our own, and need no quotes.
 */
export function objectText(members: Readonly<Record<string, Member>>): string {
  const all = Object.entries(members);
  return `
    toJSONString(CAST(
      tuple(${all.map(([, { sql }]) => sql).join(', ')}),
      'Tuple(${all.map(([name, { type }]) => `${name} ${type}`).join(', ')})'))`;
}

function jsonText(times: TimeFormat): string {
  return `
    concat('{"publisher":"', toString(publisher), '","protocol":', toJSONString(protocol),
           if(subtopic = '', '', concat(',"subtopic":', toJSONString(subtopic))),
           ',"created":', toJSONString(${jsonTime('created', times)}), ',"payload":', payload, '}')`;
}
