import { DomainError } from '../../../schemas/http/errors.ts';
import type { Filters } from '../../../schemas/messages/query.ts';
import {
  dayOf,
  type MessageFormat,
  messageTables,
  publishersTable,
} from '../../../schemas/messages/tables.ts';
import type { WithTimes } from '../../http/query/time.ts';
import type { BoundedReach, Reach } from '../reach/reach.ts';
import { hasOneOf, isText, jsonPaths } from './payload.ts';
import { Where } from './where.ts';

/**
 * The WHERE of the messages that match the filters, within the reach.
 *
 * @throws DomainError `malformed` naming a filter that the format does not have, or that is out of range.
 */
export function whereOf(format: MessageFormat, filters: WithTimes<Filters>, reach: Reach): Where {
  const where = new Where();
  if (reach.kind !== 'all') where.add(isWithin(where, reach));
  for (const name of filterNames) addFilter(name, conditions, { where, format, filters });
  return where;
}

/** Whether there is no filter but the reach. */
export function isUnfiltered(filters: WithTimes<Filters>): boolean {
  const values: Partial<Values> = filters;
  return filterNames.every((name) => values[name] === undefined);
}

/** Filters that are conditions of their own: the publisher is in the reach, and the comparator belongs to `v`. */
type Values = Omit<Required<WithTimes<Filters>>, 'publisher' | 'comparator'>;
type Context = { where: Where; format: MessageFormat; filters: WithTimes<Filters> };
type Condition<Value> = (value: Value, context: Context) => string;
type Conditions = {
  readonly [Name in keyof Values]: Partial<Record<MessageFormat, Condition<Values[Name]>>>;
};

/** Each filter in SQL. A filter of only one format is refused for the other. */
const conditions: Conditions = {
  group_id: ofBoth((group, { where }) => isWithin(where, { kind: 'groups', groups: [group] })),
  subtopic: ofBoth((subtopic, { where }) => `subtopic = ${where.bind('String', subtopic)}`),
  protocol: ofBoth((protocol, { where }) => `protocol = ${where.bind('String', protocol)}`),
  name: {
    senml: (name, { where }) => `name = ${where.bind('String', name)}`,
    json: (name, { where }) => isText(`'name'`, where.bind('String', name)),
  },
  name_prefix: {
    senml: (prefix, { where }) => `startsWith(name, ${where.bind('String', prefix)})`,
  },
  v: {
    senml: (v, { where, filters: { comparator = 'eq' } }) =>
      `kind = 'value' AND value ${comparators[comparator]} ${where.bind('Float64', v)}`,
  },
  vs: { senml: (vs, { where }) => `kind = 'string' AND text = ${where.bind('String', vs)}` },
  vb: { senml: (vb, { where }) => `kind = 'bool' AND value = ${where.bind('UInt8', vb ? 1 : 0)}` },
  vd: { senml: (vd, { where }) => `kind = 'data' AND text = ${where.bind('String', vd)}` },
  filter: { json: (path, { where }) => hasOneOf(jsonPaths(where, path)) },
  from: ofBoth((from, { where, format }) =>
    timeBound(format, '>=', where.bind('Int64', String(from))),
  ),
  to: ofBoth((to, { where, format }) => timeBound(format, '<=', where.bind('Int64', String(to)))),
};

const filterNames = Object.keys(conditions).filter(isFilter);

function isFilter(name: string): name is keyof Values {
  return Object.hasOwn(conditions, name);
}

function ofBoth<Value>(condition: Condition<Value>): Record<MessageFormat, Condition<Value>> {
  return { senml: condition, json: condition };
}

const comparators = { eq: '=', lt: '<', le: '<=', gt: '>', ge: '>=' } as const;

function addFilter<Name extends keyof Values>(
  name: Name,
  all: Pick<Conditions, Name>,
  context: Context,
): void {
  const { where, format } = context;
  const filters: Partial<Values> = context.filters;
  const value: Values[Name] | undefined = filters[name];
  if (value === undefined) return;
  const condition: Condition<Values[Name]> | undefined = all[name][format];
  if (condition === undefined) {
    const other = format === 'senml' ? 'JSON' : 'SenML';
    throw new DomainError('malformed', `${name}: is of ${other} messages`);
  }
  where.add(condition(value, context));
}

/** A group's things are looked up in ClickHouse, so that no query grows with their number. */
export function isWithin(where: Where, reach: BoundedReach): string {
  if (reach.kind === 'groups') {
    const groups = where.bind('Array(UUID)', reach.groups);
    return `publisher IN (SELECT publisher FROM ${publishersTable} FINAL WHERE group_id IN ${groups})`;
  }
  const { publishers } = reach;
  const [only] = publishers;
  return only !== undefined && publishers.length === 1
    ? `publisher = ${where.bind('UUID', only)}`
    : `publisher IN ${where.bind('Array(UUID)', publishers)}`;
}

/** Leaves only SenML records of this name, if there is one: what `agg_field` is of SenML. */
export function addName(where: Where, [name]: readonly string[]): void {
  if (name !== undefined) where.add(`name = ${where.bind('String', name)}`);
}

/** With the day beside the time: ClickHouse does not see that one follows from the other. */
export function timeBound(format: MessageFormat, comparison: '>=' | '<=', bound: string): string {
  const { time, day } = messageTables[format];
  return `${day} ${comparison} ${dayOf(bound)} AND ${time} ${comparison} ${bound}`;
}
