import type { Query } from '../router.ts';

/** Values of parameters; a list is repeated. */
export type Parameters = Readonly<Record<string, unknown>>;

/** The address of a path of the API, wherever a proxy has put the service. */
export function address(path: string, query: Parameters | Query = {}): string {
  const url = new URL(path.slice(1), new URL('.', document.baseURI));
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      url.searchParams.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one));
    }
  }
  return url.href;
}
