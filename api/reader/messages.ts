import { dayOf, type MessageFormat, tables, type Where } from './conditions.ts';
import { type Direction, orderBy, placeColumns } from './order.ts';
import type { Store } from './store.ts';

/*
 * ClickHouse writes each message's JSON text itself, and no value passes through a number of ours on
 * its way.
 */
export const messageText: Readonly<Record<MessageFormat, string>> = {
  // A member that is null is left out: output_format_json_skip_null_value_in_named_tuples.
  senml: `
    toJSONString(CAST(
      tuple(publisher, protocol, nullIf(toString(subtopic), ''), name, nullIf(toString(unit), ''),
            reinterpret(time, 'Decimal64(9)'),
            if(kind = 'value', value, NULL), if(kind = 'string', text, NULL),
            if(kind = 'bool', value != 0, NULL), if(kind = 'data', text, NULL),
            sum, update_time),
      'Tuple(publisher UUID, protocol String, subtopic Nullable(String), name String,
             unit Nullable(String), time Decimal64(9), value Nullable(Float64),
             string_value Nullable(String), bool_value Nullable(Bool), data_value Nullable(String),
             sum Nullable(Float64), update_time Nullable(Float64))'))`,
  json: `
    concat('{"publisher":"', toString(publisher), '","protocol":', toJSONString(toString(protocol)),
           if(subtopic = '', '', concat(',"subtopic":', toJSONString(toString(subtopic)))),
           ',"created":', toString(created), ',"payload":', payload, '}')`,
};

/** How many messages there are. Leans on the projection `totals`, or on the sort key. */
export function countMessages(store: Store, format: MessageFormat, where: Where): Promise<string> {
  return store.text(`SELECT count() FROM ${tables[format].name} WHERE ${where.text}`, where.bound);
}

/** A message as JSON text, and its place in the order. */
export type PlacedText = { place: string[]; text: string };

/** A page that is on its way; to be closed, read or not. */
export type MessageTexts = { messages: AsyncIterable<PlacedText>; close: () => void };

/**
 * One page of messages. Leans on the sort key: days are read until there is enough, at first their times
 * alone, and then whole only what is as new as the page's last.
 */
export async function readMessages(
  store: Store,
  format: MessageFormat,
  where: Where,
  page: { limit: number; offset: number; dir: Direction },
): Promise<MessageTexts> {
  const places = placeColumns(format);
  const { name, time, day } = tables[format];
  const [direction, last, compare] =
    page.dir === 'asc' ? ['ASC', 'max', '<='] : ['DESC', 'min', '>='];
  const { batches, close } = await store.lines(
    `WITH (SELECT ${last}(place) FROM (
             SELECT ${time} AS place FROM ${name} WHERE ${where.text}
             ORDER BY ${day} ${direction}, ${time} ${direction}
             LIMIT {reached:UInt64})) AS last
     SELECT ${places.join(', ')}, ${messageText[format]}
     FROM ${name}
     WHERE ${day} ${compare} ${dayOf('last')} AND ${time} ${compare} last AND ${where.text}
     ORDER BY ${orderBy(format, page.dir)}
     LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    {
      ...where.bound,
      limit: page.limit,
      offset: page.offset,
      reached: page.limit + page.offset,
    },
  );
  return { messages: placed(batches, places.length), close };
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
