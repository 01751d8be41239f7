import type { Where } from './conditions.ts';
import { dayOf, type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { type Direction, orderBy, placeColumns, type Start } from './order.ts';
import type { Store } from '../store/store.ts';
import { jsonTime, senmlTime, type TimeFormat } from './times.ts';

/*
 * ClickHouse writes each message's JSON text itself, and no value passes through a number of ours on
 * its way.
 */
export const messageText: Readonly<Record<MessageFormat, string>> = {
  senml: messageTextWith('senml', 'unix'),
  json: messageTextWith('json', 'unix'),
};

/** A message's JSON text, its time written so. */
export function messageTextWith(format: MessageFormat, times: TimeFormat): string {
  if (format === 'json') {
    return `
    concat('{"publisher":"', toString(publisher), '","protocol":', toJSONString(toString(protocol)),
           if(subtopic = '', '', concat(',"subtopic":', toJSONString(toString(subtopic)))),
           ',"created":', toJSONString(${jsonTime('created', times)}), ',"payload":', payload, '}')`;
  }
  const { time, type } = senmlTime('time', times);
  // A member that is null is left out: output_format_json_skip_null_value_in_named_tuples.
  return `
    toJSONString(CAST(
      tuple(publisher, protocol, nullIf(toString(subtopic), ''), name, nullIf(toString(unit), ''),
            ${time},
            if(kind = 'value', value, NULL), if(kind = 'string', text, NULL),
            if(kind = 'bool', value != 0, NULL), if(kind = 'data', text, NULL),
            sum, update_time),
      'Tuple(publisher UUID, protocol String, subtopic Nullable(String), name String,
             unit Nullable(String), time ${type}, value Nullable(Float64),
             string_value Nullable(String), bool_value Nullable(Bool), data_value Nullable(String),
             sum Nullable(Float64), update_time Nullable(Float64))'))`;
}

/** How many messages there are. Leans on the projection `totals`, or on the sort key. */
export function countMessages(store: Store, format: MessageFormat, where: Where): Promise<string> {
  return store.text(
    `SELECT count() FROM ${messageTables[format].name} WHERE ${where.text}`,
    where.bound,
  );
}

/** A message as JSON text, and its place in the order. */
export type PlacedText = { place: string[]; text: string };

/** A page that is on its way; to be closed, read or not. */
export type MessageTexts = { messages: AsyncIterable<PlacedText>; close: () => void };

type Asked = { limit: number; offset: number; dir: Direction; start: Start | undefined };

/**
 * One page of messages. Leans on the sort key: days are read until there is enough, at first their times
 * alone, and then whole only what is as new as the page's last.
 */
export async function readMessages(
  store: Store,
  format: MessageFormat,
  where: Where,
  asked: Asked,
): Promise<MessageTexts> {
  const places = placeColumns(format);
  const { name, time, day } = messageTables[format];
  const { direction, last, upTo } = walks[asked.dir];
  const { start } = asked;
  const near = await lastWithinDay(store, format, where, asked);
  const { batches, close } = await store.lines(
    `WITH ${
      near === undefined
        ? `ifNull((SELECT ${last}OrNull(place) FROM (
             SELECT ${time} AS place FROM ${name} WHERE ${where.text} AND ${beyond(format, asked)}
             ORDER BY ${day} ${direction}, ${time} ${direction}
             LIMIT {reached:UInt64})), ${start?.time ?? 0})`
        : where.bind('Int64', near)
    } AS last
     SELECT ${places.join(', ')}, ${messageText[format]}
     FROM ${name}
     WHERE ${day} ${upTo} ${dayOf('last')} AND ${time} ${upTo} last AND ${where.text}
           AND ${start?.behind ?? 'true'}
     ORDER BY ${orderBy(format, asked.dir)}
     LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    {
      ...where.bound,
      limit: asked.limit,
      offset: asked.offset,
      reached: asked.limit + asked.offset,
    },
  );
  return { messages: placed(batches, places.length), close };
}

const walks = {
  asc: { direction: 'ASC', last: 'max', upTo: '<=' },
  desc: { direction: 'DESC', last: 'min', upTo: '>=' },
} as const;

/** Only times beyond the start's own: those of the same time may stand before it. */
function beyond(format: MessageFormat, { start, dir }: Asked): string {
  if (start === undefined) return 'true';
  return `${messageTables[format].time} ${dir === 'asc' ? '>' : '<'} ${start.time}`;
}

/** A time that the page does not reach beyond, where it ends within the day it starts at. */
async function lastWithinDay(
  store: Store,
  format: MessageFormat,
  where: Where,
  asked: Asked,
): Promise<string | undefined> {
  const { limit, offset, dir, start } = asked;
  if (start === undefined) return undefined;
  const { name, time, day } = messageTables[format];
  const { direction, last } = walks[dir];
  const reached = limit + offset;
  const text = await store.text(
    `SELECT ${last}(place), count() FROM (
       SELECT ${time} AS place FROM ${name}
       WHERE ${day} = ${dayOf(start.time)} AND ${where.text} AND ${beyond(format, asked)}
       ORDER BY ${time} ${direction} LIMIT {reached:UInt64})`,
    { ...where.bound, reached },
  );
  const [place, count] = text.split('\t');
  return Number(count) === reached ? place : undefined;
}

async function* placed(
  batches: AsyncIterable<{ text: string }[]>,
  places: number,
): AsyncGenerator<PlacedText> {
  for await (const rows of batches) {
    for (const row of rows) {
      const fields = row.text.split('\t', places);
      yield { place: fields, text: row.text.slice(fields.join('\t').length + 1) };
    }
  }
}
