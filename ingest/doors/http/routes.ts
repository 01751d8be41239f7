/** Paths that take messages. The platform's clients use the prefix `/http`, or none if they know the adapter alone. */
export const messagesPaths = ['/http/messages', '/messages'];

/** Where streams of messages are opened. A message that is sent there has this subtopic. */
export const streamPaths = messagesPaths.map((path) => `${path}/stream`);

/** A route's name in the log, without what a client adds to it. */
export function routeOf(path: string): string {
  return messagesPaths.find((one) => path === one || path.startsWith(`${one}/`)) ?? 'unknown';
}
