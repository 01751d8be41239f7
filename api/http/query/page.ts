import type { QueryResultRow } from 'pg';
import { DomainError } from '../../../schemas/http/errors.ts';
import { findProblem } from '../body.ts';
import type { Database } from '../../stores/database.ts';
import {
  metadataFilterCharsMax,
  metadataFilterItemsMax,
  pageLargeFrom,
  pageLimitDefault,
} from '../../limits.ts';

/** What a list or a search was asked for, whichever of them it was. */
export type Asked = {
  limit?: number;
  offset?: number;
  order?: string;
  dir?: 'asc' | 'desc';
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  silent_since?: string | number;
  seen_since?: string | number;
  /** JSON text from a query string, an object from a body. */
  metadata?: string | Record<string, unknown>;
};

/** SQL conditions and the values they are bound to. Values never become text of the statement. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #all: string[] = [];
  #isHeavy = false;

  /** Whether a row may take long to be held against them. */
  get isHeavy(): boolean {
    return this.#isHeavy;
  }

  /** `$n` for a value. */
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Adds a condition that is a part of our own source, its values bound by `bind`. */
  add(condition: string): void {
    this.#all.push(condition);
  }

  /** The column holds the text, in whatever case. */
  holds(column: string, part: string | undefined): void {
    if (part === undefined || part === '') return;
    const pattern = `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
    this.add(`${column} ILIKE ${this.bind(pattern)}`);
  }

  equals(column: string, value: string | undefined): void {
    if (value === undefined || value === '') return;
    this.add(`${column} = ${this.bind(value)}`);
  }

  /** Containment. Leans on the table's GIN index over `metadata`. */
  contains(column: string, metadata: Asked['metadata']): void {
    if (metadata === undefined) return;
    const filter = asObject(metadata);
    const text = JSON.stringify(filter);
    if (text.length > metadataFilterCharsMax) {
      throw new DomainError('malformed', `metadata is longer than ${metadataFilterCharsMax}`);
    }
    if (itemsIn(filter) > metadataFilterItemsMax) {
      throw new DomainError('malformed', `metadata: more than ${metadataFilterItemsMax} items`);
    }
    this.#isHeavy = true;
    this.add(`${column} @> ${this.bind(text)}::jsonb`);
  }

  /** For WHERE. */
  get text(): string {
    return this.#all.length === 0 ? 'true' : this.#all.map((one) => `(${one})`).join(' AND ');
  }
}

export type Page<Row> = { total: number; rows: Row[] };

/**
 * One page, and how many rows there are in all, as of one moment. `columns`, `from` and the values of
 * `orders` are parts of our own source; `asked.order` only picks one of them. Ties go by `id`.
 */
export async function findPage<Row extends QueryResultRow>(
  db: Database,
  list: {
    columns: string;
    from: string;
    conditions: Conditions;
    /** By what a client names it. */
    orders: Readonly<Record<string, string>>;
    /** The column that makes the order total. */
    id: string;
  },
  asked: Asked,
): Promise<Page<Row>> {
  const { columns, from, conditions, orders, id } = list;
  const where = conditions.text;
  const direction = asked.dir === 'asc' ? 'ASC' : 'DESC';
  const by = orders[asked.order ?? 'id'] ?? id;
  const limit = conditions.bind(asked.limit ?? pageLimitDefault);
  const offset = conditions.bind(asked.offset ?? 0);
  const rows = await db.search<
    { total: string; position: string | null; bytes: number | null } & Row
  >(
    `SELECT counted.total, page.*
     FROM (SELECT count(*) AS total FROM ${from} WHERE ${where}) AS counted
     LEFT JOIN (
       SELECT sorted.*, row_number() OVER () AS position, octet_length(sorted::text) AS bytes
       FROM (
         SELECT ${columns}
         FROM ${from}
         WHERE ${where}
         ORDER BY ${by} ${direction}, ${id} ${direction}
         LIMIT ${limit} OFFSET ${offset}
       ) AS sorted
     ) AS page ON true
     ORDER BY page.position`,
    conditions.values,
    {
      isHeavy: conditions.isHeavy,
      isLarge: (asked.limit ?? pageLimitDefault) > pageLargeFrom,
    },
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    rows: rows.filter((row) => row.position !== null),
  };
}

/** The envelope of a list: exact total, what was asked for, and the filters echoed. */
export function envelope(asked: Asked, total: number) {
  const { metadata, limit, offset, ...echoed } = asked;
  return {
    // First: clients send members such as `total` along, and those mean nothing.
    ...echoed,
    total,
    offset: offset ?? 0,
    limit: limit ?? pageLimitDefault,
    ...(metadata === undefined ? {} : { metadata: asObject(metadata) }),
  };
}

/** @throws DomainError `malformed` for what is no JSON object. */
function asObject(metadata: string | Record<string, unknown>): Record<string, unknown> {
  if (typeof metadata !== 'string') return metadata;
  try {
    const value: unknown = JSON.parse(metadata);
    if (isObject(value) && findProblem(value) === undefined) return value;
  } catch {
    // Falls through to the same answer.
  }
  throw new DomainError('malformed', 'metadata must be a JSON object');
}

/** Items of arrays, at whatever depth: each is looked for in all of an array that is there. */
function itemsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  const own = Array.isArray(value) ? inner.length : 0;
  return inner.reduce<number>((sum, one) => sum + itemsIn(one), own);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
