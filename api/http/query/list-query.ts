import { DomainError } from '../../../schemas/http/errors.ts';
import { describeFault, findFaultInText } from '../../../schemas/json/fault.ts';
import { limits } from '../../limits.ts';
import type { PageQuery } from '../../stores/page.ts';
import { findProblem } from '../body.ts';

/** The page and the filters of a list or a search. */
export type ListQuery = PageQuery & {
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  silent_since?: string | number;
  seen_since?: string | number;
  messages_since?: string | number;
  text?: string;
  heard?: boolean;
  refused?: boolean;
  /** JSON text from a query string, an object from a body. */
  metadata?: string | Record<string, unknown>;
};

/** The envelope of a list: exact total, the page and the filters as they were asked for. */
export function envelope(query: ListQuery, total: number) {
  const { metadata, limit, offset, cursor: _cursor, total_max: _totalMax, ...echoed } = query;
  return {
    // First: clients send members such as `total` along, and those mean nothing.
    ...echoed,
    total,
    offset: offset ?? 0,
    limit: limit ?? limits.pageLimitDefault,
    ...(metadata === undefined ? {} : { metadata: readObject(metadata) }),
  };
}

/**
 * The object that the metadata of what is listed must contain.
 *
 * @throws DomainError `malformed` for what is no JSON object, or is too large: Postgres compares each array of
 * it with each array that is stored.
 */
export function metadataFilterOf({ metadata }: ListQuery): Record<string, unknown> | undefined {
  if (metadata === undefined) return undefined;
  const filter = readObject(metadata);
  if (JSON.stringify(filter).length > limits.metadataFilterCharsMax) {
    throw new DomainError('malformed', `metadata is longer than ${limits.metadataFilterCharsMax}`);
  }
  if (itemsIn(filter) > limits.metadataFilterItemsMax) {
    throw new DomainError(
      'malformed',
      `metadata: more than ${limits.metadataFilterItemsMax} items`,
    );
  }
  return filter;
}

/** @throws DomainError `malformed` for what is no JSON object. */
function readObject(metadata: string | Record<string, unknown>): Record<string, unknown> {
  if (typeof metadata !== 'string') return metadata;
  const value = parseMetadata(metadata);
  if (isObject(value) && findProblem(value) === undefined) return value;
  throw new DomainError('malformed', 'metadata must be a JSON object');
}

/** @throws DomainError `malformed` for what is no JSON. */
function parseMetadata(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = findFaultInText(text);
    const where = fault === undefined ? '' : `: ${describeFault(fault, {}, 'element')}`;
    throw new DomainError('malformed', `metadata must be a JSON object${where}`);
  }
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
