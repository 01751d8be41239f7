import type { Static } from 'typebox';
import { Time, UntilTime } from '../http/time.ts';
import { protocolsInWords } from './protocols.ts';

/*
 * The reader's query: each of its parameters once. The API's routes, its document and the client's flags are made
 * from it. It is plain JSON Schema, so that the client's help does not load a library.
 *
 * A new filter is an entry in `filterParameters` and one in api/messages/query/conditions.ts, which the compiler
 * asks for.
 */

/** Which messages are read, followed, exported or deleted. */
export const filterParameters = {
  publisher: {
    type: 'string',
    format: 'uuid',
    description: 'Id of the thing that sent the messages. Without it: all things in reach.',
  },
  group_id: {
    type: 'string',
    format: 'uuid',
    description:
      'Id of a group: messages of the things that are in it now, as far as they are in reach. With `agg_*`: one value ' +
      'for each interval, over the messages of all of them.',
  },
  subtopic: {
    type: 'string',
    maxLength: 1_024,
    description: 'Subtopic, whole, its parts joined by dots: `room.one`.',
  },
  protocol: {
    type: 'string',
    maxLength: 254,
    description: `Protocol by which the messages came: ${protocolsInWords}.`,
  },
  name: {
    type: 'string',
    maxLength: 1_024,
    description:
      'Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload.',
  },
  name_prefix: {
    type: 'string',
    minLength: 1,
    maxLength: 1_024,
    description: 'SenML: what the name begins with: `room:` finds `room:temperature`.',
  },
  v: {
    type: 'number',
    description: 'SenML: a number to compare the value with (see `comparator`).',
  },
  comparator: {
    type: 'string',
    enum: ['eq', 'lt', 'le', 'gt', 'ge'],
    description:
      'SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), ' +
      'greater (`gt`), greater or equal (`ge`).',
  },
  vs: { type: 'string', maxLength: 65_536, description: 'SenML: string value, whole.' },
  vb: { type: 'boolean', description: 'SenML: boolean value.' },
  vd: {
    type: 'string',
    maxLength: 65_536,
    description: 'SenML: data value, in base64 as it was sent.',
  },
  filter: {
    type: 'string',
    minLength: 1,
    maxLength: 1_024,
    description: 'JSON: a dotted path that must be there in the payload: `motor.rpm`.',
  },
  from: { ...Time, description: `Earliest time, inclusive. ${Time.description}` },
  to: { ...UntilTime, description: `Latest time, inclusive. ${UntilTime.description}` },
} as const;

const field = { type: 'string', minLength: 1, maxLength: 1_024 } as const;

/** How messages are aggregated. */
export const aggregationParameters = {
  agg_type: {
    type: 'string',
    enum: ['min', 'max', 'avg', 'sum', 'count', 'first', 'last'],
    description: 'Aggregate of each interval, instead of the messages; with `agg_interval`.',
  },
  agg_interval: {
    type: 'string',
    enum: [
      'microsecond',
      'millisecond',
      'second',
      'minute',
      'hour',
      'day',
      'week',
      'month',
      'year',
    ],
    description: 'Unit of the intervals. Weeks begin on Monday.',
  },
  agg_value: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Units in an interval (default 1).',
  },
  agg_field: {
    anyOf: [field, { type: 'array', items: field, maxItems: 32 }],
    description:
      'What is aggregated, drawn by `points`, or compared by `changes`. JSON: dotted path of the number, or of any ' +
      'value that is compared, in the payload; aggregates may be of several. SenML: name of the records, as `name`; ' +
      'without it, or with `value`, all of them.',
  },
  agg_fill: {
    type: 'string',
    enum: ['none', 'null', 'zero', 'previous', 'linear'],
    description:
      'What stands in an interval without messages, from `from` or the first message to `to` or the last one: ' +
      'no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours.',
  },
  tz: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    description:
      'IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC).',
  },
} as const;

const dir = {
  type: 'string',
  enum: ['asc', 'desc'],
  default: 'desc',
  description: 'Order of time: `desc` is newest first.',
} as const;

const columns = {
  type: 'string',
  minLength: 1,
  maxLength: 8_192,
  description:
    'Names of columns with commas between them, in the order wanted: `time,name,value`. A message is then a flat ' +
    'object of these, without those that it lacks. SenML: all its members. JSON: `created`, `subtopic`, `publisher`, ' +
    '`protocol`, `payload`, and dotted paths of the payload: `motor.rpm`.',
} as const;

/** A page of messages. */
export const readParameters = {
  ...filterParameters,
  ...aggregationParameters,
  columns,
  points: {
    type: 'integer',
    minimum: 3,
    maximum: 10_000,
    description:
      'As many messages as this that draw the same line as all of them, instead of a page. JSON: of one ' +
      '`agg_field`.',
  },
  latest: {
    type: 'boolean',
    description:
      'The newest message of each series instead of a page, up to `limit`: SenML by thing and name, JSON by thing ' +
      'and subtopic. They come in the order of these.',
  },
  changes: {
    type: 'boolean',
    description:
      'Of the series of one thing only the messages whose value is another than that before, or that come after a ' +
      'silence: more than three usual steps without a message. Each says `until` when it was so. SenML: of one `name`. ' +
      'JSON: of the value at one `agg_field`, whatever its type.',
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
    default: 10,
    description: 'Messages, or intervals, in a page at most.',
  },
  offset: {
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'Messages, or intervals, left out before the page.',
  },
  dir,
  cursor: {
    type: 'string',
    maxLength: 8_192,
    description: '`next` of the page before: what follows it.',
  },
} as const;

/** A page of messages, asked for in a body. Clients of the platform call one parameter `agg_fields`. */
export const searchParameters = {
  ...readParameters,
  agg_fields: { ...readParameters.agg_field, description: 'The same as `agg_field`.' },
} as const;

/** A file of messages. */
export const exportParameters = {
  ...filterParameters,
  ...aggregationParameters,
  columns: {
    ...columns,
    description: `${columns.description} \`thing_name\` is the name that the thing has now.`,
  },
  shape: {
    type: 'string',
    enum: ['long', 'wide'],
    default: 'long',
    description:
      '`long`: a row for each message, or aggregate. `wide`: a row for each time and a column for each series, named ' +
      'after its thing, subtopic, name and unit. With `agg_*` the times are the intervals’; JSON messages have a series ' +
      'for each path that `agg_field` or `columns` names.',
  },
  dir: { ...dir, description: 'Direction of the order: `desc` begins with the newest.' },
  order: {
    type: 'string',
    enum: ['store', 'time'],
    default: 'store',
    description:
      '`store`: day by day, and within a day thing by thing and name by name, each by time; the quickest. ' +
      '`time`: by time, as the reader gives them. Aggregates come by time.',
  },
  time_format: {
    type: 'string',
    pattern: '^(?:[Uu][Nn][Ii][Xx]|[Rr][Ff][Cc]3339)$',
    description:
      'How times are written in `json`, `ndjson` and `csv`: `unix` as the reader does (the default), `rfc3339` ' +
      'as `2026-11-22T10:00:00.000000000Z`, in any letter case. Parquet and Arrow have timestamps.',
  },
  convert: {
    type: 'string',
    enum: ['json', 'csv', 'ndjson', 'parquet', 'arrow', 'arrows'],
    description:
      'Type of the file; without it `Accept` says, and otherwise it is `json`. `arrow` is the file format of Arrow ' +
      'IPC, `arrows` its stream.',
  },
  bom: {
    type: 'boolean',
    description:
      'CSV: begins with a byte order mark, by which Excel knows that it is UTF-8 (default `false`).',
  },
} as const;

/**
 * Messages to delete. A deletion has no pages and no aggregates, but clients of the platform send `offset=0`,
 * a `limit` and `agg_value` with each of theirs.
 */
export const deleteParameters = {
  ...filterParameters,
  offset: {
    type: 'integer',
    enum: [0],
    description: 'Taken because clients send it along. Everything that matches is deleted.',
  },
  limit: {
    type: 'integer',
    minimum: 0,
    description:
      'Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted.',
  },
  agg_value: {
    type: 'integer',
    enum: [1],
    description: 'Taken because clients send it along. A deletion knows no aggregates.',
  },
} as const;

type Value<Parameter> = Parameter extends { type: readonly ['integer', 'string'] }
  ? string // a time: a number of JavaScript's holds only 53 bits
  : Static<Parameter & {}>;

/** The values that a query gives to parameters. */
export type ParameterValues<Parameters> = {
  -readonly [Name in keyof Parameters]?: Value<Parameters[Name]>;
};

/** A parameter with a default always has a value. */
type Defaults<Parameters> = {
  [Name in keyof Parameters as Parameters[Name] extends { default: unknown } ? Name : never]: Value<
    Parameters[Name]
  >;
};

export type Filters = ParameterValues<typeof filterParameters>;
export type ReaderQuery = ParameterValues<typeof searchParameters> &
  Defaults<typeof readParameters>;
export type ExportQuery = ParameterValues<typeof exportParameters> &
  Defaults<typeof exportParameters>;
export type DeleteQuery = ParameterValues<typeof deleteParameters>;

/** The parameters that are times: JSON may have them as integers beyond 53 bits. */
export const timeParameters: ReadonlySet<string> = new Set(
  Object.entries(readParameters).flatMap(([name, parameter]) =>
    'type' in parameter && parameter.type === Time.type ? [name] : [],
  ),
);
