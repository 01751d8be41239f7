import type { RouteOptions } from 'fastify';

/**
 * A name for each route: its operation, and where that has several routes, what tells this one from the
 * others in its method and its path.
 */
export function nameOperations(routes: readonly RouteOptions[]): Map<RouteOptions, string> {
  const byOperation = Map.groupBy(routes, (route) => route.config?.operation ?? '');
  return new Map(
    [...byOperation].flatMap(([operation, all]) => {
      const words = all.map(wordsOf);
      return all.map((route, i): [RouteOptions, string] => {
        const own = words[i]?.filter((word) => !words.every((others) => others.includes(word)));
        return [route, [operation, ...(own ?? [])].join('_')];
      });
    }),
  );
}

function wordsOf({ method, url }: RouteOptions): string[] {
  const segments = url.split('/').map((segment) => segment.replaceAll(/\W/g, ''));
  return [...[method].flat().map((one) => one.toLowerCase()), ...segments.filter(Boolean)];
}
