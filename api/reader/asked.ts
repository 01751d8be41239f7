import { type Static, Type } from 'typebox';
import { Uuid } from '../../schemas/common.ts';
import { pageLimitDefault, readerLimitMax } from '../limits.ts';

/** Integer nanoseconds; text, because a number of JavaScript's holds only 53 bits. */
const Nanoseconds = Type.String({ pattern: '^[+-]?[0-9]{1,19}$' });

export const comparators = { eq: '=', lt: '<', le: '<=', gt: '>', ge: '>=' } as const;
export type Comparator = keyof typeof comparators;

const intervals = [
  'microsecond',
  'millisecond',
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'year',
] as const;
export type Interval = (typeof intervals)[number];

const Field = Type.String({ minLength: 1, maxLength: 1_024 });
const Text = Type.String({ maxLength: 65_536 });

/** Which messages are meant. */
const filters = {
  publisher: Type.Optional(Uuid),
  subtopic: Type.Optional(Type.String({ maxLength: 1_024 })),
  protocol: Type.Optional(Type.String({ maxLength: 254 })),
  name: Type.Optional(Type.String({ maxLength: 1_024 })),
  v: Type.Optional(Type.Number()),
  comparator: Type.Optional(Type.Enum(['eq', 'lt', 'le', 'gt', 'ge'])),
  vs: Type.Optional(Text),
  vb: Type.Optional(Type.Boolean()),
  vd: Type.Optional(Text),
  /** Of a payload: the path that must be there. */
  filter: Type.Optional(Field),
  from: Type.Optional(Nanoseconds),
  to: Type.Optional(Nanoseconds),
};

/** What is made of them. */
const aggregation = {
  agg_type: Type.Optional(Type.Enum(['min', 'max', 'avg', 'sum', 'count', 'first', 'last'])),
  agg_interval: Type.Optional(Type.Enum([...intervals])),
  agg_value: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  agg_field: Type.Optional(Type.Union([Field, Type.Array(Field, { maxItems: 32 })])),
  /** What stands in a bucket without messages, between the first and the last; none: there is no row. */
  agg_fill: Type.Optional(Type.Enum(['none', 'null', 'zero', 'previous', 'linear'])),
  /** An IANA time zone, in which days, weeks, months and years begin. */
  tz: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
};

/** As many messages as draw the same picture as all of them; pages do not apply then. */
const downsampling = { points: Type.Optional(Type.Integer({ minimum: 3, maximum: 10_000 })) };

export const Filters = Type.Object(filters);
export type Filters = Static<typeof Filters>;

/**
 * Whether a filter by itself leaves messages out that are in reach. `publisher` is a part of the reach,
 * `comparator` says how `v` is meant.
 */
const narrows: Readonly<Record<keyof Filters, boolean>> = {
  publisher: false,
  subtopic: true,
  protocol: true,
  name: true,
  v: true,
  comparator: false,
  vs: true,
  vb: true,
  vd: true,
  filter: true,
  from: true,
  to: true,
};

/** Whether all that is in reach is asked for. */
export function isUnfiltered(asked: Filters): boolean {
  return Object.entries(narrows).every(
    ([name, does]) => !does || Reflect.get(asked, name) === undefined,
  );
}

export const ReaderAsked = Type.Object({
  ...filters,
  ...aggregation,
  ...downsampling,
  limit: Type.Integer({ minimum: 1, maximum: readerLimitMax, default: pageLimitDefault }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
  /** `next` of a page before: what follows it. */
  cursor: Type.Optional(Type.String({ maxLength: 8_192 })),
});
export type ReaderAsked = Static<typeof ReaderAsked>;

export type AggregationAsked = Static<Type.TObject<typeof aggregation>>;

export const ExportAsked = Type.Object({
  ...filters,
  ...aggregation,
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
  order: Type.Enum(['store', 'time'], { default: 'store' }),
  time_format: Type.Optional(Type.String({ pattern: '^(?:[Uu][Nn][Ii][Xx]|[Rr][Ff][Cc]3339)$' })),
  convert: Type.Optional(Type.Enum(['json', 'csv', 'ndjson', 'parquet', 'arrow'])),
});
export type ExportAsked = Static<typeof ExportAsked>;

export const RangeAsked = Type.Object({
  from: Type.Optional(Nanoseconds),
  to: Type.Optional(Nanoseconds),
});
export type RangeAsked = Static<typeof RangeAsked>;
