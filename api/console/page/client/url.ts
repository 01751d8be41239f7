import { parametersOf, type QueryValue } from '../../../../schemas/client/request.ts';

export type Parameters = Readonly<Record<string, QueryValue>>;

/** The address of a path of the API, wherever a proxy has put the service. Empty parameters are left out. */
export function urlOf(path: string, query: Parameters = {}): string {
  const url = new URL(path.slice(1), new URL('.', document.baseURI));
  const given = Object.entries(query).filter(([, value]) => value !== '');
  url.search = parametersOf(Object.fromEntries(given)).toString();
  return url.href;
}
