import { DomainError } from '../../../schemas/http/errors.ts';
import { timeZoneOf } from '../../../schemas/http/time.ts';
import type {
  aggregationParameters,
  ParameterValues,
  ReaderQuery,
} from '../../../schemas/messages/query.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { type Interval, isWithin64Bits } from './intervals.ts';

/** How the messages of each bucket become one value. */
export type Aggregation = {
  type: NonNullable<ReaderQuery['agg_type']>;
  interval: Interval;
  /** How many intervals a bucket has. */
  count: number;
  /** The paths in a payload that are aggregated; of SenML, the name, if one was given. */
  fields: readonly string[];
  fill: NonNullable<ReaderQuery['agg_fill']>;
  /** As ClickHouse spells it; undefined is UTC. */
  zone: string | undefined;
};

/** The parameters of a page or an export that concern aggregation. An export has neither `agg_fields` nor a cursor. */
type AggregationQuery = ParameterValues<typeof aggregationParameters> &
  Pick<ReaderQuery, 'agg_fields' | 'cursor'>;

/** @throws DomainError `malformed` for an aggregation that lacks something. */
export function aggregationOf(
  format: MessageFormat,
  query: AggregationQuery,
): Aggregation | undefined {
  const { agg_type: type, agg_interval: interval, agg_value: count = 1, tz } = query;
  if (type === undefined && interval === undefined) return undefined;
  if (type === undefined) throw new DomainError('malformed', 'agg_type is missing');
  if (interval === undefined) throw new DomainError('malformed', 'agg_interval is missing');
  if (query.cursor !== undefined) {
    throw new DomainError('malformed', 'cursor: buckets have none');
  }
  const fields = format === 'senml' ? namesOf(query) : fieldsOf(query);
  if (format === 'json' && fields.length === 0) {
    throw new DomainError('malformed', 'agg_field is missing');
  }
  if (!isWithin64Bits(interval, count)) {
    throw new DomainError('malformed', 'agg_value: such an interval is too long');
  }
  return { type, interval, count, fields, fill: query.agg_fill ?? 'none', zone: zoneOf(tz) };
}

/** The paths that are aggregated or charted, each once. */
export function fieldsOf(query: AggregationQuery): string[] {
  const { agg_field: one = [], agg_fields: more = [] } = query;
  return [...new Set([one, more].flat())].filter((field) => field !== '');
}

/**
 * The name of the SenML records that are aggregated or charted, if one is given. Clients of the platform send `value`
 * for the value of all.
 *
 * @throws DomainError `malformed` for several: their values have nothing in common.
 */
export function namesOf(query: AggregationQuery): string[] {
  const names = fieldsOf(query).filter((field) => field !== 'value');
  if (names.length > 1) throw new DomainError('malformed', 'agg_field: SenML is of one name');
  return names;
}

/** @throws DomainError `malformed` for what is no name of a zone. */
function zoneOf(tz: string | undefined): string | undefined {
  if (tz === undefined) return undefined;
  const zone = timeZoneOf(tz);
  if (zone === undefined) throw new DomainError('malformed', 'tz is no time zone');
  return zone;
}
