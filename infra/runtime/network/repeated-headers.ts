/** Headers of which two servers may take different ones, where there are two: who is asking, and whom. */
const once = ['Authorization', 'Host'] as const;
type SentOnce = (typeof once)[number];

/** The header that a request has twice, and must not. `rawHeaders`: names and values in turns, as Node has them. */
export function repeatedHeader(rawHeaders: readonly string[]): SentOnce | undefined {
  return once.find((header) => {
    const name = header.toLowerCase();
    let found = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const given = rawHeaders[at] ?? '';
      if (given.length === name.length && given.toLowerCase() === name) found += 1;
    }
    return found > 1;
  });
}

export const sentTwice = (header: SentOnce): string => `${header}: must be sent once`;
