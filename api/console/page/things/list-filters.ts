import { activeMs, silentMs } from '../../../../schemas/fleet-states.ts';
import type { Requests } from '../client/call.ts';
import type { Query } from '../router.ts';
import { thingTypes } from './thing-types.ts';

export type ListQuery = NonNullable<Requests['listThings']['query']>;

export const types = ['all', ...thingTypes] as const;
export const states = ['all', 'active', 'quiet', 'silent', 'never', 'refused'] as const;
export const orders = ['name', 'seen', 'created'] as const;

/** Below those that wait for the turn of a large page. */
const pageRows = 50;
/** More are not counted: it would cost more than the page. */
const countedMax = 10_000;

const oneOf = <Value extends string>(all: readonly Value[], given: string | undefined, or: Value) =>
  all.find((one) => one === given) ?? or;

/** The filters in the address. */
export function filtersOf(query: Query) {
  const order = oneOf(orders, query['order'], 'name');
  const usual = order === 'name' ? 'asc' : 'desc';
  return {
    text: query['name'] ?? '',
    type: oneOf(types, query['type'], 'all'),
    state: oneOf(states, query['state'], 'all'),
    org: query['org'] ?? '',
    group: query['group'] ?? '',
    profile: query['profile'] ?? '',
    order,
    dir: oneOf(['asc', 'desc'] as const, query['dir'], usual),
  };
}

export type Filters = ReturnType<typeof filtersOf>;

/** Whether they leave anything out. The place is where one is, and no filter. */
export const isFiltered = ({ text, type, state, profile }: Filters): boolean =>
  text !== '' || type !== 'all' || state !== 'all' || profile !== '';

/** `floor=2` asks for a member of metadata: a number, true or false, a text in quotes, or else as it stands. */
export function metadataIn(text: string): Record<string, unknown> | undefined {
  const at = text.indexOf('=');
  if (at < 1) return undefined;
  const [key, given] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  return { [key]: valueOf(given) };
}

/** A value as it is typed: a number, true or false, a text in quotes, or else a text as it stands. */
export function valueOf(given: string): unknown {
  if (!/^(?:true|false|null|-?\d+(?:\.\d+)?|".*")$/.test(given)) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

function heardIn(state: Filters['state'], now: number): ListQuery {
  const since = (ms: number) => new Date(now - ms).toISOString();
  if (state === 'active') return { seen_since: since(activeMs) };
  if (state === 'quiet') return { seen_since: since(silentMs), silent_since: since(activeMs) };
  if (state === 'silent') return { heard: true, silent_since: since(silentMs) };
  if (state === 'never') return { heard: false };
  return state === 'refused' ? { refused: true } : {};
}

const orderNames = { name: 'name', seen: 'last_seen', created: 'created_at' } as const;

/** Which things. */
function matching({ text, type, state }: Filters, now: number): ListQuery {
  const metadata = metadataIn(text);
  return {
    ...(metadata === undefined ? { text } : { metadata }),
    ...(type === 'all' ? {} : { type }),
    ...heardIn(state, now),
  };
}

/** A page of them as they are shown. */
export const pageQuery = (filters: Filters, cursor: string | undefined): ListQuery => ({
  ...matching(filters, Date.now()),
  order: orderNames[filters.order],
  dir: filters.dir,
  limit: pageRows,
  total_max: countedMax,
  ...(cursor === undefined ? {} : { cursor }),
});

/**
 * A page of all of them, for what is done to each: in an order in which nothing moves, and as of one moment. Otherwise a
 * thing that falls silent meanwhile would join them.
 */
export const walkQuery = (
  filters: Filters,
  now: number,
  cursor: string | undefined,
): ListQuery => ({
  ...matching(filters, now),
  order: 'id',
  dir: 'asc',
  limit: pageRows,
  total_max: 1,
  ...(cursor === undefined ? {} : { cursor }),
});
