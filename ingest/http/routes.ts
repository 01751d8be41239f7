/** Paths that take messages. The platform's clients use the prefix `/http`, or none if they know the adapter alone. */
export const messagesPaths = ['/http/messages', '/messages'];

/** A route's name in the log, without what a client adds to it. */
export function routeOf(path: string): string {
  return messagesPaths.find((one) => path === one || path.startsWith(`${one}/`)) ?? 'unknown';
}
