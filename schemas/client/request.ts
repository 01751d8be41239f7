import { routes } from './generated/routes.ts';
import type { Method, OperationName } from './generated/types.ts';

/** Requests as a page and a program make them alike. */

export type QueryValue = string | number | boolean | object | undefined;

/** The request of any operation. */
export type AnyRequest = {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, QueryValue>>;
  body?: unknown;
};

/** Where an operation is, with the ids filled in. */
export function routeOf(
  name: OperationName,
  ids: Readonly<Record<string, string>> = {},
): { method: Method; path: string } {
  const [method, pattern] = routes[name];
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_whole, id: string) =>
    encodeURIComponent(ids[id] ?? ''),
  );
  return { method, path };
}

/** Whether it changes nothing, so that it may be asked again where the server asks to wait. */
export function isRead(name: OperationName): boolean {
  return routes[name][0] === 'GET' || name.startsWith('search') || name === 'identifyThing';
}

/** Absent members are left out, lists are repeated, objects become JSON. */
export function parametersOf(query: Readonly<Record<string, QueryValue>>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const one of value) parameters.append(name, String(one));
    else parameters.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return parameters;
}
