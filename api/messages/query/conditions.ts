import { DomainError } from '../../../schemas/http/errors.ts';
import { filters, type Filters } from '../../../schemas/messages/query.ts';
import {
  dayOf,
  type MessageFormat,
  messageTables,
  publishersTable,
} from '../../../schemas/messages/tables.ts';
import { readTime } from '../../http/query/time.ts';
import { hasOneOf, isText } from './payload.ts';
import type { Reach } from '../reach/reach.ts';
import type { Bound } from '../store/store.ts';

/**
 * What a query selects by: conditions that are our own text, and the values that ClickHouse binds to
 * their placeholders.
 */
export class Where {
  readonly bound: Record<string, Bound[string]> = {};
  readonly #all: string[] = [];

  /** A placeholder for a value of a ClickHouse type. */
  bind(type: string, value: Bound[string]): string {
    const name = `p${Object.keys(this.bound).length}`;
    this.bound[name] = value;
    return `{${name}:${type}}`;
  }

  add(condition: string): void {
    this.#all.push(condition);
  }

  get text(): string {
    return this.#all.length === 0 ? 'true' : this.#all.join(' AND ');
  }
}

/** As deep as a message may be. */
const pathPartsMax = 32;

/**
 * The messages that are asked for, as far as the reach goes.
 *
 * @throws DomainError `malformed` naming a filter that the format does not have, or that is out of range.
 */
export function selectMessages(format: MessageFormat, asked: Filters, reach: Reach): Where {
  const where = new Where();
  if (reach !== 'all') where.add(within(where, reach));
  for (const name of filterNames) addFilter(name, conditions[format], where, asked);
  return where;
}

const filterNames = Object.keys(filters).filter(isFilter);

function isFilter(name: string): name is keyof Filters {
  return Object.hasOwn(filters, name);
}

type Values = Required<Filters>;
/** Adds what a filter means. */
type Conditions = {
  [Name in keyof Values]: (where: Where, value: Values[Name], asked: Filters) => void;
};

function addFilter<Name extends keyof Values>(
  name: Name,
  all: Pick<Conditions, Name>,
  where: Where,
  asked: Partial<Values>,
): void {
  const value: Values[Name] | undefined = asked[name];
  if (value !== undefined) all[name](where, value, asked);
}

/** A publisher is a part of the reach, and a comparator says how `v` is meant. */
const noneOfItsOwn = () => undefined;

/** Whether all that is in reach is asked for. */
export function isUnfiltered(asked: Filters): boolean {
  return filterNames.every(
    (name) => asked[name] === undefined || conditions.senml[name] === noneOfItsOwn,
  );
}

const comparators = { eq: '=', lt: '<', le: '<=', gt: '>', ge: '>=' } as const;

const ofBoth = (format: MessageFormat) => ({
  publisher: noneOfItsOwn,
  comparator: noneOfItsOwn,
  subtopic: (where: Where, subtopic: string) => {
    where.add(`subtopic = ${where.bind('String', subtopic)}`);
  },
  protocol: (where: Where, protocol: string) => {
    where.add(`protocol = ${where.bind('String', protocol)}`);
  },
  from: (where: Where, from: string) => {
    boundTime(format, where, '>=', where.bind('Int64', String(readTime('from', from))));
  },
  to: (where: Where, to: string) => {
    boundTime(format, where, '<=', where.bind('Int64', String(readTime('to', to))));
  },
});

const conditions: Readonly<Record<MessageFormat, Conditions>> = {
  senml: {
    ...ofBoth('senml'),
    name: (where, name) => where.add(`name = ${where.bind('String', name)}`),
    v: (where, v, { comparator = 'eq' }) =>
      where.add(`kind = 'value' AND value ${comparators[comparator]} ${where.bind('Float64', v)}`),
    vs: (where, vs) => where.add(`kind = 'string' AND text = ${where.bind('String', vs)}`),
    vb: (where, vb) => where.add(`kind = 'bool' AND value = ${where.bind('UInt8', vb ? 1 : 0)}`),
    vd: (where, vd) => where.add(`kind = 'data' AND text = ${where.bind('String', vd)}`),
    filter: () => isOf('filter', 'JSON'),
  },
  json: {
    ...ofBoth('json'),
    name: (where, name) => where.add(isText(`'name'`, where.bind('String', name))),
    v: () => isOf('v', 'SenML'),
    vs: () => isOf('vs', 'SenML'),
    vb: () => isOf('vb', 'SenML'),
    vd: () => isOf('vd', 'SenML'),
    filter: (where, path) => where.add(hasOneOf(jsonPaths(where, path))),
  },
};

function isOf(filter: keyof Filters, format: string): never {
  throw new DomainError('malformed', `${filter}: is of ${format} messages`);
}

/** By group: which things those have is looked up in ClickHouse, so that no query grows with them. */
function within(where: Where, reach: Exclude<Reach, 'all'>): string {
  if ('groups' in reach) {
    const groups = where.bind('Array(UUID)', reach.groups);
    return `publisher IN (SELECT publisher FROM ${publishersTable} FINAL WHERE group_id IN ${groups})`;
  }
  const { publishers } = reach;
  const [only] = publishers;
  return only !== undefined && publishers.length === 1
    ? `publisher = ${where.bind('UUID', only)}`
    : `publisher IN ${where.bind('Array(UUID)', publishers)}`;
}

/** The day stands beside the time: ClickHouse does not see that one follows from the other. */
export function boundTime(
  format: MessageFormat,
  where: Where,
  comparison: '>=' | '<=',
  bound: string,
): void {
  const { time, day } = messageTables[format];
  where.add(`${day} ${comparison} ${dayOf(bound)}`);
  where.add(`${time} ${comparison} ${bound}`);
}

/** Where a path may lead in a payload, as `placeBinder` writes it. */
export function jsonPaths(where: Where, path: string): string[] {
  return placeBinder(where)(placesOf(path, true));
}

/**
 * Where a path may lead in a payload, each as the names on the way: down by all of its dots; or, where names may
 * have dots, flat under the whole path, as a transformer's filters store a value, or down by some. Deeper than
 * ingest takes messages there is nothing.
 */
export function placesOf(path: string, hasDottedNames: boolean): string[][] {
  const parts = path.split('.');
  if (!hasDottedNames) return [parts];
  return parts
    .slice(0, pathPartsMax)
    .map((_part, at) => [...parts.slice(0, at), parts.slice(at).join('.')]);
}

/** Writes places as arguments of ClickHouse's JSON functions, and binds each name once, however many have it. */
export function placeBinder(where: Where): (places: readonly string[][]) => string[] {
  const known = new Map<string, string>();
  const bind = (name: string) => {
    const placeholder = known.get(name) ?? where.bind('String', name);
    known.set(name, placeholder);
    return placeholder;
  };
  return (places) => places.map((names) => names.map(bind).join(', '));
}
