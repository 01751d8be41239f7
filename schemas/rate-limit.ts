/** How often, or how much at once, something may be asked for. */
export type RateLimit = {
  name: string;
  quota: number;
  /** In which time; without one it is a number at once. */
  windowSeconds?: number;
};

/**
 * The headers of a request that was over its rate, as draft-ietf-httpapi-ratelimit-headers-11 has them: nothing
 * remains of the quota until `resetSeconds` are over.
 */
export function rateLimitHeaders(
  { name, quota, windowSeconds }: RateLimit,
  resetSeconds: number | undefined,
): { RateLimit: string; 'RateLimit-Policy': string } {
  const within = windowSeconds === undefined ? ';qu="concurrent-requests"' : `;w=${windowSeconds}`;
  const reset =
    windowSeconds === undefined || resetSeconds === undefined ? '' : `;t=${resetSeconds}`;
  return {
    'RateLimit-Policy': `"${name}";q=${quota}${within}`,
    RateLimit: `"${name}";r=0${reset}`,
  };
}
