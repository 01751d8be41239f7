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
