import { signal } from '@preact/signals';

/*
 * Addresses of the console stand after the `#`: the paths themselves are the API's. They survive a reload, can be sent
 * to others, and hold wherever a proxy puts the service.
 */

export type Query = Readonly<Record<string, string | undefined>>;

/** Where the console is: the path, and what is chosen on its page. */
type Address = { path: string; query: Query };

/** The parameters of the page's path. */
export type PageProps = { parameters: Readonly<Record<string, string>> };

type PlaceQuery = { org?: string | undefined; group?: string | undefined };

/**
 * The org or the group that one works in goes along from page to page, unless the address that one comes to has another. So a
 * link, a reload and a step back all say where one is.
 */
let keptPlace: PlaceQuery = {};

export const address = signal<Address>(arrive());

function readAddress(): Address {
  const [path = '', query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  return { path: path || '/', query: Object.fromEntries(new URLSearchParams(query)) };
}

function arrive(): Address {
  const { path, query } = readAddress();
  const { org, group } = query;
  if (org !== undefined || group !== undefined) keptPlace = { org, group };
  else if (keptPlace.org !== undefined || keptPlace.group !== undefined) {
    history.replaceState(null, '', linkTo(path, { ...query, ...keptPlace }));
  }
  return readAddress();
}

addEventListener('hashchange', () => {
  address.value = arrive();
});

/** Goes on with another org or group; with none, all that one sees. Filters of the page are left. */
export function workIn(place: PlaceQuery): void {
  keptPlace = place;
  const { path, query } = address.value;
  const { tab } = query;
  location.hash = linkTo(path, { tab, ...place });
}

/** The link to an address; what is undefined or empty in its query is left out. */
export function linkTo(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value = '']) =>
    value === '' ? [] : [[name, value]],
  );
  const text = new URLSearchParams(given).toString();
  return `#${path}${text === '' ? '' : `?${text}`}`;
}

export function goTo(path: string, query: Query = {}): void {
  location.hash = linkTo(path, query);
}

/** Changes what is chosen on this page. `replace` leaves no step to go back to. */
export function choose(change: Query, how: 'step' | 'replace' = 'step'): void {
  const { path, query } = address.value;
  const link = linkTo(path, { ...query, ...change });
  if (link === location.hash) return;
  history[how === 'step' ? 'pushState' : 'replaceState'](null, '', link);
  address.value = readAddress();
}

/** The parameters of a path that fits a pattern such as `/things/:id`. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (part.startsWith(':')) parameters[part.slice(1)] = decoded(value);
    else if (part !== value) return undefined;
  }
  return parameters;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
