/** Paths that take messages. The platform's clients use the prefix `/http`, or none if they know the adapter alone. */
export const messagesPaths = ['/http/messages', '/messages'];

/** Where streams of messages are opened. A message that is sent there has this subtopic. */
export const streamPaths = messagesPaths.map((path) => `${path}/stream`);

/** Where clients of InfluxDB write, and ask for its version. */
export const influxPaths = { write: '/write', writeOf2: '/api/v2/write', ping: '/ping' } as const;
const allInflux: readonly string[] = Object.values(influxPaths);

/** Paths about commands, with the same prefix or none. */
export const commandPrefixes = ['/http', ''];

const aboutCommands =
  /^((?:\/http)?\/(?:commands(?=$)|(commands|things|groups)\/))(?:[^/]+(\/(?:acknowledge$|commands(?=$|\/))))?/;

/** A route's name in the log, without what a client adds to it. */
export function routeOf(path: string): string {
  if (allInflux.includes(path)) return path;
  const [whole, start = '', named, end] = aboutCommands.exec(path) ?? [];
  if (whole !== undefined && (named === undefined || end !== undefined)) {
    return named === undefined ? start : `${start}:id${end}`;
  }
  return messagesPaths.find((one) => path === one || path.startsWith(`${one}/`)) ?? 'unknown';
}
