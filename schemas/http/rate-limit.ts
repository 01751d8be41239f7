/** A limit: how many requests in a time, or how many at once. */
export type RateLimit = {
  name: string;
  quota: number;
  /** The time; without one, the quota is a number at once. */
  windowSeconds?: number;
};

/** The rest of a limit. After `resetSeconds`, if known, the whole quota is there again. */
export type RateLeft = { rate: RateLimit; remaining: number; resetSeconds?: number | undefined };

/** Headers that tell these limits, as draft-ietf-httpapi-ratelimit-headers-11 has it. */
export function rateLimitHeaders(left: readonly RateLeft[]): {
  RateLimit: string;
  'RateLimit-Policy': string;
} {
  return {
    'RateLimit-Policy': left.map(({ rate }) => policyOf(rate)).join(', '),
    RateLimit: left.map(leftOf).join(', '),
  };
}

function policyOf({ name, quota, windowSeconds }: RateLimit): string {
  const within = windowSeconds === undefined ? ';qu="concurrent-requests"' : `;w=${windowSeconds}`;
  return `"${name}";q=${quota}${within}`;
}

function leftOf({ rate: { name, windowSeconds }, remaining, resetSeconds }: RateLeft): string {
  const reset =
    windowSeconds === undefined || resetSeconds === undefined ? '' : `;t=${resetSeconds}`;
  return `"${name}";r=${remaining}${reset}`;
}
