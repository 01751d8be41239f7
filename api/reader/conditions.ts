import { DomainError } from '../../schemas/errors.ts';
import { comparators, type Filters } from './asked.ts';
import { hasOneOf, isText } from './payload.ts';
import type { Reach } from './reach.ts';
import type { Bound } from './store.ts';

export type MessageFormat = 'senml' | 'json';

/** What the tables are sorted by first: the day of a time. */
export const dayOf = (time: string): string => `intDiv(${time}, 86400000000000)`;

/** The table of each format, where the time of a message stands in it, and that time's day. */
export const tables: Readonly<Record<MessageFormat, { name: string; time: string; day: string }>> =
  {
    senml: { name: 'senml', time: 'time', day: dayOf('time') },
    json: { name: 'json', time: 'created', day: dayOf('created') },
  };

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
  const from = nanoseconds('from', asked.from);
  const to = nanoseconds('to', asked.to);
  if (from !== undefined) boundTime(format, where, '>=', where.bind('Int64', from));
  if (to !== undefined) boundTime(format, where, '<=', where.bind('Int64', to));
  if (asked.subtopic !== undefined) {
    where.add(`subtopic = ${where.bind('String', asked.subtopic)}`);
  }
  if (asked.protocol !== undefined) {
    where.add(`protocol = ${where.bind('String', asked.protocol)}`);
  }
  if (format === 'senml') addSenmlFilters(where, asked);
  else addJsonFilters(where, asked);
  return where;
}

/** By group: which things those have is looked up in ClickHouse, so that no query grows with them. */
function within(where: Where, reach: Exclude<Reach, 'all'>): string {
  if ('groups' in reach) {
    const groups = where.bind('Array(UUID)', reach.groups);
    return `publisher IN (SELECT publisher FROM publishers FINAL WHERE group_id IN ${groups})`;
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
  const { time, day } = tables[format];
  where.add(`${day} ${comparison} ${dayOf(bound)}`);
  where.add(`${time} ${comparison} ${bound}`);
}

function addSenmlFilters(where: Where, asked: Filters): void {
  const { name, v, comparator, vs, vb, vd, filter } = asked;
  if (filter !== undefined) throw new DomainError('malformed', 'filter: is of JSON messages');
  if (name !== undefined) where.add(`name = ${where.bind('String', name)}`);
  if (v !== undefined) {
    const operator = comparators[comparator ?? 'eq'];
    where.add(`kind = 'value' AND value ${operator} ${where.bind('Float64', v)}`);
  }
  if (vs !== undefined) where.add(`kind = 'string' AND text = ${where.bind('String', vs)}`);
  if (vb !== undefined) where.add(`kind = 'bool' AND value = ${where.bind('UInt8', vb ? 1 : 0)}`);
  if (vd !== undefined) where.add(`kind = 'data' AND text = ${where.bind('String', vd)}`);
}

const senmlFilters = ['v', 'vs', 'vb', 'vd'] as const;

function addJsonFilters(where: Where, asked: Filters): void {
  const foreign = senmlFilters.find((name) => asked[name] !== undefined);
  if (foreign !== undefined) throw new DomainError('malformed', `${foreign}: is of SenML messages`);
  if (asked.name !== undefined) {
    where.add(isText(`'name'`, where.bind('String', asked.name)));
  }
  if (asked.filter !== undefined) {
    where.add(hasOneOf(jsonPaths(where, asked.filter)));
  }
}

/**
 * Where a path may lead in a payload, as arguments of ClickHouse's JSON functions: flat under the whole
 * path, as a transformer's filters store a value, or down by some of its dots. Deeper than ingest takes
 * messages there is nothing.
 */
export function jsonPaths(where: Where, path: string): string[] {
  const parts = path.split('.').slice(0, pathPartsMax);
  const whole = where.bind('String', path);
  const bound = parts.map((part) => where.bind('String', part));
  const places = bound.slice(1).map((_, at) => {
    const rest = where.bind(
      'String',
      path
        .split('.')
        .slice(at + 1)
        .join('.'),
    );
    return [...bound.slice(0, at + 1), rest].join(', ');
  });
  return [whole, ...places];
}

/** @throws DomainError `malformed` for what is not within 64 bits. */
function nanoseconds(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  if (BigInt.asIntN(64, value) !== value) {
    throw new DomainError('malformed', `${field} is beyond 64 bits`);
  }
  return String(value);
}
