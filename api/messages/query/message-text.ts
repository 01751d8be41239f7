import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { jsonTime, senmlTime, type TimeFormat } from './times.ts';

/*
 * ClickHouse writes each message's JSON text itself: no value passes through a number of JavaScript's.
 */

/** A message's JSON text, as SQL, with its time in the reader's own format. */
export const messageText: Readonly<Record<MessageFormat, string>> = {
  senml: messageTextWith('senml', 'unix'),
  json: messageTextWith('json', 'unix'),
};

export function messageTextWith(format: MessageFormat, times: TimeFormat): string {
  return format === 'senml' ? senmlText(times) : jsonText(times);
}

/** A member that is null is left out: output_format_json_skip_null_value_in_named_tuples. */
function senmlText(times: TimeFormat): string {
  const { time, type } = senmlTime('time', times);
  return `
    toJSONString(CAST(
      tuple(publisher, protocol, nullIf(subtopic, ''), name, nullIf(unit, ''),
            ${time},
            if(kind = 'value', value, NULL), if(kind = 'string', text, NULL),
            if(kind = 'bool', value != 0, NULL), if(kind = 'data', text, NULL),
            sum, update_time),
      'Tuple(publisher UUID, protocol String, subtopic Nullable(String), name String,
             unit Nullable(String), time ${type}, value Nullable(Float64),
             string_value Nullable(String), bool_value Nullable(Bool), data_value Nullable(String),
             sum Nullable(Float64), update_time Nullable(Float64))'))`;
}

function jsonText(times: TimeFormat): string {
  return `
    concat('{"publisher":"', toString(publisher), '","protocol":', toJSONString(protocol),
           if(subtopic = '', '', concat(',"subtopic":', toJSONString(subtopic))),
           ',"created":', toJSONString(${jsonTime('created', times)}), ',"payload":', payload, '}')`;
}
