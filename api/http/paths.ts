import type { Api } from './schemas.ts';

/** Remembers every route, to tell a path that is not there from one that does not take the method. */
export function rememberPaths(api: Api): (path: string) => string[] {
  const methodsByPattern = new Map<string, Set<string>>();
  api.addHook('onRoute', ({ method, url }) => {
    const methods = methodsByPattern.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsByPattern.set(url, methods);
  });

  /** The methods a path takes; none if there is no such path. */
  return (path) => {
    const segments = path.split('/');
    const found = [...methodsByPattern]
      .filter(([pattern]) => matches(pattern.split('/'), segments))
      .flatMap(([, methods]) => [...methods]);
    return [...new Set(found)].toSorted();
  };
}

function matches(pattern: string[], path: string[]): boolean {
  const rest = pattern.at(-1) === '*';
  if (rest ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every((part, i) => part === '*' || matchesPart(part, path[i] ?? ''));
}

/** `:name` takes anything but nothing, `:name(^expression$)` what it describes. */
function matchesPart(part: string, value: string): boolean {
  if (!part.startsWith(':')) return part === value;
  const [, expression] = /\((.+)\)$/.exec(part) ?? [];
  return expression === undefined ? value !== '' : new RegExp(expression).test(value);
}

/** The prefixes of the platform's services: every route answers with and without them. Commands have that of messages. */
const servicePrefix =
  /^\/(?:svc(?:things|auth|users|webhooks|certs)(?=\/)|http(?=\/(?:things|groups)\/[^/?]+\/commands(?:[/?]|$)))/;

/** A slash at the end of a path, which some clients write before a query. */
const endSlash = /^([^?]*[^?/])\/(?=\?|$)/;
/** Messages that are passed on, and pages: to them the slash may matter. */
const pages = /^\/(?:http|messages|docs|bench|queues)\//;

/** The path and the query of a request target, which may name its host before them. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?#]+/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** The URL of a request as routes are declared: without a service's prefix, and without a slash at the end. */
export function toRoute(url: string): string {
  const plain = pathOf(url).replace(servicePrefix, '');
  return pages.test(plain) ? plain : plain.replace(endSlash, '$1');
}
