/** Where messages are taken. Of the platform's services the HTTP adapter is at `/http`, and alone it has no prefix. */
export const messagesPaths = ['/http/messages', '/messages'];

/** A route's name in the log: what a client adds to it is its own. */
export function routeOf(path: string): string {
  return messagesPaths.find((one) => path === one || path.startsWith(`${one}/`)) ?? 'unknown';
}
